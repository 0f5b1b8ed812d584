# SPDX-License-Identifier: Apache-2.0
"""Small texts from the corners of C++ and CUDA. `corners.txt` has the record of each."""

from __future__ import annotations

# LLVM 14 knows _Float16 on such processors only.
FLAGS = {"half": ("--target=x86_64-linux-gnu", "-mavx512fp16")}
CORNERS = {
    "friend": (
        "struct A { friend int peek(const A& a) { return a.v; } int v; }; int f(A a) { return peek(a); }"
    ),
    "explicit instantiation": (
        "template <class T> T sq(T a) { return a * a; } template double sq<double>(double);"
        " template <> int sq<int>(int a) { return a; } float f(float x) { return sq(x) + sq(1);"
        " }"
    ),
    "class explicit instantiation": (
        "template <class T> struct V { T* p; T get(int i) const { return p[i]; } };"
        " template struct V<double>; float f(V<float> v) { return v.get(2); }"
    ),
    "out of class": (
        "namespace a { struct M { double at(int i) const; static int n(); double* d;"
        " M(double* p); }; } double a::M::at(int i) const { return d[i]; } int a::M::n() {"
        " return 3; } a::M::M(double* p) : d(p) {} double f(a::M& m) {"
        " return m.at(1) + a::M::n(); }"
    ),
    "out of class template": (
        "template <class T> struct M { T at(int i) const; T* d; };"
        " template <class T> T M<T>::at(int i) const { return d[i]; } double f(M<double>& m) {"
        " return m.at(1); }"
    ),
    "nested templates": (
        "template <class T, int n> struct A { template <class U> struct B { U u; T t; U get() {"
        " return u; } }; B<T*> b; }; double f(A<double, 3>& a) { return *a.b.get() + a.b.t; }"
    ),
    "inheritance": (
        "struct B { double x; double get() { return x; } }; struct D : B { int y; };"
        " double f(D d, D* p) { return d.x + d.get() + p->x + d.y; }"
    ),
    "using declaration": (
        "namespace n { typedef double real; struct P { real v; }; int g(int); } using n::real;"
        " using n::P; using n::g; real f(real* a, P p) { const real* b = a;"
        " return b[g(1)] + p.v; }"
    ),
    "namespace alias": (
        "namespace very { namespace deep { struct P { int v; }; } } namespace vd = very::deep;"
        " int f(vd::P* p, const vd::P& q) { vd::P* r = p; return r->v + q.v; }"
    ),
    "partial specialization": (
        "template <class T> struct S { static const int v = 1; };"
        " template <class T> struct S<T*> { static const int v = 2; };"
        " template <> struct S<int> { static const int v = 3; }; int f() {"
        " return S<int>::v + S<double*>::v + S<char>::v; }"
    ),
    "variadic": (
        "template <class... T> int count(T... t) { return sizeof...(T); }"
        " template <class... T> double sum(T... t) { return (t + ... + 0.0); } double f() {"
        " return count(1, 2.0) + sum(1, 2.0f, 'a'); }"
    ),
    "overloads": (
        "double g(double a) { return a; } float g(float a) { return a; } int g(int* a) {"
        " return *a; } int g(const int* a) { return a[1]; } double f(int* p, const int* q) {"
        " return g(1.0) + g(1.0f) + g(p) + g(q); }"
    ),
    "same key": (
        "long g(long a) { return a; } long long g(long long a) { return a + 1; }"
        " long f(long a) { return g(a) + g((long long)a); }"
    ),
    "union": (
        "union U { float f; unsigned u; }; unsigned f(float x) { U v; v.f = x; U w = {1.f}; return v.u; }"
    ),
    "anonymous union": (
        "struct S { union { float a; int b; }; struct { int c; }; int d; }; float f(S s) {"
        " return s.a + s.b + s.c + s.d; }"
    ),
    "typedef struct": (
        "typedef struct { double x, y; } P; typedef enum { one, two = 4 } E;"
        " double f(P* p, E e) { P q = *p; return q.x + e + two; }"
    ),
    "extern c": 'extern "C" { double ext(double); void f(double* a) { a[0] = ext(a[1]); } }',
    "array parameter": (
        "void f(double a[][3], const float b[5], int (&c)[4], double (*d)[7]) {"
        " a[1][2] = b[3] + c[0] + d[1][2]; }"
    ),
    "function pointer": (
        "double g(double); typedef double (*F)(double); double f(F h, double (*k)(double)) {"
        " F m = g; F l = &g; return h(1) + k(2) + (*h)(3) + m(4) + l(1); }"
    ),
    "unnamed parameters": "double f(double, int* = nullptr) { return 1; } double h() { return f(1); }",
    "default of reference": (
        "struct P { int v = 3; int w{4}; P* next = nullptr; }; int g(const P& p = P{}"
        ", int k = sizeof(int)) { return p.v + k; } int f() { return g(); }"
    ),
    "constructor defaults": (
        "struct P { int v = 3; double w = v * 2; P(int a) : v(a) {} P() {}"
        " P(double b, int c = 1) { v = c; } }; double f() { P p(1), q, r(2.0);"
        " return p.w + q.v + r.v; }"
    ),
    "delegating": (
        "struct B { int b; B(int x) : b(x) {} }; struct P : B { int v; P(int a) : B(a), v(a) {}"
        " P() : P(7) {} }; int f() { P p; return p.v; }"
    ),
    "static members": (
        "struct S { static int counter; static constexpr double c[2] = {1, 2};"
        " static const int k = 5; enum { e = 9 }; }; int S::counter = 0; double f(S s) {"
        " S::counter = s.k; return S::c[1] + s.e + S::e + s.counter; }"
    ),
    "constants of constants": (
        "namespace n { const int a = 2; const int b = a * 3; constexpr double c[] = {a, b};"
        " const double* const p = c; extern const int x; const int& r = a; int v = 3; }"
        " double f() { return n::b + n::c[0] + n::p[1] + n::x + n::r + n::v; }"
    ),
    "variable template": (
        "template <class T> constexpr T pi = T(3.14159265358979); double f(float x) {"
        " return pi<double> * pi<float> * x; }"
    ),
    "conversion": (
        "struct H { float v; operator float() const { return v; } H(float x) : v(x) {}"
        " explicit operator bool() const { return v; } }; double f(H h) { H g = 2.0f;"
        " if (h) return h + g; return static_cast<float>(h); }"
    ),
    "operators": (
        "struct V { double x; V operator+(const V& o) const { return V{x + o.x}; }"
        " V& operator+=(double s) { x += s; return *this; } };"
        " V operator*(double s, const V& v) { return {s * v.x}; } double f(V a, V b) {"
        " V c = a + b; c += 2; c = 3.0 * c; return c.x; }"
    ),
    "const and not": (
        "struct V { double* d; double& operator()(int i, int j) { return d[i * 4 + j]; }"
        " double operator()(int i, int j) const { return d[i * 4 + j]; } };"
        " double f(V v, const V& w) { v(1, 2) = w(1, 2); return v(0, 0); }"
    ),
    "this": (
        "struct V { int n; V* self() { return this; } V& me() { return *this; } int twice() {"
        " return this->n + n + self()->n + me().n + (*this).n; } };"
    ),
    "char types": (
        "char32_t g(char16_t a, wchar_t b, char8_t c, signed char d, short e, unsigned short h,"
        " unsigned long long l) {"
        " return a + b + c + d + e + h + l + 'x' + u'x' + U'x' + L'x'; }"
    ),
    "big types": (
        "__int128 f(long double a, __int128 b, unsigned __int128 c) { long double d = a + 1;"
        " b = b + 1; return b; }"
    ),
    "half": "_Float16 f(_Float16 a, float b) { _Float16 c = 0.1f16; a += b; a++; return a * c; }",
    "macros": (
        "#define SQ(x) ((x) * (x))\n#define LOOP(i, n) for (int i = 0; i < n; ++i)\n"
        "#define NEG(a) (~(a))\nvoid f(int* a, int n) {\n  LOOP(i, n)\n    a[i] = SQ(a[i]) +\n"
        "      NEG(i);\n}"
    ),
    "pragma": (
        "void f(int* a, int n) {\n#pragma omp parallel\n  {\n#pragma omp for nowait // c\n"
        "    for (int i = 0; i < n; ++i) a[i] = 1;\n  }\n#  pragma omp simd\n  // hm\n"
        "  for (int i = 0; i < n; ++i) { int z; for (;;) break; }\n  int k; for (k = 0; k < 2;"
        ") ++k;\n#pragma omp parallel for \\\n   reduction(+ : k) \\\n   schedule(static)\n"
        "#pragma unroll\n\n  for (int i = 0; i < n; ++i) a[i] = 1;\n  /* c */\n"
        "#pragma omp simd\n  /* c */ for (int i = 0; i < n; ++i) a[i] = 1;\n}"
    ),
    "line directive": ('#line 100 "other.f"\nint f(int a) {\n  return ~a;\n}'),
    "references": (
        "void f(double* a, int n) { double& x = a[n]; const double& y = a[1]; x += y;"
        " auto&& z = a[2]; const double& t = 1.0; double* & p = a; p[0] = z + t; int&& r = 3;"
        " n = r; }"
    ),
    "multi dimensional": (
        "double u[4][5][6]; const int t[2][2] = {{1, 2}, {3}}; void f(int i) {"
        " u[i][1][2] = t[1][0] + (*u)[1][2] + **u[1]; double (*row)[6] = u[1]; row[2][3] = 1;"
        " double* p = &u[0][0][0]; p[3] = u[0][0][1]; }"
    ),
    "chained": (
        "void f(int a, int b, double* p) { a = b = 3; a += (b *= 2); p[a++] = 1; *p++ = 2;"
        " --*p; (a) = 4; (a, b) = 3; a ? b = 1 : b = 2; }"
    ),
    "literals": (
        "void f() { auto a = 0x1p-3; auto b = 1'000'000; auto c = 0b101u; auto d = 1e-320;"
        " auto e = 3.4e38f; auto g = 1e39f; auto h = -0.0f; auto i = 0xFFFFFFFF;"
        ' auto j = 9223372036854775807; auto k = "s"; }'
    ),
    "shadow": (
        "int f(int i) { int s = 0; { int s = 1; i += s; } for (int i = 0; i < 3; ++i) s += i; return s + i; }"
    ),
    "local types": (
        "double f(double* a) { typedef const double* cp; cp b = a; struct L { double v;"
        " double g() { return v; } }; L l; l.v = *b; L m{2}; L n = m; using L2 = L; L2* q = &l;"
        " enum E : short { x, y }; E e = y; return l.g() + q->v + e + n.v; }"
    ),
    "lambda": (
        "int f(int n) { auto g = [n](int a) { return a + n; }; auto h = [](auto x) { return x;"
        " }; int (*p)(int) = [](int z) { return z; }; return g(1) + h(2) + p(3) + [&] {"
        " return n; }(); }"
    ),
    "template template": (
        "template <class T> struct B { T t; }; template <template <class> class C> struct D {"
        " C<int> c; }; int f(D<B> d) { return d.c.t; }"
    ),
    "member pointer": (
        "struct S { int a; int m(); }; int f(S s, S* p) { int S::*q = &S::a;"
        " int (S::*r)() = &S::m; return s.*q + (p->*r)(); }"
    ),
    "new delete": "void f(int n) { double* a = new double[n]; a[0] = 1; delete[] a; throw 2; }",
    "volatile": (
        "void f(volatile double* a, volatile int b) { const volatile int c = 1; a[0] = a[1] + b + c; }"
    ),
    "atomic builtin": (
        "int f(int* a) {"
        " return __atomic_fetch_add(a, 1, __ATOMIC_RELAXED) + __builtin_popcount(3)"
        " + (int)__builtin_sqrt(2.0) + (int)__builtin_inff();"
        " }"
    ),
    "restrict": (
        "void f(double* __restrict__ a, const double* __restrict b, double* const __restrict__ c,"
        " double* __restrict__* d) {"
        " a[0] = b[0]; double* __restrict__ e = a; e[1] = c[1] + d[0][1]; }"
    ),
    "static constants": (
        "int f(int i) { static const int t[] = {1, 2, 3}; static constexpr double w = 0.5;"
        " const int n = 4; constexpr int m = n * 2; thread_local int q; static int z = 2;"
        " extern int w2; return t[i] * w + m + q + z + w2; }"
    ),
    "zero": (
        "struct P { int a; double b[2]; P* n; }; void f() { P p = {}; P q{}; P r = P(); P s = {"
        "1}; int i = int(); double d{}; double* x{}; bool b{}; P t[2] = {{1}, {}}; P u[3];"
        " int v[2]{}; P w = {.b = {1}}; float y = {}; }"
    ),
    "non trivial": (
        "struct D { ~D(); }; struct C { C(); int a; }; struct E { D d; }; void f() { D d; C c;"
        " C e[2]; E g; D* p; D&& r = D(); C h = C(); }"
    ),
    "comma for": (
        "void f(int* a) { int i, j; for (i = 0, j = 9; i < j; ++i, --j) a[i] = j;"
        " for (int k = 0, l = 1; k < 3 && l; k++, l++); }"
    ),
    "conditions": (
        "void f(int a, double b, int* p, bool c) { if (a) ; if (b && !p) ; if (!a || c) a = !b;"
        " a = c ? 1 : 2; a = (a > 1) + (b < 2); c = a; c |= a; c = c & a; a = a & c; for (; a;"
        " ) --a; }"
    ),
    "using enum": (
        "enum class K : int { a, b = 3 }; int f(K k) { using enum K;"
        " if (k == b) return static_cast<int>(a); return k == K::a; }"
    ),
    "inline namespace": (
        "inline namespace v { namespace { double k = 2; struct Q { int a; }; } int g(Q& q) {"
        " return q.a; } } namespace { int h() { return 1; } } int f(v::Q q) {"
        " return g(q) + h() + k; }"
    ),
    "alias template": (
        "template <class T> using Ptr = T*; template <class T> using Same = T;"
        " double f(Ptr<double> a, Same<int> b, Ptr<const float>* c) { return a[b] + c[0][1]; }"
    ),
    "auto": (
        "auto g(int a) { return a * 2.0f; } decltype(auto) h(double& a) { return (a); }"
        " auto k(int a) -> long { return a; }"
        " template <class T> auto m(T a) -> decltype(a * 2) { return a * 2; }"
        " double f(double x) { return g(1) + h(x) + k(2) + m(2.f); }"
    ),
    "concept": (
        "template <class T> concept Num = sizeof(T) > 2;"
        " template <Num T> T tw(T a) requires (sizeof(T) < 16) { return a * 2; }"
        " auto ab(Num auto a) { return a; } double f(double x) { return tw(x) + ab(x); }"
    ),
    "structured binding": (
        "struct P { int a; double b; }; double f(P p) { auto [x, y] = p; auto& [u, v] = p;"
        " return x + y + v; }"
    ),
    "range for": "int f() { int s = 0; int a[3] = {}; for (int x : a) s += x; return s; }",
    "switch inside": (
        "int f(int a) { switch (a) { case 1: return 2; default: break; } do { --a; } while (a);"
        " while (a < 3) { a++; continue; } l: if (a) goto l; try { a = 1; } catch (int) {}"
        ' asm(""); return a; }'
    ),
    "cast kinds": (
        "double f(float* a, int i, unsigned long u, void* v) { int* q = (int*)a;"
        " double* w = static_cast<double*>(v); const float* cc = a;"
        " float* d = const_cast<float*>(cc); unsigned long z = (unsigned long)a; void* n = q;"
        " const void* m = cc;"
        " return (double)i + double(u) + float(i) + *reinterpret_cast<int*>(d)"
        " + static_cast<char>(i) + (w ? 1 : 2) + (n == m);"
        " }"
    ),
    "cuda": (
        "__constant__ float c[3]; __device__ int d;"
        " __host__ __device__ inline float sq(float a) { return a * a; }"
        " template <int B> __global__ void __launch_bounds__(B)"
        " k(float* __restrict__ a, const float* b, int n) {"
        " __shared__ float t[B + 2]; extern __shared__ double dyn[];"
        " const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;"
        " t[threadIdx.x] = b[i]; __syncthreads(); dyn[0] = 1;"
        " a[i] = sq(t[threadIdx.x]) + fmaf(1.f, 2.f, 3.f) + __ldg(b + i) + c[1];"
        " atomicAdd(a, 1.f); } void f(float* a, float* b, int n) {"
        " k<128><<<n / 128, 128>>>(a, b, n); }"
    ),
    "cuda half": (
        "#include <cmath>\n__global__ void k(double* a) {"
        " a[threadIdx.x] = std::sqrt(a[0]) + fabs(a[1]) + fma(a[0], a[1], a[2])"
        " + max(1.0, a[3]) + rsqrt(a[2]);"
        " }"
    ),
    "cmath": (
        "#include <cmath>\n#include <cstdint>\n#include <algorithm>\n#include <vector>\n"
        "double f(double x, float y, std::int64_t n, std::vector<double>& v, const std::vector<double>* w) {"
        " return std::sqrt(x) + std::sqrt(y) + std::pow(x, n) + std::abs(n) + std::abs(x)"
        " + std::max(x, 2.0) + fabs(x) + sin(y) + v[n] + (*w)[n] + v.size() + w->data()[n]"
        " + INFINITY + NAN + HUGE_VAL + std::isnan(x);"
        " }"
    ),
    "span": (
        "#include <span>\n#include <array>\n"
        "double f(std::span<double> a, std::span<const float, 4> b, std::array<int, 3>& c) {"
        " a[1] = b[2] + c[0]; for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0;"
        " return *a.data() + std::get<1>(c); }"
    ),
    "utf8": ("// grüß\nstruct Größe { double wert; }; double f(Größe g) { /* ü */ return g.wert; }"),
    "empty": "",
    "only comment": ("// nothing\n"),
}
