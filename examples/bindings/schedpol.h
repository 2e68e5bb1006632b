// SPDX-License-Identifier: Apache-2.0
// The C ABI of schedpol (C99 or newer, or C++), for every language that can call C: JSON in, JSON
// out.
//
// - Bytes are a pointer and a length. They are only read during the call, need no NUL at the end,
//   and stay the caller's. NULL is an empty document, whatever the length.
// - A returned text is the caller's, who gives it to schedpol_text_free once. Its data is followed
//   by a NUL that the length does not count. Data NULL, with length 0, means that memory ran out:
//   that is no decision, and whoever asked for one has to deny.
// - All functions may be called from any thread, and many threads may share an engine. It may be
//   freed when no call uses it any more.
// - No exception leaves the library, and it keeps nothing between calls but engines.
#ifndef SCHEDPOL_H
#define SCHEDPOL_H

#include <stddef.h>

#ifdef __GNUC__
#define SCHEDPOL_API __attribute__((visibility("default")))
#else
#define SCHEDPOL_API
#endif

// Grows with every change that breaks callers. The library's soversion is this number.
#define SCHEDPOL_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct schedpol_text {
  const char* data;
  size_t length;
} schedpol_text;

// Policies and settings, checked and compiled. It never changes.
typedef struct schedpol_engine schedpol_engine;

// The SCHEDPOL_ABI_VERSION that the loaded library was built with, to compare with one's own.
SCHEDPOL_API int schedpol_abi_version(void);

// Answers one request {"id", "op", "input"} with {"id", "result"} or {"id", "error"}.
SCHEDPOL_API schedpol_text schedpol_evaluate(const char* request, size_t length);

// An engine from one document: a List of an EngineConfiguration and the objects that it works on.
// NULL if anything is wrong with them; then `*errors` says what, one line for each problem. It is
// {NULL, 0} beside an engine, and when memory ran out. `errors` may be NULL.
SCHEDPOL_API schedpol_engine* schedpol_engine_new(const char* json, size_t length,
                                                  schedpol_text* errors);

// Answers one AdmissionReview of a mutating webhook with another one. It is a denial for whatever
// cannot be read, and for every pod when the engine is NULL.
SCHEDPOL_API schedpol_text schedpol_review(const schedpol_engine* engine, const char* review,
                                           size_t length);

// Decides on one object as it is created, a workload with a pod template or a Pod, which is what
// one without `kind` is: {"allowed", "steps", "object", "patch"}. Each of `steps` is what a system
// said: {"system", "mode", "violations", "changes"}. `object` has the changes of all systems that
// enforce, and is as it came when it is denied; `patch` is the JSON Patch (RFC 6902) that makes it.
// What cannot be read is {"allowed": false, "errors"}. Every pod is denied when the engine is NULL.
SCHEDPOL_API schedpol_text schedpol_decide(const schedpol_engine* engine, const char* object,
                                           size_t length);

// Nothing happens to an engine that is NULL, nor to a text whose data is NULL.
SCHEDPOL_API void schedpol_engine_free(schedpol_engine* engine);
SCHEDPOL_API void schedpol_text_free(schedpol_text text);

#ifdef __cplusplus
}
#endif

#endif
