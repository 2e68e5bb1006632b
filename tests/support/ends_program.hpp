// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a broken precondition ends the program.

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <string>

/// Calls `function` in a process of its own: whether that is aborted there.
inline bool ends_program(auto function) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // not the test framework's
    function();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/// What such a process says on standard error before it is aborted; nothing where it is not.
inline std::string last_words(auto function) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const bool ended = ends_program([&] {
    dup2(ends[1], STDERR_FILENO);
    function();
  });
  close(ends[1]);
  std::string words;
  char part[256];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    words.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  return ended ? words : "";
}
