// SPDX-License-Identifier: Apache-2.0
// heddle-lift: the record of C++ and CUDA files, one JSON document a line.
#include "front.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

namespace {

constexpr std::string_view usage = R"(usage: heddle-lift [option]... FILE... [-- FLAG...]

Writes what heddle.ir.source describes, one JSON document a line for each FILE.

  -p FOLDER          take flags from FOLDER/compile_commands.json; FLAGs are added
  --function NAME    only this function and what it calls
  --partly           where functions do not compile, write the others
  --output PATH      write there instead of to the standard output
  --shim FOLDER      the CUDA declarations, if not those of this program
  --version          the LLVM this was built with

Exit status: 0; 1 if Clang found errors or a file cannot be read; 2 for a wrong call.
)";

struct Call {
  heddle::lift::Request request;
  std::vector<std::string> files;
  std::string output;
};

/// The CUDA declarations: installed beside the program, else those of the checkout it was built in.
std::string shim_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed =
      program.parent_path().parent_path() / "share/heddle/heddle/lift/shim/cuda";
  return !error && std::filesystem::is_directory(installed, error) ? installed.string() : HEDDLE_SHIM_DIR;
}

/// The value of an option that needs one, or nothing and a message.
const char* value(int count, char** arguments, int& at) {
  if (at + 1 < count) return arguments[++at];
  std::cerr << "heddle-lift: " << arguments[at] << " needs a value\n" << usage;
  return nullptr;
}

std::optional<Call> parse(int count, char** arguments) {
  Call call;
  call.request.shim = shim_folder();
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    std::string* place = nullptr;
    if (argument == "--") {
      call.request.flags.assign(arguments + i + 1, arguments + count);
      break;
    }
    if (argument == "-p") place = &call.request.build;
    if (argument == "--function") place = &call.request.function;
    if (argument == "--output") place = &call.output;
    if (argument == "--shim") place = &call.request.shim;
    if (argument == "--partly") {
      call.request.partly = true;
    } else if (place != nullptr) {
      const char* const given = value(count, arguments, i);
      if (given == nullptr) return std::nullopt;
      *place = given;
    } else if (argument.size() > 1 && argument[0] == '-') {
      std::cerr << "heddle-lift: no such option: " << argument << '\n' << usage;
      return std::nullopt;
    } else {
      call.files.emplace_back(argument);
    }
  }
  if (call.files.empty()) {
    std::cerr << "heddle-lift: no file given\n" << usage;
    return std::nullopt;
  }
  return call;
}

/// Into a file beside `path` first, so that `path` is whole or as before.
bool write(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(beside, path, error);
  if (stream && !error) return true;
  std::filesystem::remove(beside, error);
  std::cerr << "heddle-lift: cannot write " << path << '\n';
  return false;
}

} // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]) == "--version") {
    std::cout << "heddle-lift, LLVM " HEDDLE_LLVM_VERSION "\n";
    return 0;
  }
  std::optional<Call> call = parse(count, arguments);
  if (!call) return 2;
  std::string records;
  bool complete = true;
  for (const std::string& file : call->files) {
    call->request.file = file;
    const heddle::lift::Result result = heddle::lift::lift_isolated(call->request);
    if (!result.record) {
      std::cerr << result.diagnostics;
      if (result.diagnostics.empty()) std::cerr << "heddle-lift: " << file << ": cannot be read\n";
      complete = false;
      continue;
    }
    records += *result.record + '\n';
    if (call->output.empty()) {
      std::cout << records << std::flush;
      records.clear();
    }
  }
  if (!complete) return 1;
  return call->output.empty() || write(call->output, records) ? 0 : 1;
}
