// SPDX-License-Identifier: Apache-2.0
// From a file, or from text, to its record.
#ifndef HEDDLE_LIFT_FRONT_HPP
#define HEDDLE_LIFT_FRONT_HPP

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::lift {

struct Request {
  std::string file;
  std::vector<std::string> flags; ///< as for the compiler, without its name and the file
  std::string build;              ///< folder of a compile_commands.json; empty: none, `flags` are all
  std::string shim;               ///< folder of the CUDA declarations
  std::string function;           ///< only this one and what it calls; empty: all
  bool partly = false;            ///< also where functions do not compile: all others
  std::vector<std::pair<std::string, std::string>>
      memory; ///< if not empty, all files there are: path and text
};

struct Result {
  std::optional<std::string> record; ///< absent where Clang found errors
  std::string diagnostics;
};

Result lift(const Request& request);

/// The same in a process of its own: a crash inside Clang is a diagnostic.
Result lift_isolated(const Request& request);

} // namespace heddle::lift

#endif
