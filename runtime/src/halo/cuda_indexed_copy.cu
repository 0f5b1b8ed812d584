// SPDX-License-Identifier: Apache-2.0
// One thread a row of the table.
#include <cuda_runtime.h>

#include "cuda_copies.hpp"
#include "heddle/core/gpu/cuda_check.hpp"
#include "indexed_copy_row.hpp"

namespace heddle::cuda {

namespace {

constexpr int threads = 256;

template <typename T>
__global__ void __launch_bounds__(threads)
    copy(std::uintptr_t from_base, std::uintptr_t to_base, const IndexedCopy* table, std::int64_t count) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (row < count) copy_indexed_row<T>(from_base, to_base, table[row]);
}

} // namespace

void copy_indexed(const void* from_base, void* to_base, std::size_t value_bytes, const IndexedCopy* table,
                  std::int64_t count, void* stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  const auto from = reinterpret_cast<std::uintptr_t>(from_base);
  const auto to = reinterpret_cast<std::uintptr_t>(to_base);
  with_bits(value_bytes, [&]<typename T>(T) {
    copy<T><<<blocks, threads, 0, static_cast<cudaStream_t>(stream)>>>(from, to, table, count);
  });
  check(cudaGetLastError(), "copy_indexed");
}

} // namespace heddle::cuda
