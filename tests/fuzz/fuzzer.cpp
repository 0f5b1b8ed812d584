// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: the harness is the one that HEDDLE_FUZZ names. .ci/fuzz.py runs all of them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "reader.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const name = std::getenv("HEDDLE_FUZZ");
  fuzz::choose(name == nullptr ? "" : name);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)fuzz::read({data, size});
  return 0;
}
