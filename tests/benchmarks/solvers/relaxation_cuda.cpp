// SPDX-License-Identifier: Apache-2.0
// Red-black SOR on one GPU; 526^3 cells are the 145 million of the published case.
#include "cuda_timer.hpp"
#include "relaxation_case.hpp"

namespace {

struct Device {
  static constexpr heddle::Memory memory = heddle::Memory::device;

  template <typename F> static double seconds(heddle::Stream& stream, F&& work) {
    return bench::cuda_seconds(stream, work);
  }

  template <typename T>
  static void relax(heddle::Stream& stream, T* own, const T* other, const T* right, std::int64_t count,
                    T factor) {
    streams::relax_cuda(own, other, right, count, factor, stream.native());
  }
};

} // namespace

void bench::add_relaxation_cuda() {
  add_relaxation<float, Device>("/f32/cuda", 526, 21);
  add_relaxation<double, Device>("/f64/cuda", 400, 21);
}
