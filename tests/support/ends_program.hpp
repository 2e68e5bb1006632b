// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a broken precondition ends the program.

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

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
