// SPDX-License-Identifier: Apache-2.0
// The C ABI as it was released. It does not compile when a function or a struct of schedpol.h is
// another one, and its functions are those that the library exports. What breaks callers takes
// another SCHEDPOL_ABI_VERSION; what only comes in addition is added here.
#include "schedpol.h"

_Static_assert(SCHEDPOL_ABI_VERSION == 1, "");

_Static_assert(sizeof(schedpol_text) == sizeof(char*) + sizeof(size_t), "");
_Static_assert(offsetof(schedpol_text, data) == 0, "");
_Static_assert(offsetof(schedpol_text, length) == sizeof(char*), "");
_Static_assert(_Generic(((schedpol_text*)0)->data, const char*: 1, default: 0), "");
_Static_assert(_Generic(((schedpol_text*)0)->length, size_t: 1, default: 0), "");
_Static_assert(_Generic((schedpol_engine)0, uint64_t: 1, default: 0), "");

_Static_assert(sizeof(schedpol_status) == 4 && sizeof(schedpol_phase) == 4, "");
_Static_assert(SCHEDPOL_OK == 0, "");
_Static_assert(SCHEDPOL_REFUSED == 1, "");
_Static_assert(SCHEDPOL_NO_ENGINE == 2, "");
_Static_assert(SCHEDPOL_NO_MEMORY == 3, "");
_Static_assert(SCHEDPOL_INVALID_ARGUMENT == 4, "");
_Static_assert(SCHEDPOL_UNSUPPORTED == 5, "");
_Static_assert(SCHEDPOL_MUTATING == 0, "");
_Static_assert(SCHEDPOL_VALIDATING == 1, "");

int schedpol_abi_version(void);
const char* schedpol_version(void);
schedpol_status schedpol_evaluate(const char*, size_t, schedpol_text*);
schedpol_status schedpol_engine_new(const schedpol_text*, size_t, schedpol_engine*, schedpol_text*);
schedpol_status schedpol_engine_with(schedpol_engine, const schedpol_text*, size_t,
                                     schedpol_engine*, schedpol_text*);
schedpol_status schedpol_engine_without(schedpol_engine, const schedpol_text*, size_t,
                                        schedpol_engine*, schedpol_text*);
schedpol_status schedpol_engine_problems(schedpol_engine, schedpol_text*);
schedpol_status schedpol_engine_free(schedpol_engine);
schedpol_status schedpol_decide(schedpol_engine, const char*, size_t, const char*, size_t,
                                schedpol_text*);
schedpol_status schedpol_review(schedpol_engine, const char*, size_t, schedpol_phase,
                                schedpol_text*);
schedpol_status schedpol_yaml_to_json(const char*, size_t, schedpol_text*);
void schedpol_text_free(schedpol_text*);
