// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: the first byte says whether the rest is text, or the choices of a random snippet, and
// the language. Nothing outside of memory is read. Build with -D HEDDLE_FUZZ=ON and Clang, then run
//   ASAN_OPTIONS=detect_container_overflow=0 heddle-lift-fuzz -detect_leaks=0 -max_len=4096 FOLDER
#include "front.hpp"
#include "snippets.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

/// The stand-ins for <cmath> and CUDA, at their own paths.
std::vector<std::pair<std::string, std::string>> shim() {
  std::vector<std::pair<std::string, std::string>> files;
  const std::filesystem::path folder = std::filesystem::path(HEDDLE_SHIM_DIR).parent_path();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files.emplace_back(entry.path().string(), std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  return files;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto files = shim();
  if (size == 0) return 0;
  const bool cuda = (data[0] & 1U) != 0;
  const bool text = (data[0] & 2U) != 0;
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  heddle::lift::Request request;
  request.file = cuda ? "/input.cu" : "/input.cpp";
  request.shim = HEDDLE_SHIM_DIR;
  request.flags = {"-nostdinc++", "-isystem", HEDDLE_SHIM_DIR "/../std"};
  request.memory = files;
  request.memory.emplace_back(request.file, text ? std::string(rest.begin(), rest.end())
                                                 : heddle::lift::snippet(rest, cuda));
  static const bool show = std::getenv("HEDDLE_FUZZ_SHOW") != nullptr;
  if (show) std::cout << request.memory.back().second << '\n';
  const heddle::lift::Result result = heddle::lift::lift(request);
  if (show) std::cout << result.diagnostics << result.record.value_or("no record") << '\n';
  // A record is whole: what is not, is a defect although nothing crashed.
  if (result.record && (result.record->front() != '{' || result.record->back() != '}')) std::abort();
  return 0;
}
