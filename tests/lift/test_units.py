# SPDX-License-Identifier: Apache-2.0
"""Which functions and constants a record has, what they are called, and where they stand."""

from __future__ import annotations

from pathlib import Path

from conftest import KERNEL_FLAGS, Lift
from heddle.errors import Place
from heddle.ir import nodes as ir
from heddle.ir import source
from heddle.ir.hash_consing import Node
from record_text import body_text, expression_text, signature_text, statement_text


def _signatures(unit: source.Unit) -> list[str]:
    return [signature_text(function) for function in unit.functions]


def test_functions_stand_in_the_order_of_the_text_instantiations_by_key(lift: Lift) -> None:
    unit = lift(
        "template <bool b, class T> void t(T* p) { if constexpr (b) { *p = 1; } }\n"
        "namespace { void second(const float& a, double* __restrict__ const b, bool c[3]) {} }\n"
        "namespace n { inline namespace v1 { int third(long, unsigned char); } }\n"
        "int n::third(long a, unsigned char b) {\n"
        "  double x; t<true>(&x); t<false, float>(nullptr); return 1; }\n"
        "template <class T> void never(T a) {}\n"
    )
    assert _signatures(unit) == [
        "function t<0, float>(f32*) = void t(f32* p)",
        "function t<1, double>(f64*) = void t(f64* p)",
        "function second(f32 const&, f64*, bool*) = void second(f32& a, f64* restrict b, bool* c)",
        "function n::third(i64, u8) = i32 n::third(i64 a, u8 b)",
    ]
    assert [function.template for function in unit.functions] == [(0, "float"), (1, "double"), (), ()]
    # The branch that `if constexpr` does not take is not there.
    assert body_text(unit.functions[0]) == []
    assert body_text(unit.functions[1]) == ["block", "  p[0:i64] = f64(1:i32)"]


def test_called_functions_follow_by_key(lift: Lift, tmp_path: Path) -> None:
    (tmp_path / "other.hpp").write_text(
        "#pragma once\ninline int deep(int a) { return a; }\n"
        "namespace o { inline int b(int a) { return deep(a); } inline int unused() { return 0; } }\n"
        "inline double a(double x) { return x; }\n"
    )
    unit = lift('#include "other.hpp"\nint f() { return o::b(1) + static_cast<int>(a(2)); }\nint g();\n')
    assert [(function.key, function.main) for function in unit.functions] == [
        ("f()", True),
        ("a(f64)", False),
        ("deep(i32)", False),
        ("o::b(i32)", False),
    ]
    assert unit.functions[2].place == Place("other.hpp", 2)


def test_classes(lift: Lift) -> None:
    unit = lift(
        "template <typename T> class Row { public:\n"
        "  Row(T* first, long stride) : first_(first), stride_(stride) {}\n"
        "  T& operator[](long i) const { return first_[i * stride_]; } void move() { ++this->first_; }\n"
        "  static int count() { return 3; } Row* self() { return this; } Row copy() const { return *this; }\n"
        "  private: T* first_; long stride_; };\n"
        "void f(double* p) { Row<double> r(p, 2); r[1] = r[0]; r.move(); Row<double>* q = &r; q->move();\n"
        "  (*q)[3] += Row<double>::count(); q->self(); auto s = q->copy(); }\n"
    )
    functions = {function.key: function for function in unit.functions}
    assert list(functions) == [
        "Row<double>(f64*, i64)",
        "Row<double>::operator[](i64) const",
        "Row<double>::move()",
        "Row<double>::count()",
        "Row<double>::self()",
        "Row<double>::copy() const",
        "f(f64*)",
    ]
    assert signature_text(functions["Row<double>(f64*, i64)"]) == (
        "constructor Row<double>(f64*, i64) = Row<double> Row<double>"
        "(Row<double>& this, f64* first, i64 stride) first_(first) stride_(stride)"
    )
    assert body_text(functions["Row<double>::operator[](i64) const"]) == [
        "return this.first_[mul.i64(i, this.stride_)]"
    ]
    assert body_text(functions["Row<double>::move()"]) == [
        "this.first_ updated= add.f64*(this.first_, 1:i64)"
    ]
    assert functions["Row<double>::count()"].kind == "function"
    assert body_text(functions["Row<double>::self()"]) == ["return &this"]
    assert body_text(functions["Row<double>::copy() const"]) == ["return this"]
    element = "<Row<double>::operator[](i64) const>"
    assert body_text(functions["f(f64*)"]) == [
        "Row<double> r = <Row<double>(f64*, i64)>(p, i64(2:i32))",
        f"{element}(r, i64(1:i32)) = {element}(r, i64(0:i32))",
        "<Row<double>::move()>(r)",
        "Row<double>* q = &r",
        "<Row<double>::move()>(q[0:i64])",
        f"{element}(q[0:i64], i64(3:i32)) updated= add.f64({element}(q[0:i64], i64(3:i32)), "
        "f64(<Row<double>::count()>()))",
        "<Row<double>::self()>(q[0:i64])",
        "Row<double> s = <Row<double>::copy() const>(q[0:i64])",
    ]


def test_a_friend_is_defined_where_it_stands(lift: Lift) -> None:
    unit = lift(
        "typedef struct { int a; } P;\nstruct S { friend int f(S, P p) { return p.a; } };\n"
        "int g() { return f(S(), P()); }\n"
        "template <typename T> struct Ring { template <typename U> friend struct Ring; T a; };\n"
        "int h(Ring<int> r, Ring<long> s) { return r.a; }\n"
    )
    assert _signatures(unit) == [
        "function f(S, P) = i32 f(S , P p)",
        "function g() = i32 g()",
        "function h(Ring<int>, Ring<long>) = i32 h(Ring<int> r, Ring<long> s)",
    ]


def test_constants_that_are_read(lift: Lift) -> None:
    unit = lift(
        "namespace lattice { constexpr double w0 = 1.0 / 3.0; static const double w[] = {w0, 2};\n"
        "enum Flag : unsigned char { fluid, solid = 7 }; enum class Kind { a = -1 };\n"
        "constexpr int unread = 1; }\n"
        "extern double field[4][5]; extern const int n; struct S { static constexpr int Q = 19; };\n"
        "template <typename T> constexpr T pi = T(3); float g() { return pi<float> + pi<double>; }\n"
        "double f(int i) { using namespace lattice; if (i == solid && Kind::a == Kind::a) return w[i];\n"
        "  return field[n][S::Q]; }\n"
    )
    assert [line for constant in unit.constants for line in statement_text(constant)] == [
        "const i32 S::Q = 19:i32",
        "const i32 lattice::Kind::a = -1:i32",
        "const u8 lattice::solid = 7:u8",
        "const f64[2] lattice::w = {lattice::w0, f64(2:i32)}",
        "const f64 lattice::w0 = div.f64(1.0:f64, 3.0:f64)",
        "const f64 pi<double> = f64(3:i32)",
        "const f32 pi<float> = f32(3:i32)",
    ]
    assert unit.constants[2].place == Place("input.cpp", 2)
    assert body_text(unit.functions[1]) == [
        "if and.bool(eq.bool(i, i32(lattice::solid)), eq.bool(lattice::Kind::a, lattice::Kind::a))",
        "  return lattice::w[i]",
        "return field[n][S::Q]",
    ]


def test_cuda(lift: Lift) -> None:
    unit = lift(
        "#include <cmath>\n"
        "__device__ float scaled(float a) { return 2 * sqrtf(a); }\n"
        "__global__ void __launch_bounds__(128, 2) step(float* __restrict__ u, long n) {\n"
        "  __shared__ float tile[4][32];\n"
        "  const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return; tile[threadIdx.y][threadIdx.x] = scaled(u[i]); __syncthreads();\n"
        "  u[i] = fma(tile[0][threadIdx.x], 2.0F, std::fmax(u[i], __shfl_down_sync(0xffffffffu, u[i], 1)));\n"
        "  atomicAdd(&u[0], 1.0f); }\n"
        "void launch(float* u, long n) { step<<<dim3(1, 2), 128>>>(u, n); }\n",
        "input.cu",
        flags=KERNEL_FLAGS,
    )
    assert [(function.key, function.kind, function.launch_bounds) for function in unit.functions] == [
        ("scaled(f32)", "function", ()),
        ("step(f32*, i64)", "kernel", (128, 2)),
        ("launch(f32*, i64)", "function", ()),
    ]
    assert body_text(unit.functions[0]) == ["return mul.f32(f32(2:i32), <sqrtf>(a))"]
    assert body_text(unit.functions[1]) == [
        "shared f32[32][4] tile",
        "const i64 i = add.i64(mul.i64(i64(blockIdx.x), i64(blockDim.x)), i64(threadIdx.x))",
        "if ge.bool(i, n)",
        "  return",
        "tile[threadIdx.y][threadIdx.x] = <scaled(f32)>(u[i])",
        "<__syncthreads>()",
        "u[i] = <fma>(tile[0:i32][threadIdx.x], 2.0:f32, <fmax>(u[i], "
        "<__shfl_down_sync>(4294967295:u32, u[i], u32(1:i32), 32:i32)))",
        "<atomicAdd>(&u[0:i32], 1.0:f32)",
    ]
    assert body_text(unit.functions[2]) == ["?a kernel launch"]
    symbols = [
        node for node in _nodes(unit) if isinstance(node, ir.Symbol) and node.name.endswith(("Idx", "Dim"))
    ]
    assert {(symbol.name, str(symbol.type)) for symbol in symbols} == {
        ("blockIdx", "uint3"),
        ("blockDim", "dim3"),
        ("threadIdx", "uint3"),
    }


def _nodes(value: object) -> list[object]:
    """Every node in a record."""
    if isinstance(value, tuple):
        return [node for entry in value for node in _nodes(entry)]
    if isinstance(value, Node):
        return [value, *(node for part in vars(value).values() for node in _nodes(part))]
    return []


def test_pragmas_before_a_loop(lift: Lift) -> None:
    unit = lift(
        "#define EACH(i) for (int i = 0; i < 4; ++i)\n"
        "void f(double* a, double s) {\n"
        "#pragma omp parallel  for collapse(2) \\\n"
        "    reduction(+ : s)  // why\n"
        "\n"
        "  // a remark\n"
        "#pragma GCC ivdep\n"
        "  #  pragma omp simd\n"
        "  for (int i = 0; i < 4; ++i) {\n"
        "    for (int j = 0; j < 4; ++j) s += a[j];\n"
        "  }\n"
        "#pragma omp barrier\n"
        "  s = 0; for (int i = 0; i < 4; ++i) s = 1;\n"
        "#pragma omp for\n"
        "  s = 2;\n"
        "  for (int i = 0; i < 4; ++i) s = 1;\n"
        "  EACH(k) s = 1;\n"
        "}\n"
    )
    loops = [node for node in _nodes(unit) if isinstance(node, source.For)]
    assert [loop.pragma for loop in loops] == [
        "omp parallel for collapse(2) reduction(+ : s)\nomp simd",
        *("", "", "", ""),
    ]
    assert [loop.place.line for loop in loops] == [9, 10, 13, 16, 17]


def test_one_function_and_what_it_calls(lift: Lift) -> None:
    text = (
        "int a() { return 1; }\nnamespace n { int f() { return a(); } }\n"
        "int f(int i) { return i; }\nint g() { return f(1); }\n"
    )
    for name, keys in {
        "f": ["n::f()", "f(i32)", "a()"],
        "n::f": ["n::f()", "a()"],
        "f(i32)": ["f(i32)"],
        "g": ["g()", "f(i32)"],
        "absent": [],
    }.items():
        unit = lift(text, "input.cpp", "--function", name)
        assert [function.key for function in unit.functions] == keys, name


def test_functions_that_share_a_key_are_not_guessed(lift: Lift) -> None:
    unit = lift("int f(long a) { return 1; }\nint f(long long a) { return 2; }\nint g() { return f(1LL); }\n")
    assert [(function.key, body_text(function)) for function in unit.functions] == [
        ("f(i64)", ["?an overload that differs only in the name of a type"]),
        ("g()", ["return <f(i64)>(1:i64)"]),
    ]


def test_standard_stand_ins_and_the_library_agree(lift: Lift) -> None:
    text = (
        "#include <cmath>\n#include <cstdint>\n#include <cstddef>\n#include <algorithm>\n"
        "double f(float a, double b, int i, long n, std::size_t s, std::uint16_t h) {\n"
        "  auto c = std::sqrt(a); auto d = std::sqrt(i); auto e = std::pow(a, i); auto j = std::abs(n);\n"
        "  auto g = std::abs(a) + std::abs(i); auto k = std::fma(a, a, a); auto l = std::fma(a, b, i);\n"
        "  auto m = std::max(b, 1.0); auto o = std::isnan(a); auto p = std::floor(b);\n"
        "  auto q = std::atan2(a, b); auto r = std::hypot(a, a);\n"
        "  auto t = std::min<std::int64_t>(n, 3); std::ptrdiff_t u = 1; double v = HUGE_VAL; return M_PI; }\n"
    )
    ours, library = lift(text, flags=KERNEL_FLAGS), lift(text)

    def spelled(unit: source.Unit) -> list[str]:
        function = next(function for function in unit.functions if function.name == "f")
        return [
            f"{statement.symbol.type} = {expression_text(statement.value)}".replace("<sqrt>", "<std::sqrt>")
            for statement in function.body
            if isinstance(statement, source.Declaration) and statement.value is not None
        ]

    assert spelled(ours) == spelled(library)


def test_rows_of_variable_length_have_their_length(lift: Lift) -> None:
    """As a sum or product of local integers; of other lengths nothing is said."""
    unit = lift(
        "int more(void);\n"
        "void f(int n, short m, double a[n][m * 2 + n]) { double (*b)[more()] = (void*)a; }\n",
        "input.c",
    )
    (function,) = (each for each in unit.functions if each.name == "f")
    rows = function.parameters[2].symbol.type.element
    assert rows.length == 0
    assert expression_text(rows.size) == "add.i32(mul.i32(i32(m), 2:i32), n)"
    (declaration,) = function.body
    assert isinstance(declaration, source.Declaration)
    assert declaration.symbol.type == source.PointerTo(source.Array(ir.F64, 0))


def test_omp_has_a_header(lift: Lift) -> None:
    assert (
        len(lift("#include <omp.h>\nint f(void) { return omp_get_max_threads(); }\n", "input.c").functions)
        == 1
    )
