// SPDX-License-Identifier: Apache-2.0
// What the harnesses share. Each hands bytes to one reader, as the program that has this reader would, and
// checks that what was read is whole. A reader refuses bad input by a heddle::Error; whatever else happens is
// a defect: a crash, another exception, a report of a sanitizer, many seconds or gigabytes.
#ifndef HEDDLE_TESTS_FUZZ_READER_HPP
#define HEDDLE_TESTS_FUZZ_READER_HPP

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fuzz {

using Bytes = std::span<const std::uint8_t>;

/// A harness under its name, which is that of its folder in corpus/. It may throw a heddle::Error.
class Reader {
public:
  Reader(const char* name, void (*read)(Bytes));
};

/// Writes a file of that name into the folder of this process and returns its path.
std::string write(const std::string& name, Bytes bytes);
inline std::string write(const std::string& name, const std::string& text) {
  return write(name, Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}
/// The folder: in memory where there is such a file system, and removed when the process ends.
const std::string& folder();

/// A command line of a program, one argument a line.
class CommandLine {
public:
  CommandLine(const char* program, Bytes bytes);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(arguments_.size()); }
  [[nodiscard]] const char* const* arguments() const { return arguments_.data(); }

private:
  std::vector<std::string> words_;
  std::vector<const char*> arguments_;
};

/// Ends the process unless `whole`.
void require(bool whole, const char* what);

/// The harness of that name; the program ends where there is none. The limit on memory is that of a test.
void choose(const std::string& name);
/// Runs the chosen harness; whether it read the bytes: false where it refused them.
bool read(Bytes bytes);

} // namespace fuzz

#endif
