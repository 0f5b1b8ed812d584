// SPDX-License-Identifier: Apache-2.0
// Which functions and constants make the record of a file.
#include "translation.hpp"

#include <algorithm>
#include <tuple>

#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

namespace heddle::lift {

namespace {

/// From LLVM 15 on, Clang leaves out template arguments that are the default unless it is told not to.
template <typename Policy> void write_default_arguments(Policy& policy) {
  if constexpr (requires { policy.SuppressDefaultTemplateArgs; }) policy.SuppressDefaultTemplateArgs = false;
}

/// An instantiated template, or no template at all.
bool is_concrete(const clang::FunctionDecl& function) {
  return !function.isDependentContext() && function.getDescribedFunctionTemplate() == nullptr;
}

/// A method of a class that only one function knows.
bool is_local(const clang::FunctionDecl& function) {
  const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr &&
         (method->getParent()->isLambda() || method->getParent()->isLocalClass() != nullptr);
}

} // namespace

Translation::Translation(clang::ASTContext& context, std::set<const clang::FunctionDecl*> broken)
    : context_(context), sources_(context.getSourceManager()), policy_(context.getPrintingPolicy()),
      broken_(std::move(broken)) {
  policy_.SuppressTagKeyword = true;
  policy_.SuppressUnwrittenScope = true; // anonymous namespaces
  policy_.AnonymousTagLocations = false; // no path of this machine in the record
  write_default_arguments(policy_);
}

bool Translation::in_main_file(const clang::Decl& declaration) const {
  const clang::SourceLocation location = sources_.getExpansionLoc(declaration.getLocation());
  return location.isValid() && sources_.isInMainFile(location);
}

bool Translation::is_broken(const clang::FunctionDecl& definition) const {
  const clang::FunctionDecl* const pattern = definition.getTemplateInstantiationPattern();
  return broken_.count(&definition) > 0 || (pattern != nullptr && broken_.count(pattern) > 0);
}

/// Whether the body of a definition is written.
bool Translation::is_visible(const clang::FunctionDecl& function) const {
  return function.doesThisDeclarationHaveABody() && is_concrete(function) && !function.isImplicit() &&
         !function.isDefaulted() && !function.isInvalidDecl() &&
         !llvm::isa<clang::CXXDestructorDecl>(function) && !is_local(function) &&
         !llvm::isa<clang::CXXDeductionGuideDecl>(function) &&
         !sources_.isInSystemHeader(sources_.getExpansionLoc(function.getLocation()));
}

void Translation::collect(const clang::DeclContext& declarations) {
  for (const clang::Decl* const declaration : declarations.decls())
    collect(*declaration);
}

void Translation::collect(const clang::Decl& declaration) {
  if (!collected_.insert(&declaration).second) return; // friends can lead back to where one came from
  if (sources_.isInSystemHeader(sources_.getExpansionLoc(declaration.getLocation()))) return;
  if (const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
    collect(*function);
  } else if (const auto* const pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
    for (const clang::FunctionDecl* const instance : pattern->specializations())
      collect(*instance);
  } else if (const auto* const type_pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
    for (const clang::ClassTemplateSpecializationDecl* const instance : type_pattern->specializations()) {
      collect(static_cast<const clang::DeclContext&>(*instance));
    }
  } else if (const auto* const befriended = llvm::dyn_cast<clang::FriendDecl>(&declaration)) {
    const clang::NamedDecl* const named = befriended->getFriendDecl();
    if (named != nullptr && llvm::isa<clang::FunctionDecl, clang::FunctionTemplateDecl>(named))
      collect(*named);
  } else if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::RecordDecl>(declaration)) {
    collect(*llvm::cast<clang::DeclContext>(&declaration));
  }
}

void Translation::collect(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const definition = function.getDefinition();
  if (definition == nullptr || !is_visible(*definition)) return;
  const bool included = !in_main_file(*definition);
  if (included && !definition->hasAttr<clang::CUDAGlobalAttr>()) return;
  const std::string key = this->key(*definition);
  const unsigned offset = sources_.getFileOffset(sources_.getExpansionLoc(definition->getLocation()));
  const auto [place, added] = main_.insert({key, {definition, included, offset}});
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
  if (constants_.insert({name(variable), {}}).second) wanted_constants_.push_back(initialised);
}

void Translation::write_constant(const clang::VarDecl& initialised) {
  const std::string name = this->name(initialised);
  expression_depth_ = 0;
  const Expression value = expression(initialised.getInit());
  constants_[name] = record::Declaration(record::Symbol(name, type(initialised.getType())), value, true, "",
                                         false, static_cast<std::int64_t>(initialised.getMaxAlignment() / 8),
                                         place(initialised.getLocation()));
}

void Translation::request(const clang::EnumConstantDecl& constant) {
  const llvm::APSInt& value = constant.getInitVal();
  const clang::QualType written = llvm::cast<clang::EnumDecl>(constant.getDeclContext())->getIntegerType();
  const Type kind = type(written);
  const std::string name = this->name(constant);
  const Number digits = value.isUnsigned() ? number(value.getZExtValue()) : number(value.getSExtValue());
  constants_.insert({name, record::Declaration(record::Symbol(name, kind), record::Const(digits, kind), true,
                                               "", false, 0, place(constant.getLocation()))});
}

Node Translation::function(const clang::FunctionDecl& definition) {
  std::vector<Node> parameters;
  std::string_view kind = definition.hasAttr<clang::CUDAGlobalAttr>() ? "kernel" : "function";
  std::vector<std::pair<std::string, Expression>> initialisers;
  Type result = type(definition.getReturnType());
  if (const auto* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&definition);
      method && !method->isStatic()) {
    kind = "method";
    const Type self = type(context_.getTypeDeclType(method->getParent()));
    parameters.push_back(record::FunctionParameter(record::Symbol("this", self), false, true));
    if (const auto* const constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(method)) {
      kind = "constructor";
      result = self;
      for (const clang::CXXCtorInitializer* const entry : constructor->inits()) {
        const std::string member =
            entry->isAnyMemberInitializer() ? entry->getAnyMember()->getNameAsString() : "";
        initialisers.emplace_back(member, expression(entry->getInit()));
      }
    }
  }
  for (const clang::ParmVarDecl* const parameter : definition.parameters()) {
    const clang::QualType written = parameter->getType();
    parameters.push_back(record::FunctionParameter(record::Symbol(parameter->getName(), type(written)),
                                                   written.isRestrictQualified(),
                                                   written->isReferenceType()));
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
  Statements body;
  if (ambiguous_.count(key) > 0) {
    body.push_back(record::UnknownStatement(record::situation::same_key, at));
  } else if (is_broken(definition)) {
    body.push_back(record::UnknownStatement(record::situation::broken, at));
  } else {
    body = statements(definition.getBody());
  }
  return record::Function(key, name(definition),
                          template_arguments(definition.getTemplateSpecializationArgs()).nodes, parameters,
                          result, body, kind, initialisers, bounds, in_main_file(definition), at);
}

/// Writes what the functions of the file ask for, and what that asks for in turn. Returns functions by key.
std::map<std::string, const clang::FunctionDecl*> Translation::follow_requests() {
  std::map<std::string, const clang::FunctionDecl*> called;
  std::size_t functions = 0;
  std::size_t constants = 0;
  while (functions < wanted_.size() || constants < wanted_constants_.size()) {
    if (functions == wanted_.size()) {
      write_constant(*wanted_constants_[constants++]);
      continue;
    }
    const clang::FunctionDecl& definition = *wanted_[functions++];
    const std::string key = this->key(definition);
    const auto main = main_.find(key);
    const bool is_another = main != main_.end() && main->second.definition != &definition;
    if (is_another || !called.insert({key, &definition}).second) {
      ambiguous_.insert(key);
    } else {
      written_[&definition] = function(definition);
    }
  }
  return called;
}

Node Translation::unit(const std::string& only) {
  collect(static_cast<const clang::DeclContext&>(*context_.getTranslationUnitDecl()));
  std::vector<std::tuple<bool, unsigned, std::string>> order;
  for (const auto& [key, found] : main_) {
    const std::string name = this->name(*found.definition);
    const std::string last = name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
    if (only.empty() || only == key || only == name || only == last) {
      order.emplace_back(found.included, found.offset, key);
    }
  }
  std::sort(order.begin(), order.end());
  // First all of them are known, so that a call among them does not ask for one as a callee.
  for (const auto& [included, offset, key] : order)
    known_.insert(main_.at(key).definition->getCanonicalDecl());
  std::vector<const clang::FunctionDecl*> definitions;
  for (const auto& [included, offset, key] : order)
    definitions.push_back(main_.at(key).definition);
  for (const clang::FunctionDecl* const definition : definitions)
    written_[definition] = function(*definition);
  for (const auto& [key, definition] : follow_requests())
    definitions.push_back(definition);
  std::vector<Node> functions;
  for (const clang::FunctionDecl* const definition : definitions) {
    // That two share a key may be known only after one was written.
    const bool ambiguous = !ambiguous_.empty() && ambiguous_.count(key(*definition)) > 0;
    functions.push_back(ambiguous ? function(*definition) : written_.at(definition));
  }
  std::vector<Statement> constants;
  for (const auto& [name, declaration] : constants_)
    constants.push_back(declaration);
  const Place begin = place(sources_.getLocForStartOfFile(sources_.getMainFileID()));
  return record::Unit(begin.file, functions, constants);
}

} // namespace heddle::lift
