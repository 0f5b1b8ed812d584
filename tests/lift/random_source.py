# SPDX-License-Identifier: Apache-2.0
"""Random C++ that compiles, most of the time: loops, guards, conversions, indices, classes, templates."""

from __future__ import annotations

import random
from collections.abc import Callable

PREAMBLE = """\
typedef long index_t;
namespace outer { inline namespace v1 { using real = float; } namespace {
constexpr int width = 3 + 1; const double weights[] = {1, 0.5, 1.0 / 3}; }
enum Colour { red, black = 5, last };
enum class Side : unsigned char { low, high = 7 };
struct Point { double x; float y = 2; int z[2]; };
template <typename T, int n, bool strided = false> class Row {
 public:
  Row(T* first, index_t stride) : first_(first), stride_(stride) {}
  T& operator[](index_t i) const { return first_[i * stride_ + n]; }
  T& operator()(int i) { return first_[i]; }
  const T& operator()(int i) const { return first_[i]; }
  static int count() { return strided ? n : n + 1; }
  static constexpr int size = n;
 private:
  T* first_; index_t stride_ = n;
};
template <bool unit, class T> inline auto row(T* first, index_t stride) {
  if constexpr (unit) return first; else { return Row<T, 2>(first, stride); }
}
inline float half(float a, int times = width) { return a / 2 * times; }
}
#define AT(a, ...) a[(__VA_ARGS__) * 8 + j]
using namespace outer;
"""

_INTEGERS = ("i", "j", "n", "m", "c", "s", "u", "k")
_WHOLE = ("/", "%", "<<", ">>", "&", "|", "^")
_NUMBERS = (
    "int",
    "long",
    "unsigned",
    "float",
    "double",
    "short",
    "unsigned char",
    "bool",
    "char",
    "real",
    "index_t",
)


class Writer:
    """One program for a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0

    def program(self) -> str:
        functions = "\n".join(self._function(f"f{at}") for at in range(self.random.randint(1, 3)))
        return PREAMBLE + functions

    def _function(self, name: str) -> str:
        head = self.random.choice(("void", "static void", "inline void", "template <class T> void"))
        body = "\n".join(self._statement(3) for _ in range(self.random.randint(2, 7)))
        parameters = (
            "double* __restrict__ a, const float* b, const int* e, int i, int j, long n, const short s,"
            " unsigned u, double x, float y, Point& p, Point* q, char c, unsigned long m, const bool k"
        )
        use = f"\ntemplate void {name}<int>({parameters});" if head.startswith("template") else ""
        return f"{head} {name}({parameters}) {{\n{body}\n}}{use}"

    def _pick(self, *makers: Callable[[], str]) -> str:
        return self.random.choice(makers)()

    def _one(self, *texts: str) -> str:
        return self.random.choice(texts)

    def _integer(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                *_INTEGERS, "0", "7", "2u", "1L", "'a'", "width", "red", "outer::last", "3ull", "true"
            )
        inner = depth - 1
        return self._pick(
            lambda: f"({self._integer(inner)} {self._one(*'+-*')} {self._integer(inner)})",
            lambda: f"(({self._integer(inner)}) {self._one(*_WHOLE)} ({self._integer(inner)}))",
            lambda: f"({self._one('int', 'long', 'short', 'unsigned char')})({self._number(inner)})",
            lambda: f"e[{self._integer(inner)}]",
            lambda: f"-({self._integer(inner)})",
            lambda: self._one("~n", "p.z[1]", "q->z[j]", "sizeof(a[0])", "sizeof(int[3])", "sizeof(Point)"),
            lambda: self._one("(Row<int, 3>::size)", "Row<double, 1, true>::count()", "int(Side::high)"),
            lambda: f"({self._condition(inner)} ? {self._integer(inner)} : {self._integer(inner)})",
        )  # fmt: skip

    def _number(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                "x", "y", "1.5", "0.1f", "i", "1e-3", "s", "p.x", "q->y", "weights[1]", "*a", "*b", "c"
            )
        inner = depth - 1
        return self._pick(
            lambda: f"{self._number(inner)} {self._one(*'+-*/')} {self._number(inner)}",
            lambda: f"({self._number(inner)} {self._one(*'+-*')} {self._integer(inner)})",
            lambda: f"a[{self._integer(inner)}]",
            lambda: f"b[{self._integer(inner)}]",
            lambda: f"AT(a, {self._integer(inner)})",
            lambda: f"{self._one('float', 'double', 'real', 'int')}({self._number(inner)})",
            lambda: f"static_cast<{self._one(*_NUMBERS)}>({self._number(inner)})",
            lambda: f"half({self._number(inner)}{self._one('', ', 3')})",
            lambda: f"({self._condition(inner)} ? {self._number(inner)} : {self._number(inner)})",
            lambda: f"Row<double, 2>(a, n)[{self._integer(inner)}]",
            lambda: f"row<{self._one('true', 'false')}>(b, 2)[{self._integer(inner)}]",
            lambda: self._one("*(a + i)", "(&a[1])[j]", "i[a]", "a[i++]", "(x = y)", "(i, x)", "+y", "-x"),
        )

    def _condition(self, depth: int) -> str:
        if depth <= 0:
            return self._one(
                "k", "i < n", "x > y", "!k", "u", "a == nullptr", "x", "b", "i >= m", "n != 0L", "p.z"
            )
        inner = depth - 1
        relation = self._one("<", "<=", ">", ">=", "==", "!=")
        return self._pick(
            lambda: f"{self._integer(inner)} {relation} ({self._integer(inner)})",
            lambda: f"({self._number(inner)}) {relation} ({self._number(inner)})",
            lambda: f"({self._condition(inner)}) {self._one('&&', '||')} ({self._condition(inner)})",
            lambda: f"!({self._condition(inner)})",
        )

    def _target(self) -> str:
        index = self._integer(1)
        return self._one(
            f"a[{index}]", "x", "y", "i", "j", "n", "c", "p.x", "q->z[0]", "*a", "u", f"AT(a, {index})"
        )

    def _statement(self, depth: int) -> str:
        number = self._number(self.random.randint(0, 3))
        if depth <= 0 or self.random.random() < 0.4:
            return self._pick(
                lambda: f"{self._target()} = {number};",
                lambda: f"{self._target()} {self._one('+=', '-=', '*=', '/=')} {number};",
                lambda: f"{self._one('i', 'n', 'c', 'u')} {self._one('<<=', '>>=', '|=', '&=', '%=')} 3;",
                lambda: f"{self._one('++', '--')}{self._target()};",
                lambda: f"{self._target()}{self._one('++', '--')};",
                lambda: self._declaration(number),
                lambda: self._one(
                    "return;", ";", "half(x);", "i = 1, j = 2;", "(void)i;", "p = *q;", "++a;", "b += n;"
                ),
            )
        inner = depth - 1
        return self._pick(lambda: self._loop(inner), lambda: self._loop(inner), lambda: self._guard(inner),
                          lambda: self._rare(inner))  # fmt: skip

    def _name(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def _declaration(self, number: str) -> str:
        name, kind = self._name(), self._one(*_NUMBERS)
        return self._one(
            f"const {kind} {name} = static_cast<{kind}>({number});",
            f"{kind} {name}{{}};",
            f"auto {name} = {number};",
            f"double* const {name} = a + {self._integer(1)};",
            f"const auto {name} = row<false>(a + i, n); {name}[1] = {name}(2);",
            f"double {name}[2][3] = {{{{1, 2}}, {{y}}}};",
            f"Point {name}{{x}}; Point {name}b = {name};",
            f"Point {name};",
            f"const double& {name} = a[j];",
            f"static const int {name} = 3; static int {name}b;",
            f"const auto {name} = [&](int z) {{ return z + i; }}; {name}(1);",
            f"using {name} = const double*; const {name}* {name}p = nullptr;",
            f"alignas(64) float {name}[16] = {{}};",
            f"Row<const float, width> {name}(b, 1); Row<const float, width>* {name}p = &{name};",
            f"enum {{ {name}a, {name}b = -3 }}; i = {name}b;",
        )

    def _loop(self, depth: int) -> str:
        name = self._name()
        kind = self._one("int", "long", "unsigned", "short", "auto", "index_t")
        bound = f"{name} {self._one('<', '<=', '!=', '>')} {self._integer(1)}"
        step = self._one(
            f"++{name}", f"{name}--", f"{name} += 2", f"{name} = {name} + 1", f"{name}++, --i", ""
        )
        pragma = self._one("", "", "\n#pragma omp parallel for  reduction(+ : x) // sum\n",
                           "\n#pragma omp simd \\\n  safelen(4)\n\n// next\n#pragma GCC ivdep\n")  # fmt: skip
        body = "\n".join(self._statement(depth) for _ in range(self.random.randint(0, 3)))
        leave = self._one("", "", "if (k) continue;", "if (x > 1) break;")
        return f"{pragma}for ({kind} {name} = 0; {bound}; {step}) {{\n{body}\n{leave}\n}}"

    def _guard(self, depth: int) -> str:
        body, other = self._statement(depth), self._statement(depth)
        head = self._one("if", "if", "if constexpr (width > 3) if")
        otherwise = self._one("", f" else {{ {other} }}", f" else if (k) {{ {other} }} else {{}}")
        return f"{head} ({self._condition(2)}) {{ {body} }}{otherwise}"

    def _rare(self, depth: int) -> str:
        body = self._statement(depth)
        return self._one(
            f"{{ {body} }}",
            f"while (k) {{ {body} }}",
            f"do {{ {body} }} while (i < 2);",
            f"switch (i) {{ case 1: {{ {body} }} }}",
            "for (int one : p.z) j = one;",
            f"if (int z = i; z) {{ {body} }}",
            'asm("");',
            f"[[likely]] {{ {body} }}" if self.random.random() < 0.1 else f"{{ {body} }}",
            "throw 1;",
            "delete q;",
            "{ struct Local { int a; int get() { return a; } }; Local l{1}; i = l.get(); }",
        )
