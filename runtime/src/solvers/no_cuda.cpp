// SPDX-License-Identifier: Apache-2.0
#include "cuda_loop.hpp"

#include "heddle/core/gpu/cuda.hpp"

namespace heddle::cuda {

bool loops_in_graphs() noexcept {
  return false;
}
Solution loop(const std::function<void(Stream&)>&, const float*, std::int64_t, const Stopping&) {
  refuse("solve");
}
Solution loop(const std::function<void(Stream&)>&, const double*, std::int64_t, const Stopping&) {
  refuse("solve");
}

} // namespace heddle::cuda
