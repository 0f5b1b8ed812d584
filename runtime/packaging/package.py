# SPDX-License-Identifier: Apache-2.0
"""A recipe for Spack 1: packages/heddle/package.py in a repository of your own (`spack repo create`; package
API v2). `spack develop --path SOURCES heddle@main` names the folder of the sources. No recipe of Spack's own
repository, which has no package of the clang-format wheel: the variant generator needs one of yours."""

from __future__ import annotations

from spack.package import depends_on, license, variant, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Heddle(CMakePackage):
    """From mathematics to C++ and CUDA kernels."""

    version("main")

    license("Apache-2.0 AND MIT-0")

    # Variants are options of CMake: mpi is HEDDLE_MPI, and so on.
    variant("mpi", default=True, description="Messages between ranks: heddle::mpi")
    variant("cuda", default=False, description="Compile CUDA kernels, too")
    variant("openmp", default=True, description="Run loops on several threads")
    variant("generator", default=False, description="Write kernels from models, also of programs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")
    with_generator = ("build", "run")
    depends_on("python@3.11:", type=with_generator, when="+generator")
    depends_on("py-sympy@1.11:", type=with_generator, when="+generator")
    depends_on("py-jinja2@3.1:", type=with_generator, when="+generator")
    depends_on("py-clang-format@19.1.7", type=with_generator, when="+generator")

    def cmake_args(self) -> list[str]:
        components = ["program", "poisson", "projection"] + (["mpi"] if "+mpi" in self.spec else [])
        return [
            self.define_from_variant("HEDDLE_MPI", "mpi"),
            self.define_from_variant("HEDDLE_CUDA", "cuda"),
            self.define_from_variant("HEDDLE_OPENMP", "openmp"),
            self.define_from_variant("HEDDLE_CODEGEN", "generator"),
            self.define("HEDDLE_COMPONENTS", components),
            self.define("HEDDLE_ARCH", ""),  # Spack's compilers add the flags of its target
            self.define("HEDDLE_LIFT", "OFF"),
            self.define("HEDDLE_TESTS", False),
            self.define("HEDDLE_EXAMPLES", False),
            self.define("HEDDLE_BENCHMARKS", False),
        ]
