// SPDX-License-Identifier: Apache-2.0
// Running Clang in this process.
#include "front.hpp"

#include "translation.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

namespace heddle::lift {

namespace {

/// Prints what Clang says, and keeps where it found errors.
class Printer : public clang::TextDiagnosticPrinter {
public:
  using clang::TextDiagnosticPrinter::TextDiagnosticPrinter;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& diagnostic) override {
    clang::TextDiagnosticPrinter::HandleDiagnostic(level, diagnostic);
    if (level == clang::DiagnosticsEngine::Fatal) fatal_ = true;
    if (level == clang::DiagnosticsEngine::Error) errors_.push_back(diagnostic.getLocation());
  }

  bool fatal() const { return fatal_; }
  const std::vector<clang::SourceLocation>& errors() const { return errors_; }

private:
  std::vector<clang::SourceLocation> errors_;
  bool fatal_ = false;
};

/// The functions with a body that holds a place.
class Holders : public clang::RecursiveASTVisitor<Holders> {
public:
  Holders(const clang::SourceManager& sources, clang::SourceLocation place)
      : sources_(sources), place_(sources.getExpansionLoc(place)) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) { // NOLINT(readability-identifier-naming)
    if (!function->doesThisDeclarationHaveABody() || function->getBody() == nullptr) return true;
    const clang::SourceLocation begin = sources_.getExpansionLoc(function->getBody()->getBeginLoc());
    const clang::SourceLocation end = sources_.getExpansionLoc(function->getBody()->getEndLoc());
    if (sources_.getFileID(begin) != sources_.getFileID(place_)) return true;
    const unsigned at = sources_.getFileOffset(place_);
    if (sources_.getFileOffset(begin) < at && at <= sources_.getFileOffset(end)) found.insert(function);
    return true;
  }

  std::set<const clang::FunctionDecl*> found;

private:
  const clang::SourceManager& sources_;
  clang::SourceLocation place_;
};

/// The functions that do not compile, if all errors lie in the bodies of functions: then they change the
/// meaning of nothing else.
std::optional<std::set<const clang::FunctionDecl*>> broken(clang::ASTContext& context,
                                                           const Printer& printer) {
  std::set<const clang::FunctionDecl*> found;
  if (printer.fatal()) return std::nullopt;
  for (const clang::SourceLocation place : printer.errors()) {
    if (place.isInvalid()) return std::nullopt;
    Holders holders(context.getSourceManager(), place);
    holders.TraverseDecl(context.getTranslationUnitDecl());
    if (holders.found.empty()) return std::nullopt;
    found.insert(holders.found.begin(), holders.found.end());
  }
  return found;
}

class Consumer : public clang::ASTConsumer {
public:
  Consumer(const Request& request, const Printer& printer, std::optional<std::string>& record)
      : request_(request), printer_(printer), record_(record) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    const bool failed = context.getDiagnostics().hasErrorOccurred();
    if (failed && (!request_.partly || printer_.errors().empty())) return;
    const auto without = broken(context, printer_);
    if (without) record_ = Translation(context, *without).unit(request_.function).json;
  }

  /// The library's bodies are not written, and reading them takes most of the time.
  bool shouldSkipFunctionBody(clang::Decl* declaration) override {
    const clang::SourceManager& sources = declaration->getASTContext().getSourceManager();
    return sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation()));
  }

private:
  const Request& request_;
  const Printer& printer_;
  std::optional<std::string>& record_;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(const Request& request, const Printer& printer, std::optional<std::string>& record)
      : request_(request), printer_(printer), record_(record) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getDiagnostics().setIgnoreAllWarnings(true);
    compiler.getFrontendOpts().SkipFunctionBodies = true; // those that the consumer does not want
    return std::make_unique<Consumer>(request_, printer_, record_);
  }

private:
  const Request& request_;
  const Printer& printer_;
  std::optional<std::string>& record_;
};

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool names_language(const std::vector<std::string>& flags, std::string_view flag) {
  for (const std::string& entry : flags) {
    if (entry.rfind(flag, 0) == 0) return true;
  }
  return false;
}

/// The compiler's command line: what was given, and what every file needs.
std::vector<std::string> command(const Request& request, std::vector<std::string> flags) {
  std::vector<std::string> line{"clang++"};
  // Emitted text of HIP is read in the dialect of CUDA, which heddle/device/gpu.hpp then chooses.
  const bool cuda = ends_with(request.file, ".cu") || ends_with(request.file, ".cuh") ||
                    ends_with(request.file, ".hip") || ends_with(request.file, ".hip.hpp");
  if (cuda) {
    line.insert(line.end(), {"-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-isystem",
                             request.shim, "-include", "cuda.hpp"});
  } else if (!names_language(flags, "-x")) {
    line.insert(line.end(), {"-x", ends_with(request.file, ".c") ? "c" : "c++"}); // clang++ takes .c as C++
  }
  if (!names_language(flags, "-std") && !ends_with(request.file, ".c")) line.emplace_back("-std=c++20");
  line.insert(line.end(), flags.begin(), flags.end());
  line.insert(line.end(), {"-idirafter", request.shim + "/../openmp"}); // where Clang has no omp.h of its own
  if (request.partly) line.emplace_back("-ferror-limit=0");
  line.insert(line.end(),
              {"-fsyntax-only", "-w", "-fno-openmp", "-resource-dir", HEDDLE_RESOURCE_DIR, request.file});
  return line;
}

/// Whether a flag says what a file includes and defines. Others, for code generation, warnings, or nvcc,
/// would make the record depend on the machine, or are not known to Clang.
bool counts(std::string_view flag) {
  for (const std::string_view kind : {"-D", "-U", "-I", "-i", "-std=", "--std=", "-nostdinc"}) {
    if (flag.substr(0, kind.size()) == kind) return true;
  }
  return false;
}

/// Whether the value of a flag that counts may be the next word.
bool has_value_apart(std::string_view flag) {
  for (const std::string_view kind :
       {"-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot"}) {
    if (flag == kind) return true;
  }
  return false;
}

/// The flags of the file in a compilation database that count.
std::optional<std::vector<std::string>> recorded_flags(const Request& request, std::string& folder,
                                                       std::string& error) {
  const std::string path = request.build + "/compile_commands.json";
  const auto database = clang::tooling::CompilationDatabase::loadFromDirectory(request.build, error);
  if (database == nullptr) {
    // Clang's message has a line for each kind of database that it looked for.
    constexpr std::string_view kind = "json-compilation-database: ";
    const std::size_t at = error.find(kind);
    error = "error: " + path + ": " + (at == std::string::npos ? error : error.substr(at + kind.size()));
    return std::nullopt;
  }
  const auto commands = database->getCompileCommands(request.file);
  if (commands.empty()) {
    error = "error: " + path + ": no command for " + request.file + '\n';
    return std::nullopt;
  }
  folder = commands[0].Directory;
  std::vector<std::string> flags;
  const std::vector<std::string>& line = commands[0].CommandLine;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (!counts(line[i])) continue;
    flags.push_back(line[i]);
    if (has_value_apart(line[i]) && i + 1 < line.size()) flags.push_back(line[++i]);
  }
  return flags;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const Request& request) {
  if (request.memory.empty()) return llvm::vfs::getRealFileSystem();
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(new llvm::vfs::InMemoryFileSystem);
  for (const auto& [path, text] : request.memory)
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  return files;
}

} // namespace

Result lift(const Request& given) {
  Request request = given;
  Result result;
  std::string folder;
  std::vector<std::string> flags;
  if (!request.build.empty()) {
    request.file =
        clang::tooling::getAbsolutePath(request.file); // recorded commands run in a folder of their own
    const auto recorded = recorded_flags(request, folder, result.diagnostics);
    if (!recorded) return result;
    flags = *recorded;
  }
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions{folder}, file_system(request)));
  llvm::raw_string_ostream stream(result.diagnostics);
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  Printer printer(stream, options.get());
  clang::tooling::ToolInvocation invocation(
      command(request, flags), std::make_unique<Action>(request, printer, result.record), files.get());
  invocation.setDiagnosticConsumer(&printer);
  if (!invocation.run() && (!request.partly || printer.fatal())) result.record.reset();
  stream.flush();
  return result;
}

} // namespace heddle::lift
