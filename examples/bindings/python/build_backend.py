# SPDX-License-Identifier: Apache-2.0
"""Builds the package by scikit-build-core. A source distribution carries the library, amalgamated, which a checkout
of the repository has elsewhere."""

import pathlib
import shutil

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core.build import build_sdist as build_sdist_of_what_is_here

HERE = pathlib.Path(__file__).parent
NATIVE = HERE / "native"
BINDINGS = HERE.parent
TOP = BINDINGS.parent.parent


def build_sdist(sdist_directory, config_settings=None):
    """As scikit-build-core's, with the library in `native/`."""
    if NATIVE.exists():  # a source distribution itself
        return build_sdist_of_what_is_here(sdist_directory, config_settings)
    try:
        shutil.copytree(TOP / "single_include", NATIVE, ignore=shutil.ignore_patterns("*.py"))
        for file in ("schedpol.cpp", "schedpol.h", "engine_table.hpp"):
            shutil.copy(BINDINGS / file, NATIVE)
        shutil.copy(TOP / "LICENSE", NATIVE)
        return build_sdist_of_what_is_here(sdist_directory, config_settings)
    finally:
        shutil.rmtree(NATIVE)
