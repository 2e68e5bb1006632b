// SPDX-License-Identifier: Apache-2.0
// schedpol from C: evaluates a request, reviews a pod and decides on another by the policies in a
// directory.

#include "../schedpol.h"

#include <stdio.h>
#include <stdlib.h>

// The bytes of a file, which the caller frees.
static char* read_file(const char* directory, const char* name, size_t* length) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE* file = fopen(path, "rb");
  long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char* bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (bytes == NULL) {
    perror(path);
    exit(1);
  }
  rewind(file);
  *length = fread(bytes, 1, (size_t)size, file);
  fclose(file);
  return bytes;
}

static void show(const char* title, schedpol_text text) {
  printf("%s: %s\n", title, text.data != NULL ? text.data : "out of memory");
  schedpol_text_free(text);
}

int main(int argc, char** argv) {
  const char* directory = argc > 1 ? argv[1] : ".";
  if (schedpol_abi_version() != SCHEDPOL_ABI_VERSION) return 2;

  size_t length;
  char* bytes = read_file(directory, "request.json", &length);
  show("evaluate", schedpol_evaluate(bytes, length));
  free(bytes);

  bytes = read_file(directory, "policies.json", &length);
  schedpol_text errors;
  schedpol_engine* engine = schedpol_engine_new(bytes, length, &errors);
  free(bytes);
  if (engine == NULL) {
    show("errors", errors);
    return 1;
  }

  bytes = read_file(directory, "review.json", &length);
  show("review", schedpol_review(engine, bytes, length));
  free(bytes);

  bytes = read_file(directory, "pod.json", &length);
  show("decide", schedpol_decide(engine, bytes, length));
  free(bytes);
  schedpol_engine_free(engine);
  return 0;
}
