# SPDX-License-Identifier: Apache-2.0
"""What a recipe of runtime/packaging gives CMake, one -D per line, by doubles of Conan 2 and Spack 1: the
part of their interfaces that the recipes use.

python recipe_options.py conan|spack NAME=VALUE...
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

IN_SPACK = {"c", "cmake", "cuda", "cxx", "mpi", "py-jinja2", "py-sympy", "python", "zlib-api"}
"""What spack/spack-packages has of the packages that the recipe names (commit 1e8cf05, 1 July 2026)."""
RECIPES = Path(__file__).resolve().parents[2] / "runtime/packaging"


def module(name: str, **members: Any) -> None:
    """A module that imports find."""
    made = sys.modules[name] = ModuleType(name)
    made.__dict__.update(members)


def of_conan(chosen: dict[str, str]) -> dict[str, str]:
    toolchain = SimpleNamespace(cache_variables={}, generate=lambda: None)
    module("conan", ConanFile=object)
    module("conan.tools")
    cmake = {"CMake": None, "CMakeDeps": lambda recipe: toolchain, "CMakeToolchain": lambda recipe: toolchain}
    module("conan.tools.cmake", **cmake, cmake_layout=None)
    recipe = runpy.run_path(str(RECIPES / "conanfile.py"))["Heddle"]()
    assert set(recipe.default_options) == set(recipe.options) >= set(chosen)
    values = recipe.default_options | {
        name: {"on": True, "off": False}.get(v, v) for name, v in chosen.items()
    }
    recipe.options = SimpleNamespace(**values)
    needed: list[str] = []
    recipe.requires = needed.append
    recipe.requirements()
    assert any("openmpi" in one for one in needed) == bool(values["mpi"])
    recipe.generate()
    for pattern in recipe.exports_sources:
        assert (RECIPES.parents[1] / pattern.removesuffix("/*")).exists(), pattern
    return toolchain.cache_variables | {"VERSION": recipe.version}


class SpackDouble:
    """CMakePackage."""

    chosen: dict[str, bool]

    def define(self, name: str, value: Any) -> str:
        text = ("ON" if value else "OFF") if isinstance(value, bool) else value
        return f"-D{name}={';'.join(text) if isinstance(text, list) else text}"

    def define_from_variant(self, name: str, variant: str) -> str:
        return self.define(name, self.chosen[variant])


def of_spack(chosen: dict[str, str]) -> dict[str, str]:
    variants: dict[str, bool] = {}
    conditions: list[str] = []
    needed: dict[str, str] = {}

    def variant(name: str, default: bool, description: str) -> None:
        variants[name] = default

    def depends_on(what: str, type: Any = None, when: str = "") -> None:
        conditions.append(when.removeprefix("+"))
        needed[what.partition("@")[0]] = conditions[-1]

    def nothing(*arguments: Any) -> None:
        """license and version."""

    words = {"variant": variant, "depends_on": depends_on, "license": nothing, "version": nothing}
    module("spack")
    module("spack.package", **words)
    for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        module(name)
    module("spack_repo.builtin.build_systems.cmake", CMakePackage=SpackDouble)
    recipe = runpy.run_path(str(RECIPES / "package.py"))["Heddle"]()
    assert set(conditions) - {""} <= set(variants) >= set(chosen)
    assert not any(variants[needed[name]] for name in needed.keys() - IN_SPACK), (
        "a default needs a missing package"
    )
    recipe.chosen = variants | {name: value == "on" for name, value in chosen.items()}
    recipe.spec = [f"+{name}" for name, value in recipe.chosen.items() if value]
    return dict(word.removeprefix("-D").split("=", 1) for word in recipe.cmake_args())


if __name__ == "__main__":
    options = dict(word.split("=", 1) for word in sys.argv[2:])
    for name, value in {"conan": of_conan, "spack": of_spack}[sys.argv[1]](options).items():
        print(f"{name}={value}")
