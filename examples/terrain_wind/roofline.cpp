// SPDX-License-Identifier: Apache-2.0
#include "roofline.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>

#include "heddle/core/buffer.hpp"
#include "heddle/core/parallel.hpp"

namespace terrain_wind {
namespace {

constexpr std::int64_t streams = 19;
constexpr int passes = 7;

/// Values that differ from cell to cell and stream to stream.
void fill(float* data, std::int64_t stride, std::int64_t first, std::int64_t last) {
  for (std::int64_t q = 0; q < streams; ++q) {
    for (std::int64_t n = first; n < last; ++n)
      data[q * stride + n] = 0.01F * static_cast<float>((n * 31 + q * 17) % 97 + 1);
  }
}

/// f_q <- 1 - f_q in all streams, a few cells of each at a time, as a lattice Boltzmann step goes through
/// them.
void update(float* data, std::int64_t stride, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t chunk = 64;
  for (std::int64_t n = first; n < last; n += chunk) {
    const std::int64_t end = std::min(n + chunk, last);
    for (std::int64_t q = 0; q < streams; ++q) {
      float* const row = data + q * stride;
      for (std::int64_t i = n; i < end; ++i)
        row[i] = 1.0F - row[i];
    }
  }
}

} // namespace

double stream_bandwidth(std::int64_t cells) {
  const std::int64_t lines = (cells + 15) / 16 | 1; // odd: the streams lie on different sets of the cache
  const std::int64_t stride = 16 * lines;
  heddle::Buffer<float> buffer(streams * stride, heddle::Memory::host, heddle::Buffer<float>::Contents::zero,
                               stride);
  float* const data = buffer.data();
  heddle::parallel_ranges(cells,
                          [&](std::int64_t first, std::int64_t last) { fill(data, stride, first, last); });
  double best = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    heddle::parallel_ranges(
        cells, [&](std::int64_t first, std::int64_t last) { update(data, stride, first, last); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::max(best, static_cast<double>(2 * streams * cells) * sizeof(float) / seconds);
  }
  return best;
}

std::string roofline_line(double updates, double seconds, double bandwidth) {
  const double rate = updates / seconds;
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << "roofline: " << rate / 1e6 << " M updates/s, "
       << std::setprecision(0) << bytes_per_update << " B/update, " << std::setprecision(1)
       << rate * bytes_per_update / 1e9 << " GB/s";
  if (bandwidth > 0)
    text << ", " << std::setprecision(2) << rate * bytes_per_update / bandwidth
         << " of the in-place 19-stream bandwidth (" << std::setprecision(1) << bandwidth / 1e9 << " GB/s)";
  return text.str();
}

} // namespace terrain_wind
