// SPDX-License-Identifier: Apache-2.0
// Written by `python -m heddle.lift.schema` from heddle.ir.source and heddle.ir.nodes: do not edit.
#ifndef HEDDLE_LIFT_NODES_HPP
#define HEDDLE_LIFT_NODES_HPP
// clang-format off

#include "json.hpp"

namespace heddle::lift::record {

/// Address of elements of a type; `const` ones are never stored through.
inline Type Pointer(const Type& element, bool const_ = false) {
  return {{Object("Pointer").part("element", element).part("const", const_).text()}};
}

/// A literal; rationals stay rational until they are printed.
inline Expression Const(const Number& value, const Type& type = {}) {
  return {{Object("Const").part("value", value).part("type", type).text()}};
}

/// A named value: local, parameter, cell coordinate or pointer.
inline Expression Symbol(std::string_view name, const Type& type = {}) {
  return {{Object("Symbol").part("name", name).part("type", type).text()}};
}

/// An operator of ir.functions.OPERATORS on one, two or three arguments.
inline Expression Op(std::string_view name, const std::vector<Expression>& args, const Type& type = {}) {
  return {{Object("Op").part("name", name).part("args", args).part("type", type).text()}};
}

/// `condition ? yes : no`; the branch not taken is not evaluated. both: emitted text computes both values
/// and takes the bits of one (see passes.vectorise.row_values).
inline Expression Select(const Expression& condition, const Expression& yes, const Expression& no,
                         bool both = false) {
  return {{Object("Select").part("condition", condition).part("yes", yes).part("no", no)
      .part("both", both).text()}};
}

/// Conversion to another type, rounding to nearest even.
inline Expression Cast(const Expression& value, const Type& type) {
  return {{Object("Cast").part("value", value).part("type", type).text()}};
}

/// `element[length]`, nested for more dimensions; length 0 where it is not a constant. size: that length,
/// where it is a sum or product of local integers, with the values that they had when the type was named.
inline Type Array(const Type& element, std::int64_t length, const std::optional<Expression>& size = {}) {
  return {{Object("Array").part("element", element).part("length", length).part("size", size).text()}};
}

/// A pointer to something that is not a number: an array, a record, a pointer. Pointers to numbers are
/// `heddle.ir.nodes.Pointer`.
inline Type PointerTo(const Type& element, bool const_ = false) {
  return {{Object("PointerTo").part("element", element).part("const", const_).text()}};
}

/// A class, by its full name with template arguments; also a type that is not understood.
inline Type Record(std::string_view name) {
  return {{Object("Record").part("name", name).text()}};
}

/// No value.
inline Type Void() {
  return {{Object("Void").text()}};
}

/// `base[index]`, base being a pointer or an array.
inline Expression Subscript(const Expression& base, const Expression& index, const Type& type) {
  return {{Object("Subscript").part("base", base).part("index", index).part("type", type).text()}};
}

/// `&element`.
inline Expression AddressOf(const Expression& element, const Type& type) {
  return {{Object("AddressOf").part("element", element).part("type", type).text()}};
}

/// `object.name` or `object->name`; inside a method, the object is the symbol `this`. apart: the bytes
/// from one object of its class to the next in an array; 0 where several members may share memory. at:
/// the bytes from the begin of an object to the member.
inline Expression Member(const Expression& object, std::string_view name, const Type& type,
                         std::int64_t apart = 0, std::int64_t at = 0) {
  return {{Object("Member").part("object", object).part("name", name).part("type", type).part("apart", apart)
      .part("at", at).text()}};
}

/// A call: of a function of the unit by its key, else of one whose body is not visible by its qualified
/// name.
inline Expression Invoke(std::string_view function, const std::vector<Node>& template_,
                         const std::vector<Expression>& args, const Type& type, bool lvalue = false,
                         const std::vector<std::int64_t>& references = {}) {
  return {{Object("Invoke").part("function", function).part("template", template_).part("args", args)
      .part("type", type).part("lvalue", lvalue).part("references", references).text()}};
}

/// `{entries}`, the initial value of an array or an aggregate in the order of its members. Nested braces
/// are nested initializers, also where they were left out. An array has the entries that were written, an
/// aggregate all members.
inline Expression Initializer(const std::vector<Expression>& entries, const Type& type) {
  return {{Object("Initializer").part("entries", entries).part("type", type).text()}};
}

/// An expression that heddle-lift does not translate. reason: what it is, as a noun: "a lambda". Its type
/// is not recorded.
inline Expression Unknown(std::string_view reason, const Place& place, const Type& type = {}) {
  return {{Object("Unknown").part("reason", reason).part("place", place).part("type", type).text()}};
}

/// A variable. value: None where it has no initial value. space: "shared" for `__shared__`. constant: it
/// can never change (const or constexpr, not a reference). reference: it is another name of the value.
/// alignment: of an `alignas`, in bytes, else 0.
inline Statement Declaration(const Expression& symbol, const std::optional<Expression>& value, bool constant,
                             std::string_view space = "", bool reference = false, std::int64_t alignment = 0,
                             const Place& place = Place{"<model>", 0}) {
  return {{Object("Declaration").part("symbol", symbol).part("value", value).part("constant", constant)
      .part("space", space).part("reference", reference).part("alignment", alignment)
      .part("place", place).text()}};
}

/// `target = value`. updates: it was written as `target op= ...`, `++target` or `--target`.
inline Statement Assignment(const Expression& target, const Expression& value, bool updates = false,
                            const Place& place = Place{"<model>", 0}) {
  return {{Object("Assignment").part("target", target).part("value", value).part("updates", updates)
      .part("place", place).text()}};
}

/// `if (condition) yes else no`.
inline Statement Branch(const Expression& condition, const std::vector<Statement>& yes,
                        const std::vector<Statement>& no, const Place& place = Place{"<model>", 0}) {
  return {{Object("Branch").part("condition", condition).part("yes", yes).part("no", no)
      .part("place", place).text()}};
}

/// `for (start; condition; step) body`. condition: None where there is none. pragma: the text of the
/// `omp` pragma lines before it, without `#pragma`, joined by newlines, with single spaces; blank lines,
/// `//` lines and other pragmas may stand between.
inline Statement For(const std::vector<Statement>& start, const std::optional<Expression>& condition,
                     const std::vector<Statement>& step, const std::vector<Statement>& body,
                     std::string_view pragma = "", const Place& place = Place{"<model>", 0}) {
  return {{Object("For").part("start", start).part("condition", condition).part("step", step)
      .part("body", body).part("pragma", pragma).part("place", place).text()}};
}

/// `{ body }` that is not the body of another statement.
inline Statement Block(const std::vector<Statement>& body) {
  return {{Object("Block").part("body", body).text()}};
}

/// `return value`, `return`, `continue` or `break`.
inline Statement Exit(std::string_view kind, const std::optional<Expression>& value = {},
                      const Place& place = Place{"<model>", 0}) {
  return {{Object("Exit").part("kind", kind).part("value", value).part("place", place).text()}};
}

/// An expression for its effect: a call.
inline Statement Evaluate(const Expression& value, const Place& place = Place{"<model>", 0}) {
  return {{Object("Evaluate").part("value", value).part("place", place).text()}};
}

/// A statement that heddle-lift does not translate. reason: as a noun: "a while loop". inside: the
/// statements and conditions in it, in the order of the text, where that is known.
inline Statement UnknownStatement(std::string_view reason, const Place& place,
                                  const std::vector<Statement>& inside = {}) {
  return {{Object("UnknownStatement").part("reason", reason).part("place", place)
      .part("inside", inside).text()}};
}

/// A parameter. restrict: `__restrict__`; reference: passed by reference.
inline Node FunctionParameter(const Expression& symbol, bool restrict = false, bool reference = false) {
  return {{Object("FunctionParameter").part("symbol", symbol).part("restrict", restrict)
      .part("reference", reference).text()}};
}

/// A function with a body. key: qualified name, template arguments and parameter types as Python's str()
/// of them with what tells overloads apart, unique in the unit: `ns::name<4, double>(f64 const*, i32&)`,
/// `ns::Class::method(i64) const`. name: qualified name, of a constructor that of its class. kind:
/// "kernel" for `__global__`; the first parameter of a method or a constructor is the symbol `this`, a
/// reference to its object. initialisers: of a constructor, member name and value. launch_bounds: of a
/// kernel, as far as given. main: defined in the file itself, not in an include.
inline Node Function(std::string_view key, std::string_view name, const std::vector<Node>& template_,
                     const std::vector<Node>& parameters, const Type& result,
                     const std::vector<Statement>& body, std::string_view kind = "function",
                     const std::vector<std::pair<std::string, Expression>>& initialisers = {},
                     const std::vector<std::int64_t>& launch_bounds = {}, bool main = true,
                     const Place& place = Place{"<model>", 0}) {
  return {{Object("Function").part("key", key).part("name", name).part("template", template_)
      .part("parameters", parameters).part("result", result).part("body", body).part("kind", kind)
      .part("initialisers", initialisers).part("launch_bounds", launch_bounds).part("main", main)
      .part("place", place).text()}};
}

/// A translation unit: the functions defined in its file in the order of the text (instantiations of a
/// template in the order of their keys), the kernels of its includes, then the functions they call, by
/// key; and the constants of namespaces that they read, by name, if their initial value is known. Not
/// written are templates, lambdas, destructors, defaulted functions, methods of local classes, and what
/// stands in system headers.
inline Node Unit(std::string_view file, const std::vector<Node>& functions,
                 const std::vector<Statement>& constants = {}) {
  return {{Object("Unit").part("file", file).part("functions", functions)
      .part("constants", constants).text()}};
}

/// Clang's spelling of an operator, arity and the record's name of it.
inline constexpr struct {
  std::string_view spelling;
  int arity;
  std::string_view name;
} operators[] = {
    {"!", 1, "not"},
    {"-", 1, "neg"},
    {"*", 2, "mul"},
    {"/", 2, "div"},
    {"%", 2, "rem"},
    {"+", 2, "add"},
    {"-", 2, "sub"},
    {"<<", 2, "shl"},
    {">>", 2, "shr"},
    {"<", 2, "lt"},
    {"<=", 2, "le"},
    {">", 2, "gt"},
    {">=", 2, "ge"},
    {"==", 2, "eq"},
    {"!=", 2, "ne"},
    {"&", 2, "bitand"},
    {"&&", 2, "and"},
    {"||", 2, "or"},
};

/// Clang's classes that are not translated, and what they are called.
inline constexpr struct {
  std::string_view kind;
  std::string_view noun;
} reasons[] = {
    {"AtomicExpr", "an atomic operation"},
    {"CUDAKernelCallExpr", "a kernel launch"},
    {"CXXBindTemporaryExpr", "a temporary with a destructor"},
    {"CXXDeleteExpr", "a delete"},
    {"CXXDynamicCastExpr", "a dynamic_cast"},
    {"CXXForRangeStmt", "a range-based for loop"},
    {"CXXNewExpr", "a new"},
    {"CXXThrowExpr", "a throw"},
    {"CXXTryStmt", "a try block"},
    {"CXXTypeidExpr", "a typeid"},
    {"DoStmt", "a do loop"},
    {"GCCAsmStmt", "assembly"},
    {"GotoStmt", "a goto"},
    {"IndirectGotoStmt", "a goto"},
    {"LabelStmt", "a label"},
    {"LambdaExpr", "a lambda"},
    {"MSAsmStmt", "assembly"},
    {"OffsetOfExpr", "an offsetof"},
    {"PredefinedExpr", "a string"},
    {"StmtExpr", "a statement expression"},
    {"StringLiteral", "a string"},
    {"SwitchStmt", "a switch"},
    {"UserDefinedLiteral", "a user-defined literal"},
    {"WhileStmt", "a while loop"},
};

namespace situation {
inline constexpr std::string_view bit_field = "a bit-field";
inline constexpr std::string_view broken = "code that Clang cannot compile";
inline constexpr std::string_view condition_variable = "a declaration in a condition";
inline constexpr std::string_view destructor = "a variable with a destructor";
inline constexpr std::string_view if_initialiser = "an if with an initialiser";
inline constexpr std::string_view indirect_call = "a call through a pointer";
inline constexpr std::string_view lambda_call = "a call of a lambda";
inline constexpr std::string_view local_class = "a local class";
inline constexpr std::string_view member_pointer = "a pointer to a member";
inline constexpr std::string_view same_key = "an overload that differs only in the name of a type";
inline constexpr std::string_view size_of_class = "the size of a class";
inline constexpr std::string_view static_variable = "a static variable";
inline constexpr std::string_view structured_binding = "a structured binding";
inline constexpr std::string_view too_deep = "an expression nested too deeply";
inline constexpr std::string_view too_deep_statement = "a statement nested too deeply";
inline constexpr std::string_view virtual_call = "a virtual call";
}  // namespace situation

}  // namespace heddle::lift::record

#endif
