// SPDX-License-Identifier: Apache-2.0
// Statements.
#include "translation.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/StmtCXX.h>

namespace heddle::lift {

namespace {

constexpr int deepest_statement = 200;

const clang::Expr& bare(const clang::Expr& expression) {
  const clang::Expr* inner = expression.IgnoreParens();
  while (const auto* const full = llvm::dyn_cast<clang::FullExpr>(inner))
    inner = full->getSubExpr()->IgnoreParens();
  return *inner;
}

/// Whether a `break` or `continue` in a statement leaves the loop around it.
bool leaves(const clang::Stmt* statement, bool in_switch) {
  if (statement == nullptr) return false;
  if (llvm::isa<clang::ContinueStmt>(statement)) return true;
  if (llvm::isa<clang::BreakStmt>(statement)) return !in_switch;
  if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement))
    return false; // theirs
  const bool inner = in_switch || llvm::isa<clang::SwitchStmt>(statement);
  for (const clang::Stmt* const child : statement->children()) {
    if (leaves(child, inner)) return true;
  }
  return false;
}

/// `do { } while (0)`, which macros are made of.
bool runs_once(const clang::DoStmt& loop, const clang::ASTContext& context) {
  bool holds = true;
  const clang::Expr& condition = *loop.getCond();
  return !condition.isValueDependent() && !condition.HasSideEffects(context) &&
         condition.EvaluateAsBooleanCondition(holds, context) && !holds && !leaves(loop.getBody(), false);
}

/// Whether the parts of a statement are all that it does.
bool shows_its_parts(const clang::Stmt& statement) {
  return llvm::isa<clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt, clang::SwitchStmt,
                   clang::SwitchCase, clang::LabelStmt, clang::CXXTryStmt, clang::CXXCatchStmt>(statement);
}

} // namespace

Translation::Statements Translation::statements(const clang::Stmt* statement) {
  Statements result;
  while (const auto* const attributed = llvm::dyn_cast_or_null<clang::AttributedStmt>(statement)) {
    statement = attributed->getSubStmt();
  }
  if (statement == nullptr) return result;
  if (const auto* const compound = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
    for (const clang::Stmt* const entry : compound->body()) {
      if (entry != nullptr) append(*entry, result);
    }
  } else {
    append(*statement, result);
  }
  return result;
}

void Translation::append(const clang::Stmt& statement, Statements& to) {
  const Place at = place(statement.getBeginLoc());
  if (statement_depth_ >= deepest_statement) {
    to.push_back(record::UnknownStatement(record::situation::too_deep_statement, at));
    return;
  }
  const int outside = std::exchange(expression_depth_, 0);
  ++statement_depth_;
  using clang::Stmt;
  switch (statement.getStmtClass()) {
  case Stmt::NullStmtClass:
    break;
  case Stmt::CompoundStmtClass:
    to.push_back(record::Block(statements(&statement)));
    break;
  case Stmt::AttributedStmtClass:
    append(*llvm::cast<clang::AttributedStmt>(statement).getSubStmt(), to);
    break;
  case Stmt::DeclStmtClass:
    for (const clang::Decl* const declaration : llvm::cast<clang::DeclStmt>(statement).decls()) {
      append_declaration(*declaration, statement, to);
    }
    break;
  case Stmt::IfStmtClass: {
    const auto& branch = llvm::cast<clang::IfStmt>(statement);
    if (branch.isConstexpr() && branch.getInit() == nullptr) {
      append_constexpr(branch, to);
    } else {
      to.push_back(this->branch(branch));
    }
    break;
  }
  case Stmt::ForStmtClass: {
    const auto& loop = llvm::cast<clang::ForStmt>(statement);
    if (loop.getConditionVariable() != nullptr) {
      to.push_back(record::UnknownStatement(record::situation::condition_variable, at));
      break;
    }
    const Statements start = statements(loop.getInit());
    std::optional<Expression> condition;
    if (loop.getCond() != nullptr) condition = expression(loop.getCond());
    const Statements step = statements(loop.getInc());
    to.push_back(
        record::For(start, condition, step, statements(loop.getBody()), pragma(loop.getForLoc()), at));
    break;
  }
  case Stmt::DoStmtClass:
    if (const auto& loop = llvm::cast<clang::DoStmt>(statement); runs_once(loop, context_)) {
      to.push_back(record::Block(statements(loop.getBody())));
    } else {
      append_unknown(statement, to);
    }
    break;
  case Stmt::ReturnStmtClass: {
    const clang::Expr* const value = llvm::cast<clang::ReturnStmt>(statement).getRetValue();
    to.push_back(
        record::Exit("return", value == nullptr ? std::nullopt : std::optional(expression(value)), at));
    break;
  }
  case Stmt::ContinueStmtClass:
    to.push_back(record::Exit("continue", {}, at));
    break;
  case Stmt::BreakStmtClass:
    to.push_back(record::Exit("break", {}, at));
    break;
  default:
    if (const auto* const expression = llvm::dyn_cast<clang::Expr>(&statement)) {
      append_expression(*expression, to);
    } else {
      append_unknown(statement, to);
    }
  }
  --statement_depth_;
  expression_depth_ = outside;
}

void Translation::append_unknown(const clang::Stmt& statement, Statements& to) {
  std::string noun = std::string("a ") + statement.getStmtClassName();
  for (const auto& entry : record::reasons) {
    if (entry.kind == statement.getStmtClassName()) noun = entry.noun;
  }
  Statements inside;
  if (shows_its_parts(statement)) {
    for (const clang::Stmt* const part : statement.children()) {
      if (part != nullptr) append(*part, inside);
    }
  }
  to.push_back(record::UnknownStatement(noun, place(statement.getBeginLoc()), inside));
}

void Translation::append_expression(const clang::Expr& written, Statements& to) {
  const clang::Expr& expression = bare(written);
  if (const auto* const binary = llvm::dyn_cast<clang::BinaryOperator>(&expression)) {
    if (binary->getOpcode() == clang::BO_Comma) {
      append(*binary->getLHS(), to);
      append(*binary->getRHS(), to);
      return;
    }
    if (binary->isAssignmentOp()) {
      to.push_back(assignment(*binary));
      return;
    }
  }
  if (const auto* const unary = llvm::dyn_cast<clang::UnaryOperator>(&expression)) {
    if (unary->isIncrementDecrementOp()) {
      to.push_back(step(*unary));
      return;
    }
  }
  to.push_back(record::Evaluate(this->expression(&expression), place(written.getBeginLoc())));
}

Statement Translation::assignment(const clang::BinaryOperator& operation) {
  const Place at = place(operation.getBeginLoc());
  const clang::Expr* const left = operation.getLHS();
  const Expression target = expression(left);
  const Expression value = expression(operation.getRHS());
  const auto* const compound = llvm::dyn_cast<clang::CompoundAssignOperator>(&operation);
  if (compound == nullptr) return record::Assignment(target, value, false, at);
  const Type stored = type(left->getType());
  const Type computed = type(compound->getComputationLHSType());
  const Type result = type(compound->getComputationResultType());
  const std::string spelling = clang::BinaryOperator::getOpcodeStr(
                                   clang::BinaryOperator::getOpForCompoundAssignment(operation.getOpcode()))
                                   .str();
  const Expression updated =
      this->operation(spelling, {converted(target, stored, computed, operation), value},
                      {computed, type(operation.getRHS()->getType())}, result, operation);
  return record::Assignment(target, converted(updated, result, stored, operation), true, at);
}

/// `++a` is `a = a + 1` in the type that integers are promoted to.
Statement Translation::step(const clang::UnaryOperator& operation) {
  const clang::Expr* const operand = operation.getSubExpr();
  const Expression target = expression(operand);
  const Type stored = type(operand->getType());
  clang::QualType arithmetic = operand->getType().getUnqualifiedType();
  if (arithmetic->isIntegerType() &&
      context_.getTypeSize(arithmetic) < context_.getTypeSize(context_.IntTy)) {
    arithmetic = context_.IntTy;
  }
  const bool pointer = arithmetic->isPointerType();
  const Type computed = type(arithmetic);
  const Type unit = pointer ? type(context_.LongLongTy) : computed;
  const Number one = arithmetic->isFloatingType() ? number(1.0) : number(std::int64_t{1});
  const Expression updated =
      this->operation(operation.isIncrementOp() ? "+" : "-",
                      {converted(target, stored, computed, operation), record::Const(one, unit)},
                      {computed, unit}, computed, operation);
  return record::Assignment(target, converted(updated, computed, stored, operation), true,
                            place(operation.getBeginLoc()));
}

Statement Translation::branch(const clang::IfStmt& branch) {
  const Place at = place(branch.getBeginLoc());
  if (branch.getInit() != nullptr) return record::UnknownStatement(record::situation::if_initialiser, at);
  if (branch.getConditionVariable() != nullptr) {
    return record::UnknownStatement(record::situation::condition_variable, at);
  }
  if (branch.getCond() == nullptr) return record::UnknownStatement("a IfStmt", at); // `if consteval`
  const Expression condition = expression(branch.getCond());
  const Statements yes = statements(branch.getThen());
  return record::Branch(condition, yes, statements(branch.getElse()), at);
}

void Translation::append_constexpr(const clang::IfStmt& branch, Statements& to) {
  bool holds = false;
  const clang::Expr* const condition = branch.getCond();
  if (condition == nullptr || condition->isValueDependent() ||
      !condition->EvaluateAsBooleanCondition(holds, context_)) {
    to.push_back(record::UnknownStatement("a IfStmt", place(branch.getBeginLoc())));
    return;
  }
  const clang::Stmt* const taken = holds ? branch.getThen() : branch.getElse();
  if (taken != nullptr) to.push_back(record::Block(statements(taken)));
}

void Translation::append_declaration(const clang::Decl& declaration, const clang::Stmt& at, Statements& to) {
  if (llvm::isa<clang::DecompositionDecl>(declaration)) {
    to.push_back(record::UnknownStatement(record::situation::structured_binding, place(at.getBeginLoc())));
  } else if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
    to.push_back(this->variable(*variable, at));
  }
  // Everything else names types or checks something: no code.
}

Statement Translation::variable(const clang::VarDecl& variable, const clang::Stmt& at) {
  const Place begin = place(at.getBeginLoc());
  const clang::QualType written = variable.getType();
  const bool reference = written->isReferenceType();
  const bool shared = variable.hasAttr<clang::CUDASharedAttr>();
  const bool constant = !reference && context_.getBaseElementType(written).isConstQualified();
  if (variable.hasGlobalStorage() && !shared && !(constant && variable.hasInit())) {
    return record::UnknownStatement(record::situation::static_variable, begin);
  }
  if (!reference && written.isDestructedType() != clang::QualType::DK_none) {
    return record::UnknownStatement(record::situation::destructor, begin);
  }
  std::optional<Expression> value;
  const clang::Expr* const given = variable.getInit();
  const auto* const made = given == nullptr ? nullptr : llvm::dyn_cast<clang::CXXConstructExpr>(given);
  const bool nothing = made != nullptr && made->getConstructor()->isDefaultConstructor() &&
                       made->getConstructor()->isTrivial() && !made->requiresZeroInitialization();
  if (given != nullptr && !nothing) value = expression(given);
  return record::Declaration(record::Symbol(variable.getName(), type(written)), value, constant,
                             shared ? "shared" : "", reference,
                             static_cast<std::int64_t>(variable.getMaxAlignment() / 8), begin);
}

} // namespace heddle::lift
