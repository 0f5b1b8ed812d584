// SPDX-License-Identifier: Apache-2.0
// Which functions and constants make the record of a file.
#include "translation.hpp"

#include <algorithm>

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

namespace heddle::lift {

Translation::Translation(clang::ASTContext& context)
    : context_(context), sources_(context.getSourceManager()), policy_(context.getPrintingPolicy()) {
  policy_.SuppressTagKeyword = true;
  policy_.SuppressUnwrittenScope = true; // anonymous namespaces
  policy_.AnonymousTagLocations = false; // no path of this machine in the record
}

namespace {

/// An instantiated template, or no template at all.
bool is_concrete(const clang::FunctionDecl& function) {
  return !function.isDependentContext() && function.getDescribedFunctionTemplate() == nullptr;
}

bool is_of_lambda(const clang::FunctionDecl& function) {
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->getParent()->isLambda();
}

} // namespace

bool Translation::in_main_file(const clang::Decl& declaration) const {
  const clang::SourceLocation location = sources_.getExpansionLoc(declaration.getLocation());
  return location.isValid() && sources_.isInMainFile(location);
}

/// Whether the body of a definition is written.
bool Translation::is_visible(const clang::FunctionDecl& function) const {
  return function.doesThisDeclarationHaveABody() && is_concrete(function) && !function.isImplicit() &&
         !function.isDefaulted() && !function.isInvalidDecl() && !llvm::isa<clang::CXXDestructorDecl>(function) &&
         !is_of_lambda(function) && !llvm::isa<clang::CXXDeductionGuideDecl>(function) &&
         !sources_.isInSystemHeader(sources_.getExpansionLoc(function.getLocation()));
}

void Translation::collect(const clang::DeclContext& declarations) {
  for (const clang::Decl* const declaration : declarations.decls()) collect(*declaration);
}

void Translation::collect(const clang::Decl& declaration) {
  if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
    collect(*function);
  } else if (const auto* const pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
    for (const clang::FunctionDecl* const instance : pattern->specializations()) collect(*instance);
  } else if (const auto* const type_pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
    for (const clang::ClassTemplateSpecializationDecl* const instance : type_pattern->specializations()) {
      collect(static_cast<const clang::DeclContext&>(*instance));
    }
  } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::RecordDecl>(declaration)) {
    collect(*llvm::cast<clang::DeclContext>(&declaration));
  }
}

void Translation::collect(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const definition = function.getDefinition();
  if (definition == nullptr || !is_visible(*definition) || !in_main_file(*definition)) return;
  const std::string key = this->key(*definition);
  const unsigned offset = sources_.getFileOffset(sources_.getExpansionLoc(definition->getLocation()));
  const auto [place, added] = main_.insert({key, {definition, offset}});
  if (!added && place->second.definition->getCanonicalDecl() != definition->getCanonicalDecl()) {
    ambiguous_.insert(key);
  }
}

void Translation::request(const clang::FunctionDecl& definition) {
  if (known_.insert(definition.getCanonicalDecl()).second) wanted_.push_back(&definition);
}

void Translation::request(const clang::VarDecl& variable) {
  const clang::VarDecl* initialised = nullptr;
  const clang::Expr* const value = variable.getAnyInitializer(initialised);
  const clang::QualType written = variable.getType();
  if (value == nullptr || written->isReferenceType() || value->isValueDependent()) return;
  if (!context_.getBaseElementType(written).isConstQualified()) return;
  const std::string name = this->name(variable);
  const auto [place, added] = constants_.insert({name, {}});
  if (!added) return;
  const Expression entry = expression(value);
  place->second =
      record::Declaration(record::Symbol(name, type(written)), entry, true, "", false,
                          static_cast<std::int64_t>(initialised->getMaxAlignment() / 8),
                          this->place(initialised->getLocation()));
}

void Translation::request(const clang::EnumConstantDecl& constant) {
  const llvm::APSInt& value = constant.getInitVal();
  const clang::QualType written =
      llvm::cast<clang::EnumDecl>(constant.getDeclContext())->getIntegerType();
  const Type kind = type(written);
  const std::string name = this->name(constant);
  const Number digits = value.isUnsigned() ? number(value.getZExtValue()) : number(value.getSExtValue());
  constants_.insert({name, record::Declaration(record::Symbol(name, kind), record::Const(digits, kind), true, "",
                                               false, 0, place(constant.getLocation()))});
}

Node Translation::function(const clang::FunctionDecl& definition) {
  std::vector<Node> parameters;
  std::string_view kind = definition.hasAttr<clang::CUDAGlobalAttr>() ? "kernel" : "function";
  std::vector<std::pair<std::string, Expression>> initialisers;
  Type result = type(definition.getReturnType());
  if (const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&definition); method && !method->isStatic()) {
    kind = "method";
    const Type self = type(context_.getTypeDeclType(method->getParent()));
    parameters.push_back(record::FunctionParameter(record::Symbol("this", self), false, true));
    if (const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(method)) {
      kind = "constructor";
      result = self;
      for (const clang::CXXCtorInitializer* const entry : constructor->inits()) {
        const std::string member = entry->isAnyMemberInitializer() ? entry->getAnyMember()->getNameAsString() : "";
        initialisers.emplace_back(member, expression(entry->getInit()));
      }
    }
  }
  for (const clang::ParmVarDecl* const parameter : definition.parameters()) {
    const clang::QualType written = parameter->getType();
    parameters.push_back(record::FunctionParameter(record::Symbol(parameter->getName(), type(written)),
                                                   written.isRestrictQualified(), written->isReferenceType()));
  }
  std::vector<std::int64_t> bounds;
  if (const auto* const attribute = definition.getAttr<clang::CUDALaunchBoundsAttr>()) {
    for (const clang::Expr* const bound : {attribute->getMaxThreads(), attribute->getMinBlocks()}) {
      clang::Expr::EvalResult value;
      if (bound != nullptr && !bound->isValueDependent() && bound->EvaluateAsInt(value, context_)) {
        bounds.push_back(value.Val.getInt().getExtValue());
      }
    }
  }
  const std::string key = this->key(definition);
  const Place at = place(definition.getLocation());
  Statements body = ambiguous_.count(key) > 0
                        ? Statements{record::UnknownStatement(record::situation::same_key, at)}
                        : statements(definition.getBody());
  return record::Function(key, name(definition), template_arguments(definition), parameters, result, body, kind,
                          initialisers, bounds, in_main_file(definition), at);
}

Node Translation::unit(const std::string& only) {
  collect(static_cast<const clang::DeclContext&>(*context_.getTranslationUnitDecl()));
  std::vector<std::pair<unsigned, std::string>> order;
  for (const auto& [key, found] : main_) {
    const std::string name = this->name(*found.definition);
    const std::string last = name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
    if (only.empty() || only == key || only == name || only == last) order.emplace_back(found.offset, key);
  }
  std::sort(order.begin(), order.end());
  std::vector<Node> functions;
  for (const auto& [offset, key] : order) {
    const clang::FunctionDecl& definition = *main_.at(key).definition;
    known_.insert(definition.getCanonicalDecl());
  }
  for (const auto& [offset, key] : order) functions.push_back(function(*main_.at(key).definition));
  std::map<std::string, Node> called;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {  // grows while functions are written
    const std::string key = this->key(*wanted_[i]);
    const bool other = called.count(key) > 0 || (main_.count(key) > 0 && main_.at(key).definition->getCanonicalDecl() !=
                                                                             wanted_[i]->getCanonicalDecl());
    if (other) ambiguous_.insert(key);
    called[key] = function(*wanted_[i]);
  }
  for (const auto& [key, node] : called) functions.push_back(node);
  std::vector<Statement> constants;
  for (const auto& [name, declaration] : constants_) constants.push_back(declaration);
  const Place begin = place(sources_.getLocForStartOfFile(sources_.getMainFileID()));
  return record::Unit(begin.file, functions, constants);
}

} // namespace heddle::lift
