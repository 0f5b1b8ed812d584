// SPDX-License-Identifier: Apache-2.0
// Types, names and places.
#include "translation.hpp"

#include <algorithm>

#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::lift {

namespace {

Type described(Type type, std::string text) {
  type.text = std::move(text);
  return type;
}

Type number_type(char kind, std::uint64_t bits) {
  std::string text = kind == 'b' ? "bool" : kind + std::to_string(bits);
  return described({{R"({"type":")" + text + R"("})"}, {}}, text);
}

Type record_type(const std::string& name) {
  return described(record::Record(name), name);
}

/// What a class without a name that others could use is called; empty for all other classes.
std::string nameless(const clang::QualType canonical) {
  const clang::CXXRecordDecl* const record = canonical->getAsCXXRecordDecl();
  if (record == nullptr) return "";
  if (record->isLambda()) return "a lambda";
  if (!record->getDeclName() && record->getTypedefNameForAnonDecl() == nullptr) return "an unnamed class";
  return record->isLocalClass() != nullptr ? std::string(record::situation::local_class) : "";
}

/// In keys a reference is not its type, and const counts: functions may differ in them.
std::string parameter_text(const Type& type, clang::QualType written, const clang::ASTContext& context) {
  const auto constant = [&](clang::QualType of) {
    return context.getBaseElementType(of.getCanonicalType()).isConstQualified() ? " const" : "";
  };
  if (written->isReferenceType()) {
    return type.text + constant(written->getPointeeType()) + (written->isLValueReferenceType() ? "&" : "&&");
  }
  const bool plain = type.json.rfind(R"({"node":"PointerTo")", 0) != 0;
  return plain ? type.text
               : type.text.substr(0, type.text.size() - 1) + constant(written->getPointeeType()) + '*';
}

} // namespace

Type Translation::type(clang::QualType qualified) const {
  if (qualified.isNull()) return record_type("");
  const clang::QualType referred = qualified.getCanonicalType().getNonReferenceType();
  if (referred.isVolatileQualified()) return record_type(type_name(referred));
  const clang::QualType canonical = referred.getUnqualifiedType();
  const clang::Type* const bare = canonical.getTypePtr();
  if (const auto* const builtin = llvm::dyn_cast<clang::BuiltinType>(bare)) return scalar(*builtin);
  if (const auto* const enumeration = llvm::dyn_cast<clang::EnumType>(bare)) {
    return type(enumeration->getDecl()->getIntegerType());
  }
  if (bare->isPointerType()) return pointer(bare->getPointeeType());
  if (const auto* const array = llvm::dyn_cast<clang::ArrayType>(bare)) {
    const auto* const constant = llvm::dyn_cast<clang::ConstantArrayType>(array);
    const Type element = type(array->getElementType());
    const std::uint64_t length = constant != nullptr ? constant->getSize().getLimitedValue(INT64_MAX) : 0;
    const auto* const variable = llvm::dyn_cast<clang::VariableArrayType>(array);
    const auto size = variable != nullptr ? dimension(variable->getSizeExpr()) : std::nullopt;
    return described(record::Array(element, static_cast<std::int64_t>(length), size),
                     element.text + '[' + std::to_string(length) + ']');
  }
  const std::string unnamed = nameless(canonical);
  const std::string name = unnamed.empty() ? type_name(canonical) : unnamed;
  return name == "__half" ? number_type('f', 16) : record_type(name);
}

/// The length of an array: sums and products of local integers and literals, nothing for others.
std::optional<Expression> Translation::dimension(const clang::Expr* length) const {
  if (length == nullptr) return std::nullopt;
  const clang::Expr& bare = *length->IgnoreParens();
  if (!bare.getType()->isIntegralOrEnumerationType()) return std::nullopt;
  if (const auto* const cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&bare)) {
    const auto inner = dimension(cast->getSubExpr());
    if (!inner || cast->getCastKind() != clang::CK_IntegralCast) {
      return cast->getCastKind() == clang::CK_LValueToRValue ? inner : std::nullopt;
    }
    return record::Cast(*inner, type(cast->getType()));
  }
  if (const auto* const named = llvm::dyn_cast<clang::DeclRefExpr>(&bare)) {
    const auto* const variable = llvm::dyn_cast<clang::VarDecl>(named->getDecl());
    const bool local = variable != nullptr && variable->isLocalVarDeclOrParm() &&
                       !variable->isStaticLocal() && !variable->getType().isVolatileQualified();
    return local ? std::optional(record::Symbol(variable->getName(), type(variable->getType())))
                 : std::nullopt;
  }
  if (const auto* const number = llvm::dyn_cast<clang::IntegerLiteral>(&bare)) {
    const auto value = static_cast<std::int64_t>(number->getValue().getLimitedValue(INT64_MAX));
    return record::Const(heddle::lift::number(value), type(bare.getType()));
  }
  if (const auto* const both = llvm::dyn_cast<clang::BinaryOperator>(&bare)) {
    const char* const name = both->getOpcode() == clang::BO_Add   ? "add"
                             : both->getOpcode() == clang::BO_Sub ? "sub"
                             : both->getOpcode() == clang::BO_Mul ? "mul"
                                                                  : nullptr;
    const auto left = dimension(both->getLHS()), right = dimension(both->getRHS());
    if (name == nullptr || !left || !right) return std::nullopt;
    return record::Op(name, {*left, *right}, type(both->getType()));
  }
  return std::nullopt;
}

Type Translation::scalar(const clang::BuiltinType& builtin) const {
  const clang::QualType type(&builtin, 0);
  switch (builtin.getKind()) {
  case clang::BuiltinType::Void:
    return described(record::Void(), "void");
  case clang::BuiltinType::Bool:
    return number_type('b', 1);
  case clang::BuiltinType::Half:
  case clang::BuiltinType::Float16:
  case clang::BuiltinType::Float:
  case clang::BuiltinType::Double:
    return number_type('f', context_.getTypeSize(type));
  case clang::BuiltinType::Int128:
  case clang::BuiltinType::UInt128:
    return record_type(type_name(type));
  default:
    break;
  }
  if (builtin.isSignedInteger()) return number_type('i', context_.getTypeSize(type));
  if (builtin.isUnsignedInteger()) return number_type('u', context_.getTypeSize(type));
  return record_type(type_name(type));
}

Type Translation::pointer(clang::QualType pointee) const {
  const bool constant = context_.getBaseElementType(pointee).isConstQualified();
  const Type element = type(pointee);
  if (element.json.rfind(R"({"type":)", 0) == 0) {
    return described(record::Pointer(element, constant), element.text + (constant ? " const*" : "*"));
  }
  return described(record::PointerTo(element, constant), element.text + '*');
}

std::string Translation::type_name(clang::QualType qualified) const {
  return qualified.getCanonicalType().getAsString(policy_);
}

/// What stands before a name declared in `context`: `heddle::StridedRow<double>::`.
std::string Translation::scope(const clang::DeclContext* context) const {
  for (; context != nullptr; context = context->getParent()) {
    if (const auto* const space = llvm::dyn_cast<clang::NamespaceDecl>(context)) {
      if (space->isAnonymousNamespace() || space->isInline()) continue;
      return scope(space->getParent()) + space->getNameAsString() + "::";
    }
    if (const auto* const type = llvm::dyn_cast<clang::TagDecl>(context)) {
      if (!llvm::isa<clang::RecordDecl>(type) && !llvm::cast<clang::EnumDecl>(type)->isScoped()) continue;
      return type_name(context_.getTypeDeclType(type)) + "::";
    }
    if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(context))
      return name(*function) + "::";
  }
  return "";
}

std::string Translation::name(const clang::NamedDecl& declaration) const {
  const auto* const instance = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(&declaration);
  return scope(declaration.getDeclContext()) + declaration.getNameAsString() +
         (instance != nullptr ? template_arguments(&instance->getTemplateArgs()).text : "");
}

std::string Translation::name(const clang::FunctionDecl& function) const {
  if (const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&function)) {
    return type_name(context_.getTypeDeclType(constructor->getParent()));
  }
  if (const auto* const conversion = llvm::dyn_cast<clang::CXXConversionDecl>(&function)) {
    return scope(function.getDeclContext()) + "operator " + type_name(conversion->getConversionType());
  }
  return name(static_cast<const clang::NamedDecl&>(function));
}

std::string Translation::key(const clang::FunctionDecl& function) const {
  std::string parameters;
  for (const clang::ParmVarDecl* const parameter : function.parameters()) {
    const clang::QualType written = parameter->getType();
    parameters += (parameters.empty() ? "" : ", ") + parameter_text(type(written), written, context_);
  }
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return name(function) + template_arguments(function.getTemplateSpecializationArgs()).text + '(' +
         parameters + (method != nullptr && method->isConst() ? ") const" : ")");
}

Translation::Arguments Translation::template_arguments(const clang::TemplateArgumentList* list) const {
  Arguments result;
  if (list == nullptr || list->size() == 0) return result;
  std::vector<std::string> texts;
  for (const clang::TemplateArgument& argument : list->asArray()) {
    template_argument(argument, texts, result.nodes);
  }
  for (const std::string& text : texts) {
    result.text += (result.text.empty() ? "<" : ", ") + text;
  }
  result.text += result.text.empty() ? "" : ">";
  return result;
}

void Translation::template_argument(const clang::TemplateArgument& argument, std::vector<std::string>& texts,
                                    std::vector<Node>& nodes) const {
  switch (argument.getKind()) {
  case clang::TemplateArgument::Pack:
    for (const clang::TemplateArgument& entry : argument.pack_elements())
      template_argument(entry, texts, nodes);
    return;
  case clang::TemplateArgument::Integral: {
    std::string digits;
    llvm::raw_string_ostream(digits) << argument.getAsIntegral();
    texts.push_back(digits);
    nodes.push_back({digits});
    return;
  }
  case clang::TemplateArgument::Type:
    texts.push_back(type_name(argument.getAsType()));
    break;
  default: {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    argument.print(policy_, stream, true);
    texts.push_back(stream.str());
    break;
  }
  }
  nodes.push_back({quoted(texts.back())});
}

Place Translation::place(clang::SourceLocation location) const {
  const clang::SourceLocation used = sources_.getExpansionLoc(location);
  if (used.isInvalid()) return {"<model>", 0};
  const std::string file = sources_.getFilename(used).str();
  return {file.substr(file.find_last_of('/') + 1), sources_.getExpansionLineNumber(used)};
}

namespace {

/// The line of a text that ends before `end`, joined with those above it that end in a backslash; `end` moves
/// up to where it begins. Nothing at the beginning of the text.
std::optional<std::string> line_above(std::string_view text, std::size_t& end) {
  if (end == 0) return std::nullopt;
  std::string joined;
  do {
    const std::size_t newline = end - 1;
    const std::size_t before = newline == 0 ? std::string_view::npos : text.rfind('\n', newline - 1);
    end = before == std::string_view::npos ? 0 : before + 1;
    std::string line(text.substr(end, newline - end));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.back() == '\\') line.pop_back();
    joined = line + (joined.empty() ? "" : ' ' + joined);
  } while (end > 1 && (text[end - 2] == '\\' || (end > 2 && text[end - 2] == '\r' && text[end - 3] == '\\')));
  return joined;
}

/// The words of a line joined by single spaces, without a comment at its end.
std::string tidied(const std::string& line) {
  std::string result;
  for (const char character : line.substr(0, line.find("//"))) {
    const bool space = character == ' ' || character == '\t';
    if (!space) result += character;
    if (space && !result.empty() && result.back() != ' ') result += ' ';
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

} // namespace

std::string Translation::pragma(clang::SourceLocation location) const {
  if (location.isInvalid() || location.isMacroID()) return "";
  const auto [file, offset] = sources_.getDecomposedLoc(location);
  bool invalid = false;
  const llvm::StringRef buffer = sources_.getBufferData(file, &invalid);
  if (invalid || offset > buffer.size()) return "";
  const std::string_view text(buffer.data(), buffer.size());
  std::size_t begin = offset;
  for (; begin > 0 && text[begin - 1] != '\n'; --begin) {
    if (text[begin - 1] != ' ' && text[begin - 1] != '\t') return "";
  }
  std::string result;
  while (const std::optional<std::string> line = line_above(text, begin)) {
    std::string directive = tidied(*line);
    if (directive.rfind("# pragma", 0) == 0) directive.erase(1, 1);
    if (directive.rfind("#pragma omp ", 0) == 0) {
      result = directive.substr(8) + (result.empty() ? "" : '\n' + result);
    } else if (!directive.empty() && directive.rfind("#pragma", 0) != 0) {
      break;
    }
  }
  return result;
}

} // namespace heddle::lift
