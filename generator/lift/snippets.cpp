// SPDX-License-Identifier: Apache-2.0
#include "snippets.hpp"

#include <array>
#include <string_view>

namespace heddle::lift {

namespace {

/// What all texts may use. Names in expressions below are declared here or are parameters of `f`.
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
  T* first_;
  long stride_ = 1;
};
struct Plain { int a; double b[3]; float c = 2; unsigned bits : 5; Plain* next; };
struct Guard { ~Guard(); int a; };
struct Virtual { virtual int m(); int a; };
template <bool b, typename T> auto pick(T x) { if constexpr (b) { return x; } else return x * 2; }
template <int k, typename T> T power(T x) { if constexpr (k > 0) return x * power<k - 1>(x); else return T(1); }
inline float twice(float& x) { x += x; return x; }
int recursive(int i, double scale = 0.5) { return i > 0 ? recursive(i - 1) : static_cast<int>(scale); }
}
extern double field[4][5];
static int counter;
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
)";

class Writer {
public:
  Writer(std::span<const std::uint8_t> choices, bool cuda) : choices_(choices), cuda_(cuda) {}

  std::string unit() {
    text_ = prelude;
    const unsigned functions = 1 + choose(2);
    for (unsigned i = 0; i < functions; ++i) function(i);
    return std::move(text_);
  }

private:
  static constexpr std::array types{"int",  "double", "float",          "long",     "unsigned char", "bool",
                                    "char", "short",  "std::uint64_t",  "unsigned", "long long",     "_Float16",
                                    "long double", "__int128", "n::E", "std::int8_t"};

  /// 0 ... count - 1; 0 when there are no more choices, which are the rules that end.
  unsigned choose(unsigned count) {
    if (at_ == choices_.size()) return 0;
    return choices_[at_++] % count;
  }

  template <std::size_t size>
  std::string_view any(const std::array<const char*, size>& words) {
    return words[choose(size)];
  }

  std::string_view type() { return any(types); }

  void function(unsigned number) {
    const bool pattern = choose(4) == 1;
    if (pattern) text_ += "template <typename T> ";
    if (cuda_ && !pattern) text_ += choose(2) == 1 ? "__device__ " : "__global__ __launch_bounds__(64) ";
    text_ += (cuda_ ? "void f" : "double f") + std::to_string(number);
    text_ += pattern ? "(T x, " : "(double x, ";
    text_ += "double* __restrict__ p, const float* q, int i, long j, n::Plain s, n::Row<double> r, double (*m)[4], "
             "float& y, n::Guard& g, n::Virtual* o, int (*h)(int)) {\n";
    if (cuda_ && !pattern) text_ += "  __shared__ float tile[4][8];\n  i = threadIdx.x + blockIdx.y * blockDim.x;\n";
    const unsigned count = 1 + choose(8);
    for (unsigned k = 0; k < count; ++k) statement(1);
    text_ += cuda_ ? "  return;\n}\n" : "  return " + number_(2) + ";\n}\n";
    if (pattern) {
      text_ += "template " + std::string(cuda_ ? "void f" : "double f") + std::to_string(number) +
               "(float, double*, const float*, int, long, n::Plain, n::Row<double>, double (*)[4], float&, "
               "n::Guard&, n::Virtual*, int (*)(int));\n";
    }
  }

  std::string name() { return "v" + std::to_string(names_++); }

  void body(int depth) {
    text_ += " {\n";
    const unsigned count = choose(4);
    for (unsigned k = 0; k < count; ++k) statement(depth + 1);
    text_ += "}\n";
  }

  void statement(int depth) {
    const unsigned rule = depth > 6 ? choose(12) : choose(34);
    switch (rule) {
    case 0: text_ += "x = " + number_(0) + ";\n"; break;
    case 1: text_ += "p[" + integer(0) + "] = " + number_(0) + ";\n"; break;
    case 2: text_ += target() + std::string(any(std::array{"+=", "-=", "*=", "/=", "="})) + number_(0) + ";\n"; break;
    case 3: text_ += "i " + std::string(any(std::array{"%=", "<<=", ">>=", "&=", "|=", "^="})) + integer(0) + ";\n"; break;
    case 4: text_ += std::string(any(std::array{"++i", "j--", "++y", "--p", "q++", "++x", "++s.a", "s.bits++"})) + ";\n"; break;
    case 5: text_ += std::string(choose(2) == 1 ? "const " : "") + std::string(type()) + ' ' + name() + "(" + number_(0) + ");\n"; break;
    case 6: text_ += "auto " + name() + " = " + number_(0) + ";\n"; break;
    case 7: text_ += "(void)" + number_(0) + ";\n"; break;
    case 8: text_ += number_(0) + ", ++i;\n"; break;
    case 9: text_ += "double* " + name() + " = " + pointer(0) + ";\n"; break;
    case 10: text_ += "alignas(32) " + std::string(any(std::array{"float", "double", "int"})) + ' ' + name() + "[3][2] = {" + (choose(2) == 1 ? "1, {2}" : "") + "};\n"; break;
    case 11: text_ += "n::Plain " + name() + std::string(any(std::array{"{1, {2}}", "{}", "", " = s", "{.a = 3}"})) + ";\n"; break;
    case 12: text_ += "if (" + condition(0) + ')'; body(depth); break;
    case 13: text_ += "if (" + condition(0) + ')'; body(depth); text_ += "else "; statement(depth + 1); break;
    case 14: text_ += "\n#pragma omp parallel for  reduction(+ : x) \\\n  collapse(2)\n  for (int k = 0, l = i; k " + std::string(any(std::array{"<", "<=", ">", "!="})) + " l; ++k, l -= 2)"; body(depth); break;
    case 15: text_ += "for (i = " + integer(0) + "; " + condition(0) + "; i += " + integer(0) + ") " ; body(depth); break;
    case 16: text_ += "for (;;)"; body(depth); break;
    case 17: text_ += "while (" + condition(0) + ')'; body(depth); break;
    case 18: text_ += "do"; body(depth); text_ += " while (" + condition(0) + ");\n"; break;
    case 19: text_ += "switch (i) { case 1: x = 2; break; default:"; body(depth); text_ += "}\n"; break;
    case 20: text_ += "if constexpr (sizeof(x) == " + std::string(choose(2) == 1 ? "8" : "4") + ")"; body(depth); text_ += "else"; body(depth); break;
    case 21: body(depth); break;
    case 22: text_ += "for (auto& e : s.b) e = " + number_(0) + ";\n"; break;
    case 23: text_ += "auto " + name() + " = [&](auto a) { return a + " + number_(0) + "; }(1);\n"; break;
    case 24: text_ += std::string("const auto& ") + name() + " = " + number_(0) + ";\n"; break;
    case 25: text_ += "static " + std::string(type()) + ' ' + name() + " = 1;\n"; break;
    case 26: text_ += std::string(any(std::array{"n::Guard k{}; (void)k;", "using T0 = float;", "static_assert(true);", ";", "struct L { int a; int m() { return a; } }; L l{}; l.m();", "goto end; end:;", "asm(\"\");", "auto [a0, b0] = field[0] == nullptr ? n::Row<double>(p, 1) : r;", "if (int k = i; k) ++k;", "if (int k = i) ++k;", "delete p;", "extern int further;", "enum { local_constant = 3 }; i = local_constant;"})) + '\n'; break;
    case 27: text_ += cuda_ ? "__syncthreads();\n" : "try { throw 1; } catch (...) {}\n"; break;
    case 28: text_ += cuda_ ? "tile[threadIdx.y][i] = y;\n" : "s.next->next = &s;\n"; break;
    case 29: text_ += "[[maybe_unused]] " + std::string(type()) + "* " + name() + " = nullptr;\n"; break;
    case 30: text_ += "[[likely]];\n"; break;
    case 31: text_ += "auto " + name() + " = r; r = n::Row<double>(p, " + integer(0) + ");\n"; break;
    case 32: text_ += cuda_ ? "if (i > 3) return;\n" : "if (i > 3) return " + number_(0) + ";\n"; break;
    default: text_ += "for (int k = 0; k < 3; ++k) { if (" + condition(0) + ") continue; else break; }\n"; break;
    }
  }

  std::string target() {
    switch (choose(9)) {
    case 0: return "x";
    case 1: return "*" + pointer(2);
    case 2: return "p[" + integer(2) + "]";
    case 3: return "r[" + integer(2) + "]";
    case 4: return "s.b[1]";
    case 5: return "m[1][" + integer(2) + "]";
    case 6: return "s.next->c";
    case 7: return "(i > 1 ? y : s.c)";
    default: return "field[i][1]";
    }
  }

  std::string pointer(int depth) {
    if (depth > 4) return "p";
    switch (choose(9)) {
    case 0: return "p";
    case 1: return "(p + " + integer(depth + 1) + ')';
    case 2: return "(" + integer(depth + 1) + " + p)";
    case 3: return "(p - " + integer(depth + 1) + ')';
    case 4: return "&p[" + integer(depth + 1) + ']';
    case 5: return "m[" + integer(depth + 1) + ']';
    case 6: return "(" + condition(depth + 1) + " ? p : nullptr)";
    case 7: return "(double*)q";
    default: return "field[1]";
    }
  }

  std::string integer(int depth) {
    if (depth > 6) return "i";
    switch (choose(16)) {
    case 0: return "i";
    case 1: return "j";
    case 2: return std::string(any(std::array{"0", "1u", "0x7fffffffffffffff", "18446744073709551615ull", "'a'", "u8'b'", "true", "-3L"}));
    case 3: return "(" + integer(depth + 1) + std::string(any(std::array{"+", "-", "*", "/", "%", "&", "|", "<<", ">>"})) + integer(depth + 1) + ')';
    case 4: return "(-" + integer(depth + 1) + ')';
    case 5: return "(~" + integer(depth + 1) + ')';
    case 6: return "sizeof(" + std::string(type()) + ')';
    case 7: return "static_cast<" + std::string(any(std::array{"int", "long", "short", "unsigned"})) + ">(" + number_(depth + 1) + ')';
    case 8: return "(" + condition(depth + 1) + " ? i : " + integer(depth + 1) + ')';
    case 9: return "n::recursive(" + integer(depth + 1) + ')';
    case 10: return "n::R";
    case 11: return "s.a";
    case 12: return std::string(any(std::array{"n::black", "int(n::C::first)", "n::Row<float>::size()", "counter", "s.bits", "__LINE__", "alignof(double)", "int()", "int{}", "(i = 3)", "i++", "(i, 2)", "o->m()", "h(2)", "({ int k = 1; k; })", "__builtin_offsetof(n::Plain, c)", "noexcept(i)", "(p - p)", "g.a", "o->a", "[] { return 1; }()", "sizeof s", "sizeof(p)", "(*h)(1)"}));
    case 13: return "std::min(i, 3)";
    case 14: return "(!" + condition(depth + 1) + ')';
    default: return "(+" + integer(depth + 1) + ')';
    }
  }

  std::string number_(int depth) {
    if (depth > 6) return "x";
    switch (choose(18)) {
    case 0: return "x";
    case 1: return "y";
    case 2: return std::string(any(std::array{"1.0", "2.5f", "1e-300", "1e400", "0x1p-3", "3", "0.1L", "1.f", "HUGE_VAL", "(-0.0)", "NAN"}));
    case 3: return "(" + number_(depth + 1) + std::string(any(std::array{"+", "-", "*", "/"})) + number_(depth + 1) + ')';
    case 4: return "(-" + number_(depth + 1) + ')';
    case 5: return "q[" + integer(depth + 1) + ']';
    case 6: return "*" + pointer(depth + 1);
    case 7: return "(" + condition(depth + 1) + " ? " + number_(depth + 1) + " : " + number_(depth + 1) + ')';
    case 8: return "static_cast<" + std::string(any(std::array{"float", "double", "_Float16", "int"})) + ">(" + number_(depth + 1) + ')';
    case 9: return "std::" + std::string(any(std::array{"sqrt", "abs", "exp", "floor"})) + "(double(" + number_(depth + 1) + "))";
    case 10: return "std::fma(" + number_(depth + 1) + ", 2.0, x)";
    case 11: return "std::max(1.0, double(" + number_(depth + 1) + "))";
    case 12: return "r[" + integer(depth + 1) + ']';
    case 13: return "n::pick<" + std::string(choose(2) == 1 ? "true" : "false") + ">(" + number_(depth + 1) + ')';
    case 14: return "n::power<3>(x)";
    case 15: return std::string(any(std::array{"n::twice(y)", "n::w[1]", "s.next->b[2]", "(&s)->c", "r.first()", "m[1][2]", "2[p]", "field[0][1]", "(x += 2)", "float()", "double{}", "double{1}", "s.*(&n::Plain::c)", "(*o).a", "n::Row<double>(p, 2)[1]", "n::Plain{1}.c", "this_is(1)", "*new double", "(x, 1.0)", "std::hypot(x, y)", "__builtin_sqrt(x)", "std::atan2(y, i)"}));
    case 16: return integer(depth + 1);
    default: return "(" + number_(depth + 1) + ')';
    }
  }

  std::string condition(int depth) {
    if (depth > 6) return "true";
    switch (choose(10)) {
    case 0: return "i";
    case 1: return "(" + number_(depth + 1) + std::string(any(std::array{"<", "<=", ">", ">=", "==", "!="})) + number_(depth + 1) + ')';
    case 2: return "(" + condition(depth + 1) + std::string(any(std::array{"&&", "||", "==", "^"})) + condition(depth + 1) + ')';
    case 3: return "!" + condition(depth + 1);
    case 4: return "(" + pointer(depth + 1) + std::string(any(std::array{"== nullptr", "!= p", "< p", "!= 0"})) + ')';
    case 5: return "((i + j) % 2 == " + integer(depth + 1) + ')';
    case 6: return "(" + number_(depth + 1) + ")";
    case 7: return "p";
    case 8: return "std::isnan(y)";
    default: return "false";
    }
  }

  std::span<const std::uint8_t> choices_;
  bool cuda_;
  std::size_t at_ = 0;
  int names_ = 0;
  std::string text_;
};

} // namespace

std::string snippet(std::span<const std::uint8_t> choices, bool cuda) { return Writer(choices, cuda).unit(); }

} // namespace heddle::lift
