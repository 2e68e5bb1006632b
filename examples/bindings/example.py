# SPDX-License-Identifier: Apache-2.0
"""schedpol from Python: evaluates a request and reviews a pod by the policies in a directory."""

import ctypes
import pathlib
import sys


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def declare(function, result, *arguments):
    function.restype = result
    function.argtypes = arguments
    return function


library = ctypes.CDLL("libschedpol.so.1")
assert library.schedpol_abi_version() == 1
evaluate_bytes = declare(library.schedpol_evaluate, Text, ctypes.c_char_p, ctypes.c_size_t)
engine_new = declare(library.schedpol_engine_new, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                     ctypes.POINTER(Text))
review_bytes = declare(library.schedpol_review, Text, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
engine_free = declare(library.schedpol_engine_free, None, ctypes.c_void_p)
text_free = declare(library.schedpol_text_free, None, Text)


def take(text):
    """The text as str; its memory is given back."""
    try:
        if not text.data:
            raise MemoryError
        return ctypes.string_at(text.data, text.length).decode()
    finally:
        text_free(text)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    request, policies, review = ((directory / name).read_bytes()
                                 for name in ("request.json", "policies.json", "review.json"))
    print("evaluate:", take(evaluate_bytes(request, len(request))))
    errors = Text()
    engine = engine_new(policies, len(policies), errors)
    if not engine:
        print("errors:", take(errors))
        return 1
    try:
        print("review:", take(review_bytes(engine, review, len(review))))
    finally:
        engine_free(engine)
    return 0


sys.exit(main())
