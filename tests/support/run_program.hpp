// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_RUN_PROGRAM_HPP
#define HEDDLE_TESTS_RUN_PROGRAM_HPP

#include <array>
#include <cstdio>
#include <string>

#include <sys/wait.h>

namespace test {

struct Outcome {
  int code;         // of the exit; -1 after a signal
  std::string text; // what went to stdout and stderr
};

/// Runs a line of the shell.
inline Outcome run_program(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "popen failed"};
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr)
    text += buffer.data();
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

} // namespace test

#endif
