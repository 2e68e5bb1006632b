// SPDX-License-Identifier: Apache-2.0
// schedpol from C: evaluates a request, reviews a pod and decides on two others by the policies in
// a directory.

#include "../schedpol.h"

#include <stdio.h>
#include <stdlib.h>

// The bytes of a file, which the caller frees.
static schedpol_text read_file(const char* directory, const char* name) {
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
  schedpol_text text = {bytes, fread(bytes, 1, (size_t)size, file)};
  fclose(file);
  return text;
}

static int show(const char* title, schedpol_status status, schedpol_text text) {
  printf("%s: %s\n", title, text.data != NULL ? text.data : "there is no answer");
  schedpol_text_free(&text);
  return status != SCHEDPOL_OK;
}

int main(int argc, char** argv) {
  const char* directory = argc > 1 ? argv[1] : ".";
  if (schedpol_abi_version() != SCHEDPOL_ABI_VERSION) return 2;

  schedpol_text text;
  schedpol_text request = read_file(directory, "request.json");
  schedpol_status status = schedpol_evaluate(request.data, request.length, &text);
  free((void*)request.data);
  if (show("evaluate", status, text)) return 1;

  schedpol_engine engine;
  schedpol_text policies = read_file(directory, "policies.json");
  status = schedpol_engine_new(&policies, 1, &engine, &text);
  free((void*)policies.data);
  if (status != SCHEDPOL_OK) return show("errors", status, text);
  status = schedpol_engine_problems(engine, &text);
  int failed = show("problems", status, text);

  schedpol_text review = read_file(directory, "review.json");
  status = schedpol_review(engine, review.data, review.length, SCHEDPOL_MUTATING, &text);
  free((void*)review.data);
  failed |= show("review", status, text);

  const char* const objects[] = {"pod.json", "denied.json"};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; ++i) {
    schedpol_text object = read_file(directory, objects[i]);
    status = schedpol_decide(engine, object.data, object.length, NULL, 0, &text);
    free((void*)object.data);
    failed |= show(objects[i], status, text);
  }
  schedpol_engine_free(engine);
  return failed;
}
