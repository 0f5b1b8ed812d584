# SPDX-License-Identifier: Apache-2.0
"""The record that the fallback front end makes of each construct, node by node."""

from __future__ import annotations

import runpy
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which

import pytest
from heddle.errors import KernelError, Place
from heddle.ir.nodes import BOOL, F32, F64, I8, I32, I64, U8, U32, Cast, Const, Op, Pointer, Scalar, Select
from heddle.ir.nodes import Symbol as Name
from heddle.ir.source import (
    AddressOf,
    Array,
    Assignment,
    Block,
    Branch,
    Declaration,
    Evaluate,
    Exit,
    For,
    Initializer,
    Invoke,
    Member,
    PointerTo,
    Record,
    Subscript,
    Unit,
    Unknown,
    UnknownStatement,
    Void,
)
from heddle.lift import clang_json
from heddle.lift.clang_json.types import Names
from heddle.lift.front_end import COMPILERS, compiler, read
from programs import KERNEL_FLAGS, ROOT

SHARED = ROOT / "tests" / "lift"

Read = Callable[..., Unit]
AT = Place("input.cpp", 1)
A, B, N, I = Name("a", Pointer(F64)), Name("b", F32), Name("n", I64), Name("i", I32)  # noqa: E741


@pytest.fixture
def unit(tmp_path: Path) -> Read:
    def make(
        text: str, name: str = "input.cpp", flags: Sequence[str] = (), function: str | None = None
    ) -> Unit:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read(path, flags, function, front_end="clang-json")

    return make


def _integer(value: int, kind: Scalar = I32) -> Const:
    return Const(value, kind)


def _declared(name: str, kind: object, value: object, constant: bool = False) -> Declaration:
    return Declaration(Name(name, kind), value, constant, place=AT)  # type: ignore[arg-type]


STATEMENTS: dict[str, tuple[str, tuple[object, ...]]] = {
    "conversions are kept": (
        "a[i] = b * 2.0 + i;",
        (
            Assignment(
                Subscript(A, I, F64),
                Op("add", (Op("mul", (Cast(B, F64), Const(2.0, F64)), F64), Cast(I, F64)), F64),
                place=AT,
            ),
        ),
    ),
    "an update computes in the wider type": (
        "b += a[n];",
        (
            Assignment(
                Name("b", F32),
                Cast(Op("add", (Cast(B, F64), Subscript(A, N, F64)), F64), F32),
                True,
                AT,
            ),
        ),
    ),
    "increments of narrow integers": (
        "char c; ++c;",
        (
            _declared("c", I8, None),
            Assignment(
                Name("c", I8), Cast(Op("add", (Cast(Name("c", I8), I32), _integer(1)), I32), I8), True, AT
            ),
        ),
    ),
    "pointers": (
        "double* const p = &a[i] + n; *p = 1;",
        (
            _declared(
                "p",
                Pointer(F64),
                Op("add", (AddressOf(Subscript(A, I, F64), Pointer(F64)), N), Pointer(F64)),  # type: ignore[arg-type]
                True,
            ),
            Assignment(
                Subscript(Name("p", Pointer(F64)), _integer(0, I64), F64), Cast(_integer(1), F64), place=AT
            ),
        ),
    ),
    "guards": (
        "if (i < 2 && !(n == 0)) return; else if (b) { i = 1; }",
        (
            Branch(
                Op(
                    "and",
                    (
                        Op("lt", (I, _integer(2)), BOOL),
                        Op("not", (Op("eq", (N, Cast(_integer(0), I64)), BOOL),), BOOL),
                    ),
                    BOOL,
                ),
                (Exit("return", place=AT),),
                (Branch(Cast(B, BOOL), (Assignment(I, _integer(1), place=AT),), (), AT),),
                AT,
            ),
        ),
    ),
    "a conditional expression": (
        "b = i > 0 ? b : 2.5f;",
        (Assignment(B, Select(Op("gt", (I, _integer(0)), BOOL), B, Const(2.5, F32)), place=AT),),
    ),
    "a loop with two counters": (
        "for (int k = 0, l = 9; k < l; ++k, l -= 2) { }",
        (
            For(
                (_declared("k", I32, _integer(0)), _declared("l", I32, _integer(9))),
                Op("lt", (Name("k", I32), Name("l", I32)), BOOL),
                (
                    Assignment(
                        Name("k", I32), Op("add", (Name("k", I32), _integer(1)), I32), True, place=AT
                    ),
                    Assignment(
                        Name("l", I32), Op("sub", (Name("l", I32), _integer(2)), I32), True, place=AT
                    ),
                ),
                (),
                place=AT,
            ),
        ),
    ),
    "arrays and their initial values": (
        "const float w[2][3] = {{1, 2}, {}}; alignas(32) double t[4] = {};",
        (
            _declared(
                "w",
                Array(Array(F32, 3), 2),
                Initializer(
                    (
                        Initializer((Cast(_integer(1), F32), Cast(_integer(2), F32)), Array(F32, 3)),
                        Initializer((), Array(F32, 3)),
                    ),
                    Array(Array(F32, 3), 2),
                ),
                True,
            ),
            Declaration(Name("t", Array(F64, 4)), Initializer((), Array(F64, 4)), False, "", False, 32, AT),  # type: ignore[arg-type]
        ),
    ),
    "what is not known": (
        "while (i) ; i = (i, 2); i >>= 1; goto end; end: ;",
        (
            UnknownStatement("a while loop", AT),
            Assignment(I, Unknown("the operator , inside an expression", AT), place=AT),
            Assignment(I, Op("shr", (I, Const(1, I32)), I32), True, AT),
            UnknownStatement("a goto", AT),
            UnknownStatement("a label", AT),
        ),
    ),
    "blocks, aliases of types and statements without effect": (
        "{ using real = float; real x = b; } ; (void)i; g();",
        (
            Block((_declared("x", F32, B),)),
            Evaluate(I, AT),
            Evaluate(Invoke("g", (), (), Void()), AT),
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(unit: Read, name: str) -> None:
    text, expected = STATEMENTS[name]
    (function,) = unit(f"void g(); void f(double* a, float b, long n, int i) {{ {text} }}").functions
    assert function.body == expected


def _constructs() -> dict[str, tuple[str, list[str]]]:
    """What heddle-lift is tested with: text, and the statements of its `f`."""
    cases: dict[str, tuple[str, list[str]]] = runpy.run_path(str(SHARED / "constructs.py"))["CASES"]
    return cases


@pytest.mark.parametrize("name", _constructs())
def test_constructs_of_heddle_lift(unit: Read, name: str) -> None:
    text, expected = _constructs()[name]
    (function,) = (each for each in unit(text, flags=KERNEL_FLAGS).functions if each.name == "f")
    assert runpy.run_path(str(SHARED / "record_text.py"))["body_text"](function) == expected


def test_signature(unit: Read) -> None:
    text = "void f(const double* __restrict__ const a, double& b, int* const* c, unsigned char) {}"
    (function,) = unit(text).functions
    assert function.key == "f(f64 const*, f64&, i32* const*, u8)"
    assert [(p.symbol.type, p.restrict, p.reference) for p in function.parameters] == [
        (Pointer(F64, True), True, False),
        (F64, False, True),
        (PointerTo(Pointer(I32), True), False, False),
        (U8, False, False),
    ]


def test_classes(unit: Read) -> None:
    text = """template <class T> struct Row {
  Row(T* first, long stride) : first_(first), stride_(stride) {}
  T& operator[](long i) const { return first_[i * stride_]; }
  T* first_; long stride_;
};
double f(double* a) { return Row<double>(a, 2)[1]; }"""
    constructor, method, function = unit(text).functions
    row, element = Record("Row<double>"), Pointer(F64)
    this = Name("this", row)  # type: ignore[arg-type]
    assert (constructor.kind, constructor.key, constructor.result) == (
        "constructor",
        "Row<double>(f64*, i64)",
        row,
    )
    assert constructor.initialisers == (("first_", Name("first", element)), ("stride_", Name("stride", I64)))
    assert (method.kind, method.key) == ("method", "Row<double>::operator[](i64) const")
    assert method.parameters[0].symbol is this
    index = Op("mul", (Name("i", I64), Member(this, "stride_", I64)), I64)
    assert method.body == (
        Exit("return", Subscript(Member(this, "first_", element), index, F64), Place("input.cpp", 3)),
    )
    made = Invoke("Row<double>(f64*, i64)", (), (A, Cast(_integer(2), I64)), row)
    call = Invoke("Row<double>::operator[](i64) const", (), (made, Cast(_integer(1), I64)), F64, True)
    assert function.body == (Exit("return", call, Place("input.cpp", 6)),)


def test_templates(unit: Read) -> None:
    text = """template <bool u, int n, class T> T g(T* a) { if constexpr (u) return a[n]; else return a[0]; }
float f(float* a) { return g<true, 3>(a) + g<false, 4>(a); }"""
    no, yes, function = unit(text).functions
    assert (no.key, no.template) == ("g<0, 4, float>(f32*)", (0, 4, "float"))
    assert (yes.key, yes.template) == ("g<1, 3, float>(f32*)", (1, 3, "float"))
    a = Name("a", Pointer(F32))
    assert yes.body == (Block((Exit("return", Subscript(a, _integer(3), F32), AT),)),)
    assert function.name == "f"


def test_constants_and_enumerators(unit: Read) -> None:
    text = """namespace n { constexpr double w = 1.0 / 3; enum E { low = -1, high }; int variable; }
double f() { return n::w + n::high + n::variable; }"""
    record = unit(text)
    assert [constant.symbol.name for constant in record.constants] == ["n::high", "n::w"]
    assert record.constants[0].value is _integer(0)
    assert record.constants[1].value is Op("div", (Const(1.0, F64), Cast(_integer(3), F64)), F64)


def test_pragmas_come_from_the_text(unit: Read) -> None:
    text = """void f(int n, double* a) {
#pragma omp parallel for \\
    reduction(+ : s)   // tail
#pragma unroll

  // between
  for (int i = 0; i < n; ++i) a[i] = 1;
  n = 2;
  for (int i = 0; i < n; ++i) a[i] = 1;
}"""
    (function,) = unit(text, flags=["-fopenmp"]).functions
    loops = [statement for statement in function.body if isinstance(statement, For)]
    assert [loop.pragma for loop in loops] == ["omp parallel for reduction(+ : s)", ""]


def test_macros_have_the_place_of_their_use(unit: Read) -> None:
    (function,) = unit("#define NOT(a) ~(a)\nint f(int a) {\n  return 1 +\n    NOT(a);\n}").functions
    (leave,) = function.body
    assert isinstance(leave, Exit)
    assert isinstance(leave.value, Op)
    assert leave.value.args[1] is Unknown("the operator ~ on i32", Place("input.cpp", 4))


def test_cuda_kernels(unit: Read) -> None:
    text = """template <int n> __global__ void __launch_bounds__(n, 2) k(float* a) {
  __shared__ float t[n];
  t[threadIdx.x] = a[0];
}
void f(float* a) { k<64><<<1, 64>>>(a); }"""
    kernel, function = unit(text, "input.cu").functions
    assert (kernel.kind, kernel.launch_bounds, kernel.key) == ("kernel", (64, 2), "k<64>(f32*)")
    assert isinstance(kernel.body[0], Declaration)
    assert kernel.body[0].space == "shared"
    assert isinstance(kernel.body[1], Assignment)
    thread = Member(Name("threadIdx", Record("uint3")), "x", U32)  # type: ignore[arg-type]
    assert kernel.body[1].target is Subscript(Name("t", Array(F32, 64)), thread, F32)  # type: ignore[arg-type]
    assert function.body == (
        Evaluate(Unknown("a kernel launch", Place("input.cu", 5)), Place("input.cu", 5)),
    )


def test_one_function_and_what_it_calls(unit: Read) -> None:
    text = "static int h(int a) { return a; } namespace m { int f() { return h(1); } } int g() { return 2; }"
    names = [function.key for function in unit(text, function="f").functions]
    assert names == ["m::f()", "h(i32)"]


def test_headers_of_the_user_are_followed_those_of_the_system_not(unit: Read, tmp_path: Path) -> None:
    (tmp_path / "mine.hpp").write_text("inline double twice(double a) { return 2 * a; }")
    text = '#include <cmath>\n#include "mine.hpp"\ndouble f(float a) { return twice(std::sqrt(a)); }'
    function, helper = unit(text).functions
    assert (helper.key, helper.main, helper.place) == ("twice(f64)", False, Place("mine.hpp", 1))
    (leave,) = function.body
    call = Invoke("std::sqrt", (), (Name("a", F32),), F32)
    assert leave is Exit("return", Invoke("twice(f64)", (), (Cast(call, F64),), F64), Place("input.cpp", 3))


@pytest.mark.parametrize("name", [name for name in COMPILERS if which(name)])
def test_every_clang_gives_the_same_record(name: str, tmp_path: Path) -> None:
    path = tmp_path / "input.cpp"
    path.write_text(
        "struct P { double x; int y = 3; }; template <class T, bool b = true> struct V { T* d; };"
        "int g(const P& p = P{2}, int k = 4);"
        "double f(V<double>* v, P p) { P q = p; return v->d[g()] + q.x; }"
    )
    assert clang_json.read(str(path), compiler=name) is clang_json.read(str(path), compiler=compiler())


def test_deep_expressions_are_unknown_not_fatal(unit: Read) -> None:
    (function,) = unit(f"double f(double a) {{ return {' + '.join(['a'] * 500)}; }}").functions
    (leave,) = function.body
    assert isinstance(leave, Exit)
    value = leave.value
    while isinstance(value, Op):
        value = value.args[0]
    assert value is Unknown("an expression nested too deeply", AT)


def test_endlessly_deep_expressions_are_refused(unit: Read) -> None:
    with pytest.raises(KernelError, match="nested too deeply"):
        unit(f"double f(double a) {{ return {' + '.join(['a'] * 3000)}; }}")


SPELLINGS = {
    "const double *const __restrict": ("f64 const*", "const double *const __restrict"),
    "double (*)[3][2]": ("f64[2][3]*", "double (*)[3][2]"),
    "unsigned long long": ("u64", "unsigned long long"),
    "void (*(*)(int))(const real &)": ("void (*(int))(const float &)*", "void (*(*)(int))(const float &)"),
    "const Row<real> *": ("m::Row<float, 2>*", "const m::Row<float, 2> *"),
    "struct m::Row<float, width> &": ("m::Row<float, 2>", "m::Row<float, 2> &"),
    "volatile int *": ("volatile int*", "volatile int *"),
    "(lambda at /tmp/a.cpp:1:2)": ("a lambda", "(lambda)"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_types(spelling: str) -> None:
    names = Names()
    names.record("m::Row<float, 2>")
    names.alias("m::real", "float", ("m",))
    names.constants["m::width"] = 2
    found = names.parse(spelling, ("m", "f"))
    assert (str(found.meaning), found.spelling) == SPELLINGS[spelling]


@pytest.mark.parametrize("cut", range(0, 1200, 97))
def test_truncated_files(unit: Read, cut: int) -> None:
    from random_source import PREAMBLE

    try:
        unit(PREAMBLE[:cut])
    except KernelError as error:
        assert isinstance(error.where, Place)  # noqa: PT017
        assert error.where.line > 0  # noqa: PT017


@pytest.mark.parametrize(
    "bytes_",
    [
        b"\0",
        b"\xff\xfe\x00",
        b"int f\xc3\x28() { return 1; }",
        b"\xef\xbb\xbfint f() { return 1; }",
        b"int\r\nf() {\r}\r\n",
        "// ü\nint größe() { return 1; }".encode(),
        "// ü\n".encode("latin-1") + b"int f() { return 1; }",
    ],
)
def test_odd_encodings(tmp_path: Path, bytes_: bytes) -> None:
    path = tmp_path / "input.cpp"
    path.write_bytes(bytes_)
    try:
        assert isinstance(read(path, front_end="clang-json"), Unit)
    except KernelError as error:
        assert str(path) not in error.what  # noqa: PT017


def test_an_unknown_tree_is_an_error_of_its_own(tmp_path: Path) -> None:
    """A clang++ whose JSON has another form."""
    fake = tmp_path / "clang++"
    fake.write_text(
        '#!/bin/sh\necho \'{\n  "inner": [\n    {\n      "kind": "FunctionDecl", "type": 3\n    }\n  ]\n}\'\n'
    )
    fake.chmod(0o755)
    assert subprocess.run([fake], capture_output=True).returncode == 0
    path = tmp_path / "input.cpp"
    path.write_text("")
    with pytest.raises(KernelError, match="has a form that is not known"):
        clang_json.read(str(path), compiler=str(fake))
