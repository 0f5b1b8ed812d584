// SPDX-License-Identifier: Apache-2.0
#include "snippets.hpp"

#include <array>
#include <string_view>

namespace heddle::lift {

namespace {

/// What all texts may use. Other names in the rules are parameters of `f`.
constexpr std::string_view prelude = R"(
#include <algorithm>
#include <cmath>
#include <cstdint>
#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif
namespace n {
enum E : short { red, black = 5 };
enum class C { first = -1 };
inline namespace v { constexpr double w[] = {1.0 / 3, 2}; constexpr int Q = 19, R = Q + black; }
template <typename T, int k = 2> struct Row {
  Row(T* first, long stride) : first_(first), stride_(stride) {}
  T& operator[](long i) const { return first_[i * stride_]; }
  T first() { return this->first_[k]; }
  static int size() { return k; }
  template <typename U, int l> friend struct Row;
  friend int befriended(Row r) { return r.stride_ > 0; }
  T* first_;
  long stride_ = 1;
};
template <typename T> constexpr T pi = T(3);
typedef struct { int a; } Named;
struct Plain { int a; double b[3]; float c = 2; unsigned bits : 5; Plain* next; };
struct Guard { ~Guard(); int a; };
struct Virtual { virtual int m(); int a; };
template <bool b, typename T> auto pick(T x) { if constexpr (b) { return x; } else return x * 2; }
template <int k, typename T> T power(T x) {
  if constexpr (k > 0) return x * power<k - 1>(x); else return T(1);
}
inline float twice(float& x) { x += x; return x; }
int recursive(int i, double scale = 0.5) { return i > 0 ? recursive(i - 1) : static_cast<int>(scale); }
}
extern double field[4][5];
static int counter;
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
)";

constexpr std::string_view parameters = ", double* __restrict__ p, const float* q, int i, long j, n::Plain "
                                        "s, n::Row<double> r, double (*m)[4], float& y, "
                                        "n::Guard& g, n::Virtual* o, int (*h)(int))";

// A rule is a list of texts, in which $ and a letter stand for one text of another rule. The first text of a
// rule has no such letter, or leads to its end: it is what is taken where the nesting is deep or the choices
// are used up.

// $t
constexpr std::array types = {"int",           "double",      "float",         "long",
                              "unsigned char", "bool",        "char",          "short",
                              "unsigned",      "long long",   "std::uint64_t", "_Float16",
                              "__int128",      "long double", "n::E",          "std::int8_t"};

// $s; $v is a new name
constexpr std::array statements = {
    "++i;",
    "x = $n;",
    "p[$i] = $n;",
    "$l += $n;",
    "$l -= $n;",
    "$l *= $n;",
    "$l /= $n;",
    "$l = $n;",
    "i %= $i;",
    "i <<= $i;",
    "i >>= $i;",
    "i &= $i;",
    "j--;",
    "++y;",
    "--p;",
    "q++;",
    "++s.a;",
    "s.bits++;",
    "const $t $v($n);",
    "$t $v($n);",
    "$t $v{};",
    "auto $v = $n;",
    "(void)$n;",
    "$n, ++i;",
    "double* $v = $p;",
    "alignas(32) float $v[3][2] = {};",
    "double $v[3][2] = {1, {2}};",
    "n::Plain $v{1, {2}};",
    "n::Plain $v{};",
    "n::Plain $v = s;",
    "n::Plain $v{.a = 3};",
    "if ($c) { $b }",
    "if ($c) { $b } else $s",
    "if ($c) $s else { $b }",
    "\n#pragma omp parallel for  reduction(+ : x) \\\n  collapse(2)\nfor (int k = 0, l = i; k < l; ++k, l -= "
    "2) { $b }",
    "for (i = $i; $c; i += $i) { $b }",
    "for (;;) { $b }",
    "while ($c) { $b }",
    "do { $b } while ($c);",
    "switch (i) { case 1: x = 2; break; default: { $b } }",
    "if constexpr (sizeof(x) == 8) { $b } else { $b }",
    "if constexpr (sizeof(x) == 3) { $b }",
    "{ $b }",
    "for (auto& e : s.b) e = $n;",
    "auto $v = [&](auto a) { return a + $n; }(1);",
    "const auto& $v = $n;",
    "static $t $v = 1;",
    "static const $t $v = 1;",
    "n::Guard $v{};",
    "using T0 = float;",
    "static_assert(true);",
    ";",
    "struct { int a; } $v{};",
    "struct L { int a; int m() { return a; } }; L l{}; l.m();",
    "goto end; end:;",
    "asm(\"\");",
    "auto [a0, b0] = r;",
    "if (int k = i; k) ++k;",
    "if (int k = i) ++k;",
    "delete p;",
    "extern int further;",
    "enum { local_constant = 3 }; i = local_constant;",
    "$x",
    "$t* $v = nullptr;",
    "[[likely]];",
    "auto $v = r; r = n::Row<double>(p, $i);",
    "if (i > 3) return $e;",
    "for (int k = 0; k < 3; ++k) { if ($c) continue; else break; }",
    "volatile double $v = 1;",
    "s.next->next = &s;",
};

// $x, and $e after return
constexpr std::array host_statements = {"return x;", "try { throw 1; } catch (...) { }"};
constexpr std::array kernel_statements = {
    "__syncthreads();",      "tile[threadIdx.y][i] = y;",
    "atomicAdd(&y, 1.0f);",  "i = threadIdx.x + blockIdx.y * blockDim.x;",
    "__shared__ int $v[4];", "y = __shfl_down_sync(0xffffffffu, y, 1);"};

// $l: what can be assigned to
constexpr std::array targets = {"x",           "*$p",        "p[$i]",     "r[$i]",
                                "s.b[1]",      "m[1][$i]",   "s.next->c", "(i > 1 ? y : s.c)",
                                "field[i][1]", "(*r.first_)"};

// $p: a pointer to double
constexpr std::array pointers = {"p",          "($p + $i)", "($i + $p)", "($p - $i)",
                                 "&p[$i]",     "m[$i]",     "field[1]",  "($c ? p : nullptr)",
                                 "(double*)q", "(p += 2)",  "p++"};

// $i: an integer
constexpr std::array integers = {
    "i",
    "j",
    "0",
    "1u",
    "0x7fffffffffffffff",
    "18446744073709551615ull",
    "'a'",
    "u8'b'",
    "true",
    "-3L",
    "($i + $i)",
    "($i - $i)",
    "($i * $i)",
    "($i / $i)",
    "($i % $i)",
    "($i & $i)",
    "($i | $i)",
    "($i << $i)",
    "($i >> $i)",
    "(-$i)",
    "(~$i)",
    "sizeof($t)",
    "static_cast<int>($n)",
    "static_cast<short>($n)",
    "($c ? i : $i)",
    "n::recursive($i)",
    "n::R",
    "n::pi<int>",
    "befriended(r)",
    "n::Named{2}.a",
    "s.a",
    "n::black",
    "int(n::C::first)",
    "n::Row<float>::size()",
    "counter",
    "s.bits",
    "__LINE__",
    "alignof(double)",
    "int()",
    "int{}",
    "(i = 3)",
    "i++",
    "(i, 2)",
    "o->m()",
    "h(2)",
    "({ int k = 1; k; })",
    "__builtin_offsetof(n::Plain, c)",
    "noexcept(i)",
    "(p - p)",
    "g.a",
    "o->a",
    "[] { return 1; }()",
    "sizeof s",
    "(*h)(1)",
    "std::min(i, 3)",
    "(!$c)",
    "(+$i)",
    "std::max<long>(i, $i)",
};

// $n: a number
constexpr std::array numbers = {
    "x",
    "y",
    "1.0",
    "2.5f",
    "1e-300",
    "1e400",
    "0x1p-3",
    "3",
    "0.1L",
    "1.f",
    "HUGE_VAL",
    "(-0.0)",
    "NAN",
    "($n + $n)",
    "($n - $n)",
    "($n * $n)",
    "($n / $n)",
    "(-$n)",
    "q[$i]",
    "*$p",
    "($c ? $n : $n)",
    "static_cast<float>($n)",
    "static_cast<_Float16>($n)",
    "($t)$n",
    "std::sqrt(double($n))",
    "std::abs(double($n))",
    "std::fma($n, 2.0, x)",
    "std::max(1.0, double($n))",
    "r[$i]",
    "n::pick<true>($n)",
    "n::pick<false>($n)",
    "n::power<3>(x)",
    "n::twice(y)",
    "n::w[1]",
    "s.next->b[2]",
    "(&s)->c",
    "r.first()",
    "m[1][2]",
    "2[p]",
    "field[0][1]",
    "(x += 2)",
    "float()",
    "double{}",
    "double{1}",
    "s.*(&n::Plain::c)",
    "(*o).a",
    "n::Row<double>(p, 2)[1]",
    "n::Plain{1}.c",
    "absent(1)",
    "*new double",
    "(x, 1.0)",
    "std::hypot(x, y)",
    "__builtin_sqrt(x)",
    "std::atan2(y, i)",
    "$i",
    "($n)",
};

// $c: a condition
constexpr std::array conditions = {"false",         "i",          "p",
                                   "std::isnan(y)", "($n)",       "!$c",
                                   "($n < $n)",     "($n >= $n)", "($n == $n)",
                                   "($c && $c)",    "($c || $c)", "($p == nullptr)",
                                   "($p != 0)",     "($p < p)",   "((i + j) % 2 == $i)"};

class Writer {
public:
  Writer(std::span<const std::uint8_t> choices, bool cuda) : choices_(choices), cuda_(cuda) {}

  std::string unit() {
    text_ = prelude;
    const std::size_t functions = 1 + choose(2);
    for (std::size_t number = 0; number < functions; ++number)
      function("f" + std::to_string(number));
    return std::move(text_);
  }

private:
  static constexpr int deepest = 8;

  /// 0 ... count - 1; 0 when there are no more choices.
  std::size_t choose(std::size_t count) { return at_ == choices_.size() ? 0 : choices_[at_++] % count; }

  void function(const std::string& name) {
    const bool is_pattern = choose(4) == 1;
    const bool is_kernel = cuda_ && !is_pattern;
    if (is_pattern) text_ += "template <typename T> ";
    if (is_kernel) text_ += choose(2) == 1 ? "__device__ " : "__global__ __launch_bounds__(64) ";
    kernel_ = is_kernel;
    text_ += (kernel_ ? "void " : "double ") + name + (is_pattern ? "(T x" : "(double x");
    text_ += parameters;
    text_ += kernel_ ? " {\n__shared__ float tile[4][8];\n" : " {\n";
    const std::size_t count = 1 + choose(8);
    for (std::size_t i = 0; i < count; ++i)
      expand("$s\n", 0);
    text_ += kernel_ ? "}\n" : "return 1;\n}\n";
    if (is_pattern) text_ += "template double " + name + "(float" + std::string(parameters) + ";\n";
  }

  /// One text of a rule.
  template <std::size_t size> void one_of(const std::array<const char*, size>& rule, int depth) {
    expand(rule[depth > deepest ? 0 : choose(size)], depth + 1);
  }

  void expand(std::string_view text, int depth) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$') {
        text_ += text[i];
        continue;
      }
      switch (text[++i]) {
      case 'b':
        for (std::size_t count = choose(4); count > 0; --count)
          expand("$s\n", depth);
        break;
      case 'c':
        one_of(conditions, depth);
        break;
      case 'e':
        text_ += kernel_ ? "" : "x";
        break;
      case 'i':
        one_of(integers, depth);
        break;
      case 'l':
        one_of(targets, depth);
        break;
      case 'n':
        one_of(numbers, depth);
        break;
      case 'p':
        one_of(pointers, depth);
        break;
      case 's':
        one_of(statements, depth);
        break;
      case 't':
        one_of(types, depth);
        break;
      case 'v':
        text_ += "v" + std::to_string(names_++);
        break;
      default:
        kernel_ ? one_of(kernel_statements, depth) : one_of(host_statements, depth);
        break;
      }
    }
  }

  std::span<const std::uint8_t> choices_;
  bool cuda_;
  bool kernel_ = false; ///< whether the function that is being written runs on the device
  std::size_t at_ = 0;
  int names_ = 0;
  std::string text_;
};

} // namespace

std::string snippet(std::span<const std::uint8_t> choices, bool cuda) {
  return Writer(choices, cuda).unit();
}

} // namespace heddle::lift
