# SPDX-License-Identifier: Apache-2.0
"""Builds the package by scikit-build-core. What a checkout of the repository has elsewhere is here while it is built: the
LICENSE, and for a source distribution the library in `native/`, laid out as in the checkout."""

import contextlib
import os
import pathlib
import shutil

from scikit_build_core import build
from scikit_build_core.build import get_requires_for_build_editable as get_requires_for_build_editable
from scikit_build_core.build import get_requires_for_build_sdist as get_requires_for_build_sdist
from scikit_build_core.build import get_requires_for_build_wheel as get_requires_for_build_wheel

HERE = pathlib.Path(__file__).parent
TOP = HERE.parent.parent.parent
NATIVE, LICENSE = HERE / "native", HERE / "LICENSE"
LIBRARY = ("include/schedpol/**/*.[hi]pp", ".packaging/compiled/*.cpp", "examples/bindings/schedpol.*pp", "examples/bindings/schedpol.h",
           "examples/bindings/engine_table.hpp", "examples/support/json_members.hpp", "examples/support/yaml/*.[ch]pp")
LIBYAML = ("License", "include/yaml.h", "src/yaml_private.h", "src/api.c", "src/parser.c", "src/reader.c", "src/scanner.c")


def _copy(root, patterns, to):
    for pattern in patterns:
        for file in sorted(root.glob(pattern)):
            target = to / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


@contextlib.contextmanager
def _brought_along(library=False):
    """Of a checkout; a source distribution has it."""
    if NATIVE.exists():
        yield
        return
    try:
        shutil.copyfile(TOP / "LICENSE", LICENSE)
        if library:
            _copy(TOP, LIBRARY, NATIVE)
            if libyaml := os.environ.get("SCHEDPOL_LIBYAML"):
                _copy(pathlib.Path(libyaml), LIBYAML, NATIVE / "libyaml")
        yield
    finally:
        shutil.rmtree(NATIVE, ignore_errors=True)
        LICENSE.unlink(missing_ok=True)


def build_sdist(sdist_directory, config_settings=None):
    with _brought_along(library=True):
        return build.build_sdist(sdist_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with _brought_along():
        return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with _brought_along():
        return build.build_editable(wheel_directory, config_settings, metadata_directory)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with _brought_along():
        return build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    with _brought_along():
        return build.prepare_metadata_for_build_editable(metadata_directory, config_settings)
