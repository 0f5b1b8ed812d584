// SPDX-License-Identifier: Apache-2.0
// One translation unit of Clang's, as the record that heddle.ir.source describes. Nothing is decided here:
// each node of Clang's tree becomes the record's node, or an unknown with its reason.
#ifndef HEDDLE_LIFT_TRANSLATION_HPP
#define HEDDLE_LIFT_TRANSLATION_HPP

#include "nodes.hpp"

#include <map>
#include <set>

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

namespace heddle::lift {

class Translation {
public:
  /// broken: functions and templates in whose bodies Clang found errors.
  explicit Translation(clang::ASTContext& context, std::set<const clang::FunctionDecl*> broken = {});

  /// The whole unit. only: functions of this name, last part of the name or key, and what they call; empty:
  /// all.
  Node unit(const std::string& only);

private:
  // types.cpp: types, names and places
  Type type(clang::QualType qualified) const;
  Type scalar(const clang::BuiltinType& builtin) const;
  std::optional<Expression> dimension(const clang::Expr* length) const;
  Type pointer(clang::QualType pointee) const;
  std::string type_name(clang::QualType qualified) const;
  std::string scope(const clang::DeclContext* context) const;
  std::string name(const clang::NamedDecl& declaration) const;
  std::string name(const clang::FunctionDecl& function) const;
  std::string key(const clang::FunctionDecl& function) const;
  struct Arguments {
    std::string text; ///< `<4, double>`, empty for none
    std::vector<Node> nodes;
  };
  Arguments template_arguments(const clang::TemplateArgumentList* list) const;
  void template_argument(const clang::TemplateArgument& argument, std::vector<std::string>& texts,
                         std::vector<Node>& nodes) const;
  Place place(clang::SourceLocation location) const;
  /// The `omp` pragmas on the lines before a `for`.
  std::string pragma(clang::SourceLocation location) const;

  // expressions.cpp
  Expression expression(const clang::Expr* expression);
  Expression translated(const clang::Expr& expression);
  Expression literal(const clang::Expr& literal);
  Expression reference(const clang::DeclRefExpr& reference);
  Expression object(const clang::Expr& base, bool arrow);
  Expression member(const clang::MemberExpr& member);
  Expression unary(const clang::UnaryOperator& operation);
  Expression binary(const clang::BinaryOperator& operation);
  bool keeps_numbers(clang::QualType from, clang::QualType to) const;
  Expression cast(const clang::CastExpr& cast);
  Expression call(const clang::CallExpr& call);
  Expression construction(const clang::CXXConstructExpr& construction);
  Expression initializer(const clang::InitListExpr& list);
  Expression zero(clang::QualType qualified) const;
  Expression converted(const Expression& value, const Type& from, const Type& to,
                       const clang::Expr& at) const;
  Expression operation(std::string_view spelling, const std::vector<Expression>& arguments,
                       const std::vector<Type>& types, const Type& result, const clang::Expr& at) const;
  Expression unknown(std::string_view reason, const clang::Stmt& at) const;
  Expression invoke(const clang::FunctionDecl& function, std::vector<Expression> arguments,
                    const Type& result, bool lvalue);

  // statements.cpp
  using Statements = std::vector<Statement>;
  Statements statements(const clang::Stmt* statement); ///< a body: its braces are no Block
  void append(const clang::Stmt& statement, Statements& to);
  void append_expression(const clang::Expr& expression, Statements& to);
  void append_unknown(const clang::Stmt& statement, Statements& to);
  void append_declaration(const clang::Decl& declaration, const clang::Stmt& at, Statements& to);
  Statement variable(const clang::VarDecl& variable, const clang::Stmt& at);
  Statement assignment(const clang::BinaryOperator& operation);
  Statement step(const clang::UnaryOperator& operation);
  Statement branch(const clang::IfStmt& branch);
  void append_constexpr(const clang::IfStmt& branch, Statements& to);

  // functions.cpp: what belongs to the unit
  bool is_visible(const clang::FunctionDecl& function) const;
  void collect(const clang::DeclContext& declarations);
  void collect(const clang::Decl& declaration);
  void collect(const clang::FunctionDecl& function);
  void request(const clang::FunctionDecl& definition);
  void request(const clang::VarDecl& variable); ///< written if it is a constant
  void request(const clang::EnumConstantDecl& constant);
  void write_constant(const clang::VarDecl& initialised);
  Node function(const clang::FunctionDecl& definition);
  std::map<std::string, const clang::FunctionDecl*> follow_requests();
  bool in_main_file(const clang::Decl& declaration) const;
  bool is_broken(const clang::FunctionDecl& definition) const;

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  clang::PrintingPolicy policy_;
  // How deep it is nested, so that no input exhausts the stack, here or in Python's JSON reader.
  int expression_depth_ = 0;
  int statement_depth_ = 0;

  struct Found {
    const clang::FunctionDecl* definition;
    bool included;
    unsigned offset;
  };
  std::set<const clang::FunctionDecl*> broken_;
  std::set<const clang::Decl*> collected_;
  std::map<std::string, Found> main_; ///< by key: the functions of the file, the kernels of its includes
  std::vector<const clang::FunctionDecl*> wanted_;
  std::vector<const clang::VarDecl*> wanted_constants_;
  std::set<const clang::FunctionDecl*> known_;
  std::map<const clang::FunctionDecl*, Node> written_;
  std::set<std::string> ambiguous_; ///< keys that two functions share
  std::map<std::string, Statement> constants_;
};

} // namespace heddle::lift

#endif
