# SPDX-License-Identifier: Apache-2.0
"""A recipe for Conan 2: `conan create .` in the folder of Heddle's sources, with this file beside its
CMakeLists.txt. Programs then say find_package(heddle). No recipe of Conan's own index."""

from __future__ import annotations

from typing import ClassVar

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout


class Heddle(ConanFile):
    """Options are those of CMake: mpi is HEDDLE_MPI, and so on; components a list with blanks."""

    name = "heddle"
    version = "0.1.0"
    license = "Apache-2.0 AND MIT-0"
    description = "From mathematics to C++ and CUDA kernels"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options: ClassVar = {
        "mpi": [True, False],
        "cuda": [True, False],
        "openmp": [True, False],
        "components": ["ANY"],
    }
    default_options: ClassVar = {
        "mpi": False,
        "cuda": False,
        "openmp": True,
        "components": "program poisson projection",
    }
    exports_sources = "CMakeLists.txt", "LICENSE", "generator/*", "generated/*", "runtime/*", "templates/*"

    def layout(self) -> None:
        cmake_layout(self)

    def requirements(self) -> None:
        self.requires("zlib/[>=1.2.11 <2]")
        if self.options.mpi:
            self.requires("openmpi/[>=4.1]")

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        for name in ("mpi", "cuda", "openmp"):
            toolchain.cache_variables[f"HEDDLE_{name.upper()}"] = (
                "ON" if getattr(self.options, name) else "OFF"
            )
        parts = str(self.options.components).split() + (["mpi"] if self.options.mpi else [])
        toolchain.cache_variables["HEDDLE_COMPONENTS"] = ";".join(parts)
        toolchain.cache_variables["HEDDLE_CODEGEN"] = "OFF"  # kernels of libraries as they are in generated/
        for name in ("TESTS", "EXAMPLES", "BENCHMARKS", "LIFT"):
            toolchain.cache_variables[f"HEDDLE_{name}"] = "OFF"
        toolchain.cache_variables["HEDDLE_ARCH"] = ""
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        CMake(self).install()

    def package_info(self) -> None:
        self.cpp_info.set_property("cmake_find_mode", "none")  # Heddle installs heddleConfig.cmake
        self.cpp_info.builddirs = ["lib/cmake/heddle"]
