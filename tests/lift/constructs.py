# SPDX-License-Identifier: Apache-2.0
"""Each construct of the language: a text that defines `f`, and the statements of `f` as the record has them,
in the form of `record_text`."""

from __future__ import annotations

CASES = {
    "literals": (
        """
            void f() { auto a = 1; auto b = 2u; auto c = 3L; auto d = 4ull; auto e = 0.1f;
            auto g = 0.1; auto h = 'a'; auto i = true; auto j = 18446744073709551615ull;
            auto k = 1e400; auto l = -0.0; }
        """,
        [
            "i32 a = 1:i32",
            "u32 b = 2:u32",
            "i64 c = 3:i64",
            "u64 d = 4:u64",
            "f32 e = 0.10000000149011612:f32",
            "f64 g = 0.1:f64",
            "i8 h = 97:i8",
            "bool i = True:bool",
            "u64 j = 18446744073709551615:u64",
            "f64 k = inf:f64",
            "f64 l = neg.f64(0.0:f64)",
        ],
    ),
    "conversions are kept": (
        """
            void f(float a, double b, int i, long n, unsigned short s, bool t) { double c = a * b;
            float d = b; long m = i + n; int j = s + s; int k = t; bool u = i; long long w = n;
            double v = static_cast<float>(b); float same = static_cast<float>(a); }
        """,
        [
            "f64 c = mul.f64(f64(a), b)",
            "f32 d = f32(b)",
            "i64 m = add.i64(i64(i), n)",
            "i32 j = add.i32(i32(s), i32(s))",
            "i32 k = i32(t)",
            "bool u = bool(i)",
            "i64 w = n",
            "f64 v = f64(f32(b))",
            "f32 same = a",
        ],
    ),
    "assignments that update": (
        """
            void f(float* a, double b, short s, char c, double* p, float x, int i) { a[0] += b;
            s *= 2; ++c; --i; p += i; ++p; x--; i <<= 1; a[0] = a[1]; }
        """,
        [
            "a[0:i32] updated= f32(add.f64(f64(a[0:i32]), b))",
            "s updated= i16(mul.i32(i32(s), 2:i32))",
            "c updated= i8(add.i32(i32(c), 1:i32))",
            "i updated= sub.i32(i, 1:i32)",
            "p updated= add.f64*(p, i)",
            "p updated= add.f64*(p, 1:i64)",
            "x updated= sub.f32(x, 1.0:f32)",
            "i updated= shl.i32(i, 1:i32)",
            "a[0:i32] = a[1:i32]",
        ],
    ),
    "for loops": (
        """
            void f(int n, double* a) { int i; for (i = 0; i < n; ++i) a[i] = 0; for (int j = 0, k = n;
            j < k; ++j, --k) { if (j) continue; break; } for (;;) { return; } }
        """,
        [
            "i32 i",
            "for lt.bool(i, n)",
            "  start i = 0:i32",
            "  step i updated= add.i32(i, 1:i32)",
            "  a[i] = f64(0:i32)",
            "for lt.bool(j, k)",
            "  start i32 j = 0:i32",
            "  start i32 k = n",
            "  step j updated= add.i32(j, 1:i32)",
            "  step k updated= sub.i32(k, 1:i32)",
            "  if bool(j)",
            "    continue",
            "  break",
            "for ",
            "  return",
        ],
    ),
    "pointers and references": (
        """
            void f(double* __restrict__ u, const double* v, long s, double (*w)[8], int i) {
            double* row = u + i * s; const double& left = v[i - 1]; *row = left; double* q = &u[2];
            row = q - 1; w[1][2] = *(v + 3); double a[4][5]; a[i][1] = 2[u]; double* b = i + u; }
        """,
        [
            "f64* row = add.f64*(u, mul.i64(i64(i), s))",
            "f64& left = v[sub.i32(i, 1:i32)]",
            "row[0:i64] = left",
            "f64* q = &u[2:i32]",
            "row = sub.f64*(q, 1:i32)",
            "w[1:i32][2:i32] = add.f64 const*(v, 3:i32)[0:i64]",
            "f64[5][4] a",
            "a[i][1:i32] = u[2:i32]",
            "f64* b = add.f64*(u, i)",
        ],
    ),
    "conditions": (
        """
            double f(double a, int i, bool t, double* p) { if (a > 0 && !t || i) { a = t ? a : 2; }
            else if (i == 3) return 1; else { } if (p != nullptr) return a; return -a; }
        """,
        [
            "if or.bool(and.bool(gt.bool(a, f64(0:i32)), not.bool(t)), bool(i))",
            "  a = select(t, a, f64(2:i32))",
            "else",
            "  if eq.bool(i, 3:i32)",
            "    return f64(1:i32)",
            "if ne.bool(p, nullptr)",
            "  return a",
            "return neg.f64(a)",
        ],
    ),
    "blocks and what is no code": (
        """
            void f(int i) { using T = double; static_assert(sizeof(T) == 8); ; { T x = 1; { i = 2; } }
            [[maybe_unused]] int y; (void)i; struct S { int a; }; i = 1, i = 2; if (i) [[likely]] {
            i = 3; } }
        """,
        [
            "block",
            "  f64 x = f64(1:i32)",
            "  block",
            "    i = 2:i32",
            "i32 y",
            "i",
            "i = 1:i32",
            "i = 2:i32",
            "if bool(i)",
            "  i = 3:i32",
        ],
    ),
    "initial values": (
        """
            struct P { int a; double b = 2; const char* c; }; void f(float x) { double a[3] = {x, 1};
            int b[2][2] = {1, 2, 3}; P p{4}; P q; P r = {}; alignas(64) float local[8] = {};
            double s{3.0}, t{}; const int c = int(); P v = p; static const int w[] = {1, 2}; }
        """,
        [
            "f64[3] a = {f64(x), f64(1:i32)}",
            "i32[2][2] b = {{1:i32, 2:i32}, {3:i32}}",
            "P p = {4:i32, f64(2:i32), nullptr}",
            "P q = <P>()",
            "P r = {0:i32, f64(2:i32), nullptr}",
            "align64 f32[8] local = {}",
            "f64 s = 3.0:f64",
            "f64 t = 0.0:f64",
            "const i32 c = 0:i32",
            "P v = p",
            "const i32[2] w = {1:i32, 2:i32}",
        ],
    ),
    "sizes": (
        """
            struct S { int a; }; void f() { auto a = sizeof(double); int b[3]; auto c = sizeof b;
            auto d = sizeof(S); }
        """,
        [
            "u64 a = 8:u64",
            "i32[3] b",
            "u64 c = 12:u64",
            "u64 d = ?the size of a class",
        ],
    ),
    "what is not translated": (
        """
            void g(int); extern volatile double* device; struct V { virtual int m(); }; struct D {
            ~D(); int i : 3; };
            void f(int i, double* p, double* q, void (*h)(), V& v, D& d, long double l) {
            while (i) ++i; do --i; while (i); switch (i) { default: ; } int few[2];
            for (int x : few) i = x; goto end; end: i = 1; try { throw 1; } catch (...) { }
            asm("nop"); i = i++; i = i >> 1; i = ~i; bool b = p < q; long n = p - q;
            auto s = [](int x) { return x; }; s(1); p = new double; delete p; h(); v.m(); D e;
            d.i = 2; l = l + 1; int* r = (int*)p; static int count; if (int z = i) i = z; int two[2];
            auto [m, o] = two; bool t = !p; int big = i = 3; const char* text = "text"; if (int k = 0;
            k < i) i = 2; volatile double once; *device = 1; }
        """,
        [
            "?a while loop",
            "?a do loop",
            "?a switch",
            "i32[2] few",
            "?a range-based for loop",
            "?a goto",
            "?a label",
            "?a try block",
            "?assembly",
            "i = ?the operator ++ inside an expression",
            "i = shr.i32(i, 1:i32)",
            "i = ?the operator ~ on i32",
            "bool b = ?the operator < on f64*",
            "i64 n = ?the operator - on f64*",
            "a lambda s = ?a lambda",
            "?a call of a lambda",
            "p = ?a new",
            "?a delete",
            "?a call through a pointer",
            "?a virtual call",
            "?a variable with a destructor",
            "?a bit-field = 2:i32",
            "l = ?the operator + on long double",
            "i32* r = ?the conversion BitCast",
            "?a static variable",
            "?a declaration in a condition",
            "i32[2] two",
            "?a structured binding",
            "bool t = not.bool(?the conversion PointerToBoolean)",
            "i32 big = ?the operator = inside an expression",
            "i8 const* text = ?a string",
            "?an if with an initialiser",
            "volatile double once",
            "device[0:i64] = f64(1:i32)",
        ],
    ),
    "calls": (
        """
            #include <cmath>
            #include <algorithm>
            int g(int, double = 0.5); template <int n, class T> T h(T x) { return x * n; }
            namespace m { inline float k(float& x) { return x; } }
            void f(float x, double y) { x = std::sqrt(x); y = std::fma(y, 2.0, y); y = std::abs(-y);
            y = sqrt(y); g(1); h<3>(y); m::k(x); y = std::max(y, 1.0); x = std::pow(x, 2); }
        """,
        [
            "x = <std::sqrt>(x)",
            "y = <fma>(y, 2.0:f64, y)",
            "y = <std::abs>(neg.f64(y))",
            "y = <sqrt>(y)",
            "<g>(1:i32, 0.5:f64)",
            "<h<3, double>(f64)>(y)",
            "<m::k(f32&)>(x)",
            "y = <std::max>(y, 1.0:f64)",
            "x = f32(<std::pow>(x, 2:i32))",
        ],
    ),
}
