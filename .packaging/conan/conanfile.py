# SPDX-License-Identifier: Apache-2.0
"""`conan create .packaging/conan`: schedpol from the checkout that this file is in."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

CHECKOUT = ("CMakeLists.txt", "LICENSE", "include/*", "single_include/schedpol/*", ".packaging/*")


class Schedpol(ConanFile):
    name = "schedpol"
    description = "Evaluates Kubernetes pod scheduling policies"
    license = "Apache-2.0"
    topics = ("kubernetes", "scheduling", "policy", "admission")
    settings = "os", "arch", "compiler", "build_type"
    options = {"compiled": [True, False], "shared": [True, False], "fPIC": [True, False]}
    default_options = {"compiled": False, "shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "..", "..", "include", "schedpol", "version.hpp"))
        self.version = ".".join(re.findall(r"#define SCHEDPOL_VERSION_\w+ (\d+)", header))

    def export_sources(self):
        for pattern in CHECKOUT:
            copy(self, pattern, os.path.join(self.recipe_folder, "..", ".."), self.export_sources_folder)

    def configure(self):
        if not self.options.compiled:
            self.options.rm_safe("shared")
            self.options.rm_safe("fPIC")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        if not self.info.options.compiled:
            self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SCHEDPOL_COMPILED_LIBRARY"] = bool(self.options.compiled)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # The generators of whoever uses it write these.
        for made_again in (("lib", "cmake"), ("lib", "pkgconfig")):
            rmdir(self, os.path.join(self.package_folder, *made_again))

    def package_info(self):
        # The package as a whole is called otherwise than its headers, which may be used alone.
        self.cpp_info.set_property("cmake_target_name", "schedpol::all")
        self.cpp_info.set_property("pkg_config_name", "schedpol-all")
        headers = self.cpp_info.components["headers"]
        headers.set_property("cmake_target_name", "schedpol::schedpol")
        headers.set_property("pkg_config_name", "schedpol")
        headers.libdirs, headers.bindirs = [], []
        if self.options.compiled:
            compiled = self.cpp_info.components["compiled"]
            compiled.set_property("cmake_target_name", "schedpol::compiled")
            compiled.set_property("pkg_config_name", "schedpol-compiled")
            compiled.libs = ["schedpol-compiled"]
            compiled.defines = ["SCHEDPOL_COMPILED"]
            compiled.requires = ["headers"]
