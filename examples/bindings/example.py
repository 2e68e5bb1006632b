# SPDX-License-Identifier: Apache-2.0
"""schedpol from Python: `evaluate` and `Engine` for who imports it. As a program it evaluates a request, reviews
a pod and decides on another by the policies in a directory."""

import ctypes
import pathlib
import sys


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


BYTES = (ctypes.c_char_p, ctypes.c_size_t)
LIBRARY = ctypes.CDLL("libschedpol.so.1")
if LIBRARY.schedpol_abi_version() != 1:
    raise ImportError("libschedpol is of another ABI version")
for function, result, arguments in (
        ("evaluate", Text, BYTES), ("text_free", None, (Text,)), ("engine_free", None, (ctypes.c_void_p,)),
        ("engine_new", ctypes.c_void_p, (*BYTES, ctypes.POINTER(Text))),
        ("review", Text, (ctypes.c_void_p, *BYTES)), ("decide", Text, (ctypes.c_void_p, *BYTES))):
    declared = getattr(LIBRARY, f"schedpol_{function}")
    declared.restype, declared.argtypes = result, arguments


def take(text):
    """The text as str; its memory is given back."""
    try:
        if not text.data:
            raise MemoryError
        return ctypes.string_at(text.data, text.length).decode()
    finally:
        LIBRARY.schedpol_text_free(text)


def evaluate(request: bytes) -> str:
    return take(LIBRARY.schedpol_evaluate(request, len(request)))


class Engine:
    """Policies and settings from one document; a ValueError says what is wrong with them."""

    def __init__(self, document: bytes):
        errors = Text()
        self.engine = LIBRARY.schedpol_engine_new(document, len(document), errors)
        if not self.engine:
            raise ValueError(take(errors))

    def __del__(self):
        LIBRARY.schedpol_engine_free(self.engine)

    def review(self, review: bytes) -> str:
        return take(LIBRARY.schedpol_review(self.engine, review, len(review)))

    def decide(self, pod: bytes) -> str:
        return take(LIBRARY.schedpol_decide(self.engine, pod, len(pod)))


def main(directory="."):
    request, policies, review, pod = ((pathlib.Path(directory) / f"{name}.json").read_bytes()
                                      for name in ("request", "policies", "review", "pod"))
    print("evaluate:", evaluate(request))
    try:
        engine = Engine(policies)
    except ValueError as errors:
        print("errors:", errors)
        return 1
    print("review:", engine.review(review))
    print("decide:", engine.decide(pod))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
