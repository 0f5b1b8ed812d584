# SPDX-License-Identifier: Apache-2.0
"""Whatever a kernel's files say, a user's argument of that name is refused, or the files compile with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy
from compiled import Library
from heddle import CompressedList, KernelError, Module, Schedule, Sparse, Strips, lbm
from heddle.build import files

D2Q9 = lbm.Lattice("D2Q9")
TARGETS = ("cpu", "cuda", "reference")
KERNELS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "dense": (lambda omega: lbm.AA(D2Q9)(lbm.BGK(D2Q9, omega)), {}),
    "over a list": (
        lambda omega: lbm.Pull(D2Q9)(lbm.BGK(D2Q9, omega)),
        {
            "space": Sparse("fluid"),
            "schedule": Schedule(cpu=Strips(16, nontemporal=True), gpu=CompressedList()),
        },
    ),
    "over listed cells": (
        lambda omega: lbm.AA(D2Q9).boundary(lbm.VelocityBounceBack((omega, 0)), force="drag"),
        {"space": Sparse("walls", listed=True)},
    ),
}
SAID = {
    "dense": {"f_e", "f_stride"},
    "over a list": {"f_e", "f_next_stride", "n"},
    "over listed cells": {"in_e", "f_stride", "n", "i"},
}
"""Some names of each."""
OF_HEADERS = ("NULL", "EOF", "NAN", "INFINITY", "M_PI", "FP_NAN", "INT64_MAX", "errno", "assert", "linux")


def module(kind: str, omega: Any) -> Module:
    make, where = KERNELS[kind]
    made = Module("m", precisions=("f16",))
    made.add("k", make(omega), **where)
    return made


def is_taken(kind: str, name: str) -> bool:
    """Whether a kernel has an argument of the name."""
    made = module(kind, sympy.Symbol(name))
    try:
        return all(made.typed(kernel, "f16") is not None for kernel in made.kernels)
    except KernelError:
        return False


@pytest.mark.compiles
@pytest.mark.parametrize("kind", KERNELS)
def test_names_of_the_files(kind: str, tmp_path: Path) -> None:
    texts = files(module(kind, sympy.Symbol("given")), TARGETS)
    said = [
        re.sub("//.*", "", text) for path, text in texts.items() if path.endswith((".cpp", ".cu", ".cuh"))
    ]
    words = {word for text in said for word in re.findall(r"[A-Za-z_]\w*", text)} - {"given"}
    assert SAID[kind] | {"precondition"} <= words
    names = [name for name in sorted({*words, *OF_HEADERS}) if is_taken(kind, name)]
    assert len(names) > 80
    symbols = [sympy.Symbol(name) for name in names]
    rows = [sympy.Add(*symbols[n : n + 20]) for n in range(0, len(symbols), 20)]
    mean = sympy.Add(*(sympy.Mul(sympy.Rational(1, len(names)), row, evaluate=False) for row in rows))
    library = Library(tmp_path, [(module(kind, mean), TARGETS)])
    declared = (tmp_path / "m" / "m.h").read_text()
    assert all(re.search(rf"float {name}\b", declared) for name in names)
    for target in TARGETS:
        library.check(target, "g++")


def test_names_like_those_of_headers_stay() -> None:
    for name in ("intake_t", "int_top_t", "INTENSITY", "INTERVAL", "M_0", "M_PIPE", "uint_t"):
        assert is_taken("dense", name), name
