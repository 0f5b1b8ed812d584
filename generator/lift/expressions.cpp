// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include "translation.hpp"

#include <clang/AST/DeclTemplate.h>

namespace heddle::lift {

namespace {

constexpr int deepest_expression = 400;

/// Integers, floats and bool: what the record's operators and casts work on.
bool is_number(const Type& type) {
  return type.json.rfind(R"({"type":)", 0) == 0;
}
bool is_float(const Type& type) {
  return is_number(type) && type.text[0] == 'f';
}
bool is_pointer(const Type& type) {
  return !type.text.empty() && type.text.back() == '*';
}
bool is_null(const Expression& expression) {
  return expression.json.rfind(R"({"node":"Symbol","name":"nullptr")", 0) == 0;
}
bool is_integer(const Type& type) {
  return is_number(type) && !is_float(type) && type.text != "bool";
}

const Type& index_type() {
  static const Type type{{R"({"type":"i64"})"}, "i64"};
  return type;
}

Expression null_pointer() {
  return record::Symbol("nullptr", record::PointerTo(record::Void()));
}

/// What stands for another expression of the same value.
const clang::Expr* inner(const clang::Expr& expression) {
  if (const auto* const parenthesis = llvm::dyn_cast<clang::ParenExpr>(&expression))
    return parenthesis->getSubExpr();
  if (const auto* const full = llvm::dyn_cast<clang::FullExpr>(&expression)) return full->getSubExpr();
  if (const auto* const made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(&expression))
    return made->getSubExpr();
  if (const auto* const parameter = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&expression)) {
    return parameter->getReplacement();
  }
  if (const auto* const argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(&expression))
    return argument->getExpr();
  if (const auto* const member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&expression))
    return member->getExpr();
  return nullptr;
}

/// The arguments that a function takes by reference to what is not constant. The object of a method is one.
std::vector<std::int64_t> references(const clang::FunctionDecl& function, std::size_t arguments) {
  std::vector<std::int64_t> found;
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  const bool of_object =
      method != nullptr && !method->isStatic() && !llvm::isa<clang::CXXConstructorDecl>(method);
  const std::size_t object = of_object ? 1 : 0;
  if (of_object && !method->isConst()) found.push_back(0);
  for (std::size_t at = 0; at < function.getNumParams() && at + object < arguments; ++at) {
    const clang::QualType kind = function.getParamDecl(static_cast<unsigned>(at))->getType();
    if (kind->isReferenceType() && !kind->getPointeeType().isConstQualified())
      found.push_back(static_cast<std::int64_t>(at + object));
  }
  return found;
}

} // namespace

Expression Translation::expression(const clang::Expr* expression) {
  if (expression == nullptr) return record::Unknown("nothing", {"<model>", 0});
  const int outside = expression_depth_;
  ++expression_depth_;
  while (const clang::Expr* const wrapped = inner(*expression)) {
    ++expression_depth_;
    expression = wrapped;
  }
  Expression result = expression_depth_ > deepest_expression
                          ? unknown(record::situation::too_deep, *expression)
                          : translated(*expression);
  expression_depth_ = outside;
  return result;
}

Expression Translation::translated(const clang::Expr& expression) {
  using clang::Stmt;
  switch (expression.getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::CXXBoolLiteralExprClass:
    return literal(expression);
  case Stmt::DeclRefExprClass:
    return reference(llvm::cast<clang::DeclRefExpr>(expression));
  case Stmt::MemberExprClass:
    return member(llvm::cast<clang::MemberExpr>(expression));
  case Stmt::CXXThisExprClass: {
    const Type object = type(expression.getType()->getPointeeType());
    return record::AddressOf(record::Symbol("this", object), type(expression.getType()));
  }
  case Stmt::ArraySubscriptExprClass: {
    const auto& subscript = llvm::cast<clang::ArraySubscriptExpr>(expression);
    return record::Subscript(this->expression(subscript.getBase()), this->expression(subscript.getIdx()),
                             type(expression.getType()));
  }
  case Stmt::UnaryOperatorClass:
    return unary(llvm::cast<clang::UnaryOperator>(expression));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return binary(llvm::cast<clang::BinaryOperator>(expression));
  case Stmt::ConditionalOperatorClass: {
    const auto& choice = llvm::cast<clang::ConditionalOperator>(expression);
    return record::Select(this->expression(choice.getCond()), this->expression(choice.getTrueExpr()),
                          this->expression(choice.getFalseExpr()));
  }
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
    return call(llvm::cast<clang::CallExpr>(expression));
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construction(llvm::cast<clang::CXXConstructExpr>(expression));
  case Stmt::InitListExprClass:
    return initializer(llvm::cast<clang::InitListExpr>(expression));
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
    return zero(expression.getType());
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::GNUNullExprClass:
    return null_pointer();
  case Stmt::UnaryExprOrTypeTraitExprClass: {
    const auto& trait = llvm::cast<clang::UnaryExprOrTypeTraitExpr>(expression);
    clang::Expr::EvalResult value;
    if (context_.getBaseElementType(trait.getTypeOfArgument())->isRecordType()) {
      return unknown(record::situation::size_of_class, expression);
    }
    if (trait.getKind() == clang::UETT_SizeOf && expression.EvaluateAsInt(value, context_)) {
      return record::Const(number(value.Val.getInt().getZExtValue()), type(expression.getType()));
    }
    return unknown("", expression);
  }
  default:
    break;
  }
  if (const auto* const conversion = llvm::dyn_cast<clang::CastExpr>(&expression)) return cast(*conversion);
  return unknown("", expression);
}

/// reason: empty for what the table has for the class.
Expression Translation::unknown(std::string_view reason, const clang::Stmt& at) const {
  const std::string_view kind = at.getStmtClassName();
  std::string noun(reason);
  if (noun.empty()) noun = "a " + std::string(kind);
  for (const auto& entry : record::reasons) {
    if (reason.empty() && entry.kind == kind) noun = entry.noun;
  }
  return record::Unknown(noun, place(at.getBeginLoc()));
}

Expression Translation::literal(const clang::Expr& literal) {
  const Type kind = type(literal.getType());
  if (!is_number(kind)) return unknown("a number of type " + kind.text, literal);
  if (const auto* const truth = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&literal)) {
    return record::Const(number(truth->getValue()), kind);
  }
  if (const auto* const real = llvm::dyn_cast<clang::FloatingLiteral>(&literal)) {
    return record::Const(number(real->getValueAsApproximateDouble()), kind);
  }
  clang::Expr::EvalResult value;
  if (!literal.EvaluateAsInt(value, context_)) return unknown("", literal);
  const llvm::APSInt& integer = value.Val.getInt();
  return record::Const(integer.isUnsigned() ? number(integer.getZExtValue()) : number(integer.getSExtValue()),
                       kind);
}

/// A zero of a number, no address, empty braces of an aggregate.
Expression Translation::zero(clang::QualType qualified) const {
  const Type kind = type(qualified);
  if (is_float(kind)) return record::Const(number(0.0), kind);
  if (kind.text == "bool") return record::Const(number(false), kind);
  if (is_number(kind)) return record::Const(number(std::int64_t{0}), kind);
  if (is_pointer(kind)) return null_pointer();
  return record::Initializer({}, kind);
}

Expression Translation::reference(const clang::DeclRefExpr& reference) {
  const clang::ValueDecl* const named = reference.getDecl();
  if (const auto* const constant = llvm::dyn_cast<clang::EnumConstantDecl>(named)) {
    request(*constant);
    return record::Symbol(name(*constant), type(reference.getType()));
  }
  if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named)) {
    const Type kind = type(variable->getType());
    if (variable->isLocalVarDeclOrParm()) return record::Symbol(variable->getName(), kind);
    request(*variable);
    return record::Symbol(name(*variable), kind);
  }
  if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(named)) {
    const clang::FunctionDecl* const definition = function->getDefinition();
    if (definition != nullptr && is_visible(*definition)) request(*definition);
    const std::string instance = template_arguments(function->getTemplateSpecializationArgs()).text;
    return record::Symbol(name(*function) + instance, type(function->getType()));
  }
  return unknown(std::string("a ") + named->getDeclKindName(), reference);
}

/// What a member or method belongs to: `this` and `p->` are written as the object itself.
Expression Translation::object(const clang::Expr& base, bool arrow) {
  if (!arrow) return expression(&base);
  const clang::Expr* bare = base.IgnoreParenImpCasts();
  const Type kind = type(base.getType()->getPointeeType());
  if (llvm::isa<clang::CXXThisExpr>(bare) &&
      bare->getType().getCanonicalType() == base.getType().getCanonicalType()) {
    return record::Symbol("this", kind);
  }
  return record::Subscript(expression(&base), record::Const(number(std::int64_t{0}), index_type()), kind);
}

Expression Translation::member(const clang::MemberExpr& member) {
  const clang::ValueDecl* const named = member.getMemberDecl();
  if (const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named)) { // a static one
    request(*variable);
    return record::Symbol(name(*variable), type(variable->getType()));
  }
  if (const auto* const constant = llvm::dyn_cast<clang::EnumConstantDecl>(named)) {
    request(*constant);
    return record::Symbol(name(*constant), type(member.getType()));
  }
  const auto* const field = llvm::dyn_cast<clang::FieldDecl>(named);
  if (field == nullptr) return unknown(record::situation::member_pointer, member);
  if (field->isBitField()) return unknown(record::situation::bit_field, member);
  const clang::RecordDecl& owner = *field->getParent();
  const bool alone = !owner.isUnion() && !owner.isDependentType() && !owner.isInvalidDecl();
  const std::int64_t apart =
      alone ? context_.getTypeSizeInChars(context_.getTypeDeclType(&owner)).getQuantity() : 0;
  return record::Member(object(*member.getBase(), member.isArrow()), named->getNameAsString(),
                        type(member.getType()), apart,
                        alone ? static_cast<std::int64_t>(context_.getFieldOffset(field) / 8) : 0);
}

Expression Translation::unary(const clang::UnaryOperator& operation) {
  const clang::Expr* const operand = operation.getSubExpr();
  const Type result = type(operation.getType());
  switch (operation.getOpcode()) {
  case clang::UO_Plus:
  case clang::UO_Extension:
    return expression(operand);
  case clang::UO_Deref:
    if (const auto* const self = llvm::dyn_cast<clang::CXXThisExpr>(operand->IgnoreParens())) {
      return record::Symbol("this", type(self->getType()->getPointeeType()));
    }
    if (operation.getType()->isFunctionType()) return expression(operand);
    return record::Subscript(expression(operand), record::Const(number(std::int64_t{0}), index_type()),
                             result);
  case clang::UO_AddrOf:
    if (operation.getType()->isMemberPointerType())
      return unknown(record::situation::member_pointer, operation);
    if (operand->getType()->isFunctionType()) return expression(operand);
    return record::AddressOf(expression(operand), result);
  case clang::UO_PreInc:
  case clang::UO_PreDec:
  case clang::UO_PostInc:
  case clang::UO_PostDec:
    return unknown("the operator " + clang::UnaryOperator::getOpcodeStr(operation.getOpcode()).str() +
                       " inside an expression",
                   operation);
  default:
    return this->operation(clang::UnaryOperator::getOpcodeStr(operation.getOpcode()).str(),
                           {expression(operand)}, {type(operand->getType())}, result, operation);
  }
}

Expression Translation::binary(const clang::BinaryOperator& operation) {
  const std::string spelling = operation.getOpcodeStr().str();
  if (operation.isAssignmentOp() || operation.getOpcode() == clang::BO_Comma) {
    return unknown("the operator " + spelling + " inside an expression", operation);
  }
  const clang::Expr* const left = operation.getLHS();
  const clang::Expr* const right = operation.getRHS();
  // Each side before the other: the order in which unknowns and requests appear is that of the text.
  std::vector<Expression> arguments{expression(left)};
  arguments.push_back(expression(right));
  return this->operation(spelling, arguments, {type(left->getType()), type(right->getType())},
                         type(operation.getType()), operation);
}

/// An operation of the table on numbers, or on a pointer and an integer; otherwise unknown.
Expression Translation::operation(std::string_view spelling, const std::vector<Expression>& arguments,
                                  const std::vector<Type>& types, const Type& result,
                                  const clang::Expr& at) const {
  bool numbers = is_number(result);
  for (const Type& type : types)
    numbers = numbers && is_number(type);
  for (const auto& entry : record::operators) {
    if (entry.spelling != spelling || static_cast<std::size_t>(entry.arity) != types.size()) continue;
    if (numbers) return record::Op(entry.name, arguments, result);
    const bool compares = entry.name == "eq" || entry.name == "ne";
    if (compares && (is_null(arguments[0]) || is_null(arguments[1])))
      return record::Op(entry.name, arguments, result);
    const bool additive = types.size() == 2 && (spelling == "+" || spelling == "-");
    if (!additive || !is_pointer(result)) continue;
    const auto steps = [](const Type& base, const Type& offset) {
      return (is_pointer(base) || base.text.ends_with(']')) && is_integer(offset);
    };
    if (steps(types[0], types[1])) return record::Op(entry.name, arguments, result);
    if (spelling == "+" && steps(types[1], types[0])) {
      return record::Op(entry.name, {arguments[1], arguments[0]}, result);
    }
  }
  return unknown("the operator " + std::string(spelling) + " on " + types[0].text, at);
}

Expression Translation::converted(const Expression& value, const Type& from, const Type& to,
                                  const clang::Expr& at) const {
  if (from.text == to.text) return value;
  if (!is_number(from) || !is_number(to))
    return unknown("a conversion from " + from.text + " to " + to.text, at);
  return record::Cast(value, to);
}

/// Whether both are pointers to the same numbers, or to arrays of them: what one points to the other can.
bool Translation::keeps_numbers(clang::QualType from, clang::QualType to) const {
  if (!from->isPointerType() || !to->isPointerType()) return false;
  const auto numbers = [this](clang::QualType pointer) {
    return context_.getBaseElementType(pointer->getPointeeType()).getCanonicalType().getUnqualifiedType();
  };
  return numbers(to)->isArithmeticType() && (from->isVoidPointerType() || numbers(from) == numbers(to));
}

Expression Translation::cast(const clang::CastExpr& cast) {
  const clang::Expr* const operand = cast.getSubExpr();
  switch (cast.getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_ArrayToPointerDecay:
  case clang::CK_NoOp:
  case clang::CK_ToVoid:
  case clang::CK_UserDefinedConversion:
  case clang::CK_ConstructorConversion:
  case clang::CK_FunctionToPointerDecay:
    return expression(operand);
  case clang::CK_NullToPointer:
    return null_pointer();
  case clang::CK_IntegralCast:
  case clang::CK_IntegralToBoolean:
  case clang::CK_IntegralToFloating:
  case clang::CK_FloatingToIntegral:
  case clang::CK_FloatingToBoolean:
  case clang::CK_FloatingCast:
  case clang::CK_BooleanToSignedIntegral:
    return converted(expression(operand), type(operand->getType()), type(cast.getType()), cast);
  case clang::CK_BitCast:
    if (cast.getType()->isVoidPointerType() || keeps_numbers(operand->getType(), cast.getType()))
      return expression(operand);
    [[fallthrough]];
  default:
    return unknown(std::string("the conversion ") + cast.getCastKindName(), cast);
  }
}

Expression Translation::invoke(const clang::FunctionDecl& function, std::vector<Expression> arguments,
                               const Type& result, bool lvalue) {
  const clang::FunctionDecl* const definition = function.getDefinition();
  const bool visible = definition != nullptr && is_visible(*definition);
  if (visible) request(*definition);
  const clang::FunctionDecl& called = visible ? *definition : function;
  return record::Invoke(visible ? key(called) : name(called),
                        template_arguments(called.getTemplateSpecializationArgs()).nodes, arguments, result,
                        lvalue, references(called, arguments.size()));
}

Expression Translation::call(const clang::CallExpr& call) {
  const clang::FunctionDecl* const callee = call.getDirectCallee();
  if (callee == nullptr) return unknown(record::situation::indirect_call, call);
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  if (method != nullptr && method->getParent()->isLambda())
    return unknown(record::situation::lambda_call, call);
  if (method != nullptr && method->getParent()->isLocalClass() != nullptr) {
    return unknown(record::situation::local_class, call);
  }
  if (method != nullptr && !method->isStatic() && method->getParent()->isPolymorphic()) {
    return unknown(record::situation::virtual_call, call);
  }
  std::vector<Expression> arguments;
  if (const auto* const of_member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    const auto* const member = llvm::dyn_cast<clang::MemberExpr>(of_member->getCallee()->IgnoreParens());
    if (member == nullptr || method == nullptr) return unknown(record::situation::indirect_call, call);
    if (!method->isStatic()) arguments.push_back(object(*member->getBase(), member->isArrow()));
  }
  for (const clang::Expr* const argument : call.arguments())
    arguments.push_back(expression(argument));
  return invoke(*callee, std::move(arguments), type(call.getType()),
                callee->getReturnType()->isReferenceType());
}

Expression Translation::construction(const clang::CXXConstructExpr& construction) {
  const clang::CXXConstructorDecl* const constructor = construction.getConstructor();
  const Type result = type(construction.getType());
  if (constructor->getParent()->isLocalClass() != nullptr && !constructor->getParent()->isLambda()) {
    return unknown(record::situation::local_class, construction);
  }
  if (constructor->isCopyOrMoveConstructor() && constructor->isTrivial() && construction.getNumArgs() > 0) {
    return expression(construction.getArg(0));
  }
  if (constructor->isDefaultConstructor() && constructor->isTrivial()) return record::Initializer({}, result);
  if (!result.text.empty() && result.text.back() == ']') return unknown("", construction);
  std::vector<Expression> arguments;
  for (const clang::Expr* const argument : construction.arguments())
    arguments.push_back(expression(argument));
  return invoke(*constructor, std::move(arguments), result, false);
}

Expression Translation::initializer(const clang::InitListExpr& written) {
  const clang::InitListExpr& list =
      written.isSemanticForm() || written.getSemanticForm() == nullptr ? written : *written.getSemanticForm();
  const Type kind = type(list.getType());
  if (is_number(kind) || is_pointer(kind)) {
    return list.getNumInits() == 0 ? zero(list.getType()) : expression(list.getInit(0));
  }
  if (list.isTransparent() && list.getNumInits() == 1) return expression(list.getInit(0));
  if (list.getType()->isUnionType()) return unknown("", list);
  std::vector<Expression> entries;
  for (unsigned i = 0; i < list.getNumInits(); ++i)
    entries.push_back(expression(list.getInit(i)));
  return record::Initializer(entries, kind);
}

} // namespace heddle::lift
