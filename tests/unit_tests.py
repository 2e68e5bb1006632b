# SPDX-License-Identifier: Apache-2.0
"""Prints the unit tests there are, FOLDER/.../NAME_test.cpp, one a line."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
for path in sorted(HERE.glob("*/**/*_test.cpp")):
    print(path.relative_to(HERE).as_posix())
