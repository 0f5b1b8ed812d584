# SPDX-License-Identifier: Apache-2.0
"""Arguments come in declared order: not by alphabet, and not as the equations first use them.

All names are chosen so that the three orders differ: declared m, s, a and q, w, c; by alphabet a, m, s and
c, q, w; the equations use a, s, m and w, c, q.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import sympy
from heddle import Assignment, Cells, Module, Reduce, Schedule, Sparse, fields, lbm, parameters
from heddle.build import files, load
from heddle.emit.signature import arguments

ROOT = Path(__file__).resolve().parents[3]
FIELDS, SCALARS = ["m", "s", "a"], ["q", "w", "c"]
D2Q9 = lbm.Lattice("D2Q9")


def stencil() -> Module:
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    module = Module("order")
    module.add("k", [Assignment(s.here, w * a[1, 0]), Assignment(m.here, c * a.here + q)])
    return module


def mixed_types() -> Module:
    """Declared in several calls and types, and in another order before: the last declaration counts."""
    parameters("c, w, q")
    fields("a, m, s: real[2D]")
    m = fields("m: real[2D]")
    s, a = fields("s: uint8[2D]; a: real[2D]")
    q, w, c = parameters("q; w: int32; c")
    module = Module("order")
    module.add("k", [Assignment(a.here, s.here * w + c), Assignment(m.here, q)])
    return module


def another_model() -> Module:
    s, m, a = fields("s, m, a: real[2D]")
    module = Module("another")
    module.add("k", [Assignment(a.here, s.here + m.here * parameters("c") + parameters("w, q")[0])])
    return module


def two_models() -> Module:
    """Another model declares the same in another order, in between."""
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    module = Module("order")
    another_model()
    module.add("k", [Assignment(a.here, s.here * w + c), Assignment(m.here, q)])
    return module


def relaxation() -> Module:
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    module = Module("order")
    change = w * (a.here - s.here) + c * (s[1, 0] + s[-1, 0]) + q * m.here
    module.add("k", [Assignment(s.here, s.here + change)], schedule=Schedule(colours=2))
    return module


def reduction() -> Module:
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    module = Module("order")
    module.add("k", [Reduce("max", "most", w * s.here), Reduce("sum", "all", c * a.here + q * m.here)])
    return module


def collision(stream: object, module: Module, space: object = None) -> Module:
    """A step whose rate and force are the parameters, with the fields in the force."""
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    force = (c * a.here + m.here, q * s.here)
    module.add("k", stream(lbm.BGK(D2Q9, omega=w, force=force)), space=space)  # type: ignore[operator, arg-type]
    return module


def dense_lbm() -> Module:
    return collision(lbm.Pull(D2Q9), Module("order"))


def list_lbm() -> Module:
    return collision(lbm.Pull(D2Q9), Module("order"), Sparse("fluid"))


def face() -> Module:
    stream = lbm.Pull(D2Q9)
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    speed = (w * s.here + c * a.here, q * m.here)
    module = Module("order")
    module.add("k", stream.boundary(lbm.VelocityBounceBack(speed), face="w"))
    return module


def some_cells() -> Module:
    m, s, a = fields("m, s, a: real[2D]")
    q, w, c = parameters("q, w, c")
    module = Module("order")
    module.add("k", [Assignment(s.here, w * a.here), Assignment(m.here, c * a.here + q)], space=Cells("some"))
    return module


KINDS: dict[str, tuple[Callable[[], Module], list[str], list[str]]] = {
    "stencil": (stencil, [], []),
    "mixed types": (mixed_types, [], []),
    "two models": (two_models, [], []),
    "relaxation": (relaxation, [], []),
    "reduction": (reduction, [], []),
    "dense lbm": (dense_lbm, ["f", "f_next"], []),  # populations come first: where from, where to
    "list lbm": (list_lbm, ["f", "f_next"], []),
    "face": (face, [], ["f"]),  # the family's own, behind what the model declares
    "some cells": (some_cells, [], []),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_take_what_is_declared_in_this_order(kind: str) -> None:
    make, before, behind = KINDS[kind]
    made = arguments(make().typed("k", "f64"))
    assert [a.name for a in made if a.role == "array"] == [*before, *FIELDS, *behind]
    assert [a.name for a in made if a.role == "scalar"] == SCALARS


def declared_names(text: str, function: str) -> list[str]:
    """The arguments of the function's first declaration that are arrays or scalars of these tests."""
    found = re.search(rf"\b{function}\(([^)]*)\)", text)
    assert found is not None, function
    names = [part.split()[-1].lstrip("*&") for part in found[1].split(",")]
    return [name for name in names if name in (*FIELDS, *SCALARS)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_emitted_interface_has_the_order(kind: str) -> None:
    """C, CPU, CUDA, the C++ wrappers, and the sweep with its parameters."""
    module = KINDS[kind][0]()
    texts = files(module, ["cpu", "cuda"])
    everything = [*FIELDS, *SCALARS]
    assert declared_names(texts["order/order.h"], "order_k_f64") == everything
    assert declared_names(texts["order/order.h"], "order_k_f64_cuda") == everything
    assert declared_names(texts["order/k.cpp"], "order_k_f64") == everything
    assert declared_names(texts["order/k.cu"], "order_k_f64_cuda") == everything
    assert declared_names(texts["order/order.hpp"], "k") == everything
    sweeps = texts["order/order_sweeps.hpp"]
    members = re.search(r"struct KParameters \{(.*?)auto values", sweeps, re.S)
    assert members is not None
    assert re.findall(r"(\w+) = heddle::required;", members[1]) == SCALARS
    if kind != "face":  # no class runs over a layer with profiles or fields beside it
        assert declared_names(sweeps, "K") == FIELDS


def test_equations_in_another_order_leave_the_interface_as_it_is() -> None:
    def header(turned: bool) -> str:
        u, v, w = fields("u, v, w: real[2D]")
        al, be = parameters("al, be")
        module = Module("order")
        statements = [Assignment(v.here, al * u.here), Assignment(w.here, be * u.here)]
        module.add("k", statements[::-1] if turned else statements)
        (text,) = [text for name, text in files(module, ["cpu"]).items() if name.endswith(".h")]
        return re.sub(r"// (Digest|One update).*", "", text)

    assert header(turned=True) == header(turned=False)


def test_scalars_without_a_declaration_follow_by_alphabet() -> None:
    (u,) = (fields("u: real[1D]"),)
    last, first = sympy.symbols("last_one another")
    w = parameters("w")
    module = Module("order")
    module.add("k", [Assignment(u.here, last * u.here + w * first)])
    made = arguments(module.typed("k", "f64"))
    assert [a.name for a in made if a.role == "scalar"] == ["w", "another", "last_one"]


def test_another_model_of_the_process_changes_nothing(tmp_path: Path) -> None:
    """The family makes rho and u itself; what an other model declared under these names is forgotten."""

    def order(declared: str) -> list[str]:
        other, model = tmp_path / "other.py", tmp_path / "model.py"
        other.write_text(
            f'from heddle import Assignment, Module, fields\na, b = fields("{declared}: real[2D]")\n'
            'm = Module("m")\nm.add("k", [Assignment(a.here, b.here)])\n'
        )
        model.write_text(
            'from heddle import Assignment, Module, lbm\nm = Module("m")\n'
            'm.add("k", lbm.Pull(lbm.Lattice("D2Q9")).initialise(rho="rho", u="u"))\n'
        )
        load(other)
        return [a.name for a in arguments(load(model).typed("k", "f64")) if a.role == "array"]

    assert order("u, rho") == order("rho, f") == order("x, y")


def test_a_lifted_model_keeps_the_order_of_the_source() -> None:
    """And so the kernel made of it has the arrays of the C function in their order."""
    source = (ROOT / "examples" / "lift_loop" / "legacy.cpp").read_text()
    module = load(ROOT / "examples" / "lift_loop" / "model.py")
    for name in module.kernels:
        found = re.search(rf"void {name}\(([^)]*)\)", source)
        assert found is not None
        given = [part.split()[-1].lstrip("*") for part in found[1].split(",")]
        made = [a.name.removeprefix("field_") for a in arguments(module.typed(name, "f64"))]
        kept = [argument for argument in made if argument in given]
        assert kept == [argument for argument in given if argument in kept]
        assert len(kept) >= 4


def test_a_forgotten_parameter_does_not_compile(tmp_path: Path) -> None:
    """`{.q = 1, .c = 2}` without w: refused with a sentence, by both compilers."""
    for name, text in files(stencil(), ["cpu"]).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    source = tmp_path / "main.cpp"
    for given, whole in ((".q = 1, .c = 2", False), (".q = 1, .w = 3, .c = 2", True)):
        source.write_text(
            '#include "order_sweeps.hpp"\n'
            f"double sum() {{ order::KParameters p{{{given}}}; return p.q + p.w + p.c; }}\n"
        )
        for compiler in ("g++", "clang++"):
            includes = ["-I", str(ROOT / "runtime" / "include"), "-I", str(tmp_path / "order")]
            command = [compiler, "-std=c++20", "-w", "-c", str(source), *includes, "-o", "/dev/null"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode == 0) == whole, done.stderr
            if not whole:
                assert "a parameter of this sweep has no value: name all of them" in done.stderr
