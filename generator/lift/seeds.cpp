// SPDX-License-Identifier: Apache-2.0
// What fuzzing found worth keeping, run again without a fuzzer: each line of a file is one input of fuzz.cpp
// in hexadecimal digits. Then random snippets, the same in every run. Ends with 0 if nothing crashes.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::uint8_t> bytes(const std::string& line) {
  std::vector<std::uint8_t> result;
  for (std::size_t at = 0; at + 1 < line.size(); at += 2)
    result.push_back(static_cast<std::uint8_t>(std::stoi(line.substr(at, 2), nullptr, 16)));
  return result;
}

} // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: heddle-lift-seeds FILE NUMBER-OF-SNIPPETS\n";
    return 2;
  }
  std::ifstream stream(arguments[1]);
  int inputs = 0;
  for (std::string line; std::getline(stream, line); ++inputs) {
    const std::vector<std::uint8_t> input = bytes(line);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  const int snippets = std::atoi(arguments[2]);
  for (int number = 0; number < snippets; ++number) {
    std::mt19937 random(static_cast<unsigned>(number));
    std::vector<std::uint8_t> input{static_cast<std::uint8_t>(number % 2)}; // not text; CUDA or not
    for (int length = 0; length < 400; ++length)
      input.push_back(static_cast<std::uint8_t>(random()));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cout << inputs << " inputs and " << snippets << " snippets\n";
  return inputs > 0 ? 0 : 1;
}
