// SPDX-License-Identifier: Apache-2.0
// Red-black SOR on the CPU.
#include <chrono>

#include "relaxation_case.hpp"

namespace {

struct Host {
  static constexpr heddle::Memory memory = heddle::Memory::host;

  template <typename F> static double seconds(heddle::Stream&, F&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  template <typename T>
  static void relax(heddle::Stream&, T* own, const T* other, const T* right, std::int64_t count, T factor) {
    streams::relax(own, other, right, count, factor);
  }
};

} // namespace

void bench::add_relaxation_host() {
  add_relaxation<float, Host>("/f32", 384, 15);
  add_relaxation<double, Host>("/f64", 320, 15);
}
