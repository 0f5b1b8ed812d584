// SPDX-License-Identifier: Apache-2.0
// Kernels within a host's parallel region. Legal: each thread calls kernels for cells of its own (tiles,
// blocks, columns), of one field or of several; a kernel's own region then has one thread, as OpenMP's
// default of one level says. Not legal: two threads that write the same cells. Between regions a kernel has
// all threads.
#include <omp.h>

#include <array>
#include <cstdint>
#include <vector>

#include "check.hpp"

namespace {

using heddle::adapters::View;

/// The rows from `first` on of a field.
View<double> rows(const hosts::Plain& field, std::int64_t first, std::int64_t count) {
  return {field.data + first * field.stride[1], {field.extent[0], count, field.extent[2], 1}, field.stride};
}

} // namespace

int main() {
  const hosts::Cells n{32, 24, 16};
  const hosts::Plain u(n, 1, 1), alone(n, 1, 1), tiled(n, 1, 1);
  hosts::for_cells(n, 1, [&](auto x, auto y, auto z) { u.at(x, y, z) = hosts::some_value(x, y, z, 0); });
  embedding::diffuse(rows(u, 0, n[1]), rows(alone, 0, n[1]), 0.1);

  omp_set_num_threads(4);
  omp_set_dynamic(0);
  int threads = 0;
  std::array<int, 64> refused{};
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(dynamic)
    for (std::int64_t row = 0; row < n[1]; row += 4)
      embedding::diffuse(rows(u, row, 4), rows(tiled, row, 4), 0.1);
    // An exception must not leave the region: who calls C entries gets a status.
    const View<double> whole = rows(u, 0, n[1]);
    refused[static_cast<std::size_t>(omp_get_thread_num())] = embedding_diffuse_f64(
        whole.data(), whole.extents(), whole.strides(), whole.data(), whole.extents(), whole.strides(), 0.1);
  }
  std::int64_t wrong = 0;
  hosts::for_cells(n, 0, [&](auto x, auto y, auto z) {
    wrong += !hosts::same_bits(alone.at(x, y, z), tiled.at(x, y, z));
  });
  hosts::expect(threads == 4, "the host's region has four threads");
  hosts::expect(wrong == 0, "tiles of four threads give the bits of one call");
  for (int thread = 0; thread < 4; ++thread)
    hosts::expect(refused[static_cast<std::size_t>(thread)] == heddle::fields_overlap, "the entry's status");

  // Nested regions, where a host asks for them: more threads, the same bits.
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
  for (std::int64_t row = 0; row < n[1]; row += 12)
    embedding::diffuse(rows(u, row, 12), rows(tiled, row, 12), 0.1);
  hosts::for_cells(n, 0, [&](auto x, auto y, auto z) {
    wrong += !hosts::same_bits(alone.at(x, y, z), tiled.at(x, y, z));
  });
  hosts::expect(wrong == 0, "nested regions give the bits of one call");
  return hosts::result();
}
