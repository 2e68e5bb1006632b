// SPDX-License-Identifier: Apache-2.0
// The C ABI of schedpol (C99 or newer, or C++), for every language that can call C: JSON in, JSON
// out.
//
// Bytes in: a pointer and a length. They are only read during the call, need no NUL at the end, and
// stay the caller's. NULL is nothing, whatever the length; nothing is no document.
//
// Texts out: a function that answers with one takes a pointer to a schedpol_text and writes it in
// every case. The text is the caller's, who gives it to schedpol_text_free once. Its data is
// followed by a NUL that the length does not count. What was in the struct before is overwritten,
// and not freed.
//
// Engines are numbers that the library looks up. One that it never gave out, or that is freed, is
// SCHEDPOL_NO_ENGINE, to whichever function it is given, however often; a number is not given out
// again for another engine.
//
// Errors: every function says what became of the call. Only a decision that says "allowed": true,
// with SCHEDPOL_OK, allows anything; whoever gets anything else and has to decide has to deny.
// What was refused is told as a JSON list, [{"code", "field", "message"}]: a word, the place in
// what was given, and a line for a person.
//
// Threads: all functions may be called from any thread at once, with the same engine too. An engine
// that one thread frees stays whole for the calls of others that have begun.
//
// No exception leaves the library, and nothing that is given to it ends the program. Between calls
// it keeps engines and nothing else.
#ifndef SCHEDPOL_H
#define SCHEDPOL_H

#include <stddef.h>
#include <stdint.h>

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

// What became of a call.
typedef enum schedpol_status {
  SCHEDPOL_OK = 0,                // the text, if the function has one, is the answer
  SCHEDPOL_REFUSED = 1,           // what was given cannot be read or used; the text has the errors
  SCHEDPOL_NO_ENGINE = 2,         // there is no such engine; the text is {NULL, 0}
  SCHEDPOL_NO_MEMORY = 3,         // memory ran out; the text is {NULL, 0}
  SCHEDPOL_INVALID_ARGUMENT = 4,  // a result has no place, or a number is none of its enumeration
  SCHEDPOL_UNSUPPORTED = 5,       // this library was built without it; the text is {NULL, 0}
} schedpol_status;

// The webhook that asks: before all mutators ran, or after.
typedef enum schedpol_phase {
  SCHEDPOL_MUTATING = 0,
  SCHEDPOL_VALIDATING = 1,
} schedpol_phase;

// Bytes and how many there are.
typedef struct schedpol_text {
  const char* data;
  size_t length;
} schedpol_text;

// Policies and settings, compiled. An engine never changes. 0 is none.
typedef uint64_t schedpol_engine;

// The SCHEDPOL_ABI_VERSION that the loaded library was built with, to compare with one's own.
SCHEDPOL_API int schedpol_abi_version(void);

// The version of schedpol, such as "0.3.0". It is nobody's to free.
SCHEDPOL_API const char* schedpol_version(void);

// Answers one request {"id", "op", "input"} with {"id", "result"} or {"id", "error": {"code",
// "message", "field"}}, and SCHEDPOL_OK in both cases: everything that the library does, operation
// by operation, keeping nothing between them.
SCHEDPOL_API schedpol_status schedpol_evaluate(const char* request, size_t length,
                                               schedpol_text* reply);

// An engine from so many documents. Each is an object or a list of them; one of all the objects is
// an EngineConfiguration, the others are policies, RuntimeClasses, Namespaces, roles and bindings.
// On anything but SCHEDPOL_OK `*engine` is 0. An error's field begins with its document,
// `documents[2].items[0].kind`. A single object that is wrong is refused only where nobody can tell
// which one it is: otherwise it denies what it might have been about, and schedpol_engine_problems
// says so. `errors` may be NULL, and is {NULL, 0} beside an engine.
SCHEDPOL_API schedpol_status schedpol_engine_new(const schedpol_text* documents, size_t count,
                                                 schedpol_engine* engine, schedpol_text* errors);

// Another engine, with these objects in the place of those of their kind, namespace and name, or
// beside the others. Both engines are the caller's to free, and share what they have in common, so
// that it takes as long as what is new. The EngineConfiguration stays: another one is refused.
// Otherwise as schedpol_engine_new.
SCHEDPOL_API schedpol_status schedpol_engine_with(schedpol_engine engine,
                                                  const schedpol_text* documents, size_t count,
                                                  schedpol_engine* changed, schedpol_text* errors);

// Another engine, without the objects that are called like these. They need a kind and a name, and
// a namespace where their kind has one. Otherwise as schedpol_engine_with.
SCHEDPOL_API schedpol_status schedpol_engine_without(schedpol_engine engine,
                                                     const schedpol_text* documents, size_t count,
                                                     schedpol_engine* changed,
                                                     schedpol_text* errors);

// What is wrong with objects of the engine that cannot be used, as errors are told; [] where
// nothing is. A field begins with the object: `SchedulingPolicy[gpu].spec.required`.
SCHEDPOL_API schedpol_status schedpol_engine_problems(schedpol_engine engine,
                                                      schedpol_text* problems);

// Frees an engine. SCHEDPOL_NO_ENGINE where there is none, as the second time.
SCHEDPOL_API schedpol_status schedpol_engine_free(schedpol_engine engine);

// Decides on one object: {"allowed", "steps", "object", "patch", "warnings", "nearestFix",
// "ungoverned"}. Each of `steps` is what a system said: {"system", "mode", "violations",
// "changes"}. `object` has the changes of all systems that enforce, and is as it came when it is
// denied; `patch` is the JSON Patch (RFC 6902) that makes it. `nearestFix` is of a denial, where
// there is one; `ungoverned` is what nothing governs of the object, and so nothing denies
// ({"field", "value"}, each).
//
// `asked` says what there is to know besides, as an object: `old` (the object before an update),
// `operation` ("CREATE", "UPDATE"), `namespace` (a name), `user` ({"name", "groups"}), `phase`
// ("Mutating", "Validating"); each may be left out, and nothing, NULL, is the creation of the
// object by its own service account. An object without a kind is a Pod, one without a namespace,
// where `asked` has none, is in `default`.
SCHEDPOL_API schedpol_status schedpol_decide(schedpol_engine engine, const char* object,
                                             size_t object_length, const char* asked,
                                             size_t asked_length, schedpol_text* decision);

// Answers one AdmissionReview of a webhook with another one, and SCHEDPOL_OK in every case where
// there is an engine: whatever cannot be read is answered with a denial.
SCHEDPOL_API schedpol_status schedpol_review(schedpol_engine engine, const char* review,
                                             size_t length, schedpol_phase phase,
                                             schedpol_text* reply);

// The objects of a stream of YAML, or of JSON, as one List in JSON, which is a document for an
// engine. They are read as Kubernetes reads them, and the objects of Lists are among the others. An
// error's message begins with line and column. SCHEDPOL_UNSUPPORTED where the library was built
// without libyaml.
SCHEDPOL_API schedpol_status schedpol_yaml_to_json(const char* yaml, size_t length,
                                                   schedpol_text* json);

// Frees a text and makes it {NULL, 0}, so that freeing the same struct again does nothing. Nothing
// happens where `text` or its data is NULL.
SCHEDPOL_API void schedpol_text_free(schedpol_text* text);

#ifdef __cplusplus
}
#endif

#endif
