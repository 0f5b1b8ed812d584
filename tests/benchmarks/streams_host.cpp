// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "heddle/device/run.hpp"
#include "streams.hpp"

namespace streams {
namespace {

constexpr std::int64_t chunk = 64;
constexpr int populations = 19;

template <typename T> void update(T* f, std::int64_t stride, std::int64_t count, T factor) {
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < count; begin += chunk) {
    const std::int64_t end = std::min(begin + chunk, count);
    T* q[populations];
    for (int i = 0; i < populations; ++i) {
      q[i] = f + i * stride;
    }
#pragma omp simd
    for (std::int64_t x = begin; x < end; ++x) {
      q[0][x] *= factor;
      q[1][x] *= factor;
      q[2][x] *= factor;
      q[3][x] *= factor;
      q[4][x] *= factor;
      q[5][x] *= factor;
      q[6][x] *= factor;
      q[7][x] *= factor;
      q[8][x] *= factor;
      q[9][x] *= factor;
      q[10][x] *= factor;
      q[11][x] *= factor;
      q[12][x] *= factor;
      q[13][x] *= factor;
      q[14][x] *= factor;
      q[15][x] *= factor;
      q[16][x] *= factor;
      q[17][x] *= factor;
      q[18][x] *= factor;
    }
  }
}

template <typename T>
void update_list(T* f, const std::uint32_t* neighbour, std::int64_t neighbour_stride,
                 const std::uint32_t* run, std::int64_t count, T factor) {
  constexpr int length = heddle::run_cells;
  constexpr int rows = populations - 1;
  constexpr auto prefetch_lines = static_cast<std::int64_t>(4 * 64 / sizeof(T));
  const std::int64_t chunks = (count + length - 1) / length;
#pragma omp parallel for schedule(static)
  for (std::int64_t c = 0; c < chunks; ++c) {
    const std::int64_t begin = c * length;
    const std::int64_t size = std::min<std::int64_t>(length, count - begin);
    heddle::prefetch<length>(f + begin + prefetch_lines);
    heddle::prefetch_runs<length, rows>(f, run + rows * std::min(c + prefetch_lines / length, chunks - 1));
    const std::uint32_t* const numbers = run + rows * c;
    alignas(64) T lanes[rows][length];
    T* line[rows];
    for (int r = 0; r < rows; ++r) {
      line[r] =
          heddle::load_run<length>(lanes[r], f, neighbour + r * neighbour_stride + begin, size, numbers + r);
    }
#pragma omp simd
    for (std::int64_t l = begin; l < begin + size; ++l) {
      f[l] *= factor;
    }
    for (int r = 0; r < rows; ++r) {
      T* const own = line[r];
#pragma omp simd
      for (std::int64_t l = 0; l < size; ++l) {
        own[l] *= factor;
      }
    }
    for (int r = 0; r < rows; ++r) {
      heddle::store_run<length>(f, line[r], neighbour + r * neighbour_stride + begin, size, numbers + r);
    }
  }
}

/// A cache line of each array at a time, asked for eight lines ahead: the fastest of fourteen forms (decision
/// 0105).
template <typename T> void copy(T* to, const T* from, std::int64_t stride, std::int64_t count) {
  constexpr auto line = static_cast<std::int64_t>(64 / sizeof(T));
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < count; begin += line) {
    const std::int64_t size = std::min(line, count - begin);
    for (int i = 0; i < populations; ++i) {
      const T* const source = from + i * stride + begin;
      alignas(64) T run[static_cast<std::size_t>(line)];
      heddle::prefetch<line>(source + 8 * line);
      if (size == line) { // of a length that the compiler knows: a load, not a call
        std::copy_n(source, line, run);
      } else {
        std::fill_n(std::copy_n(source, size, run), line - size, T()); // stream_run loads all of it
      }
      heddle::stream_run<line>(to + i * stride, begin, run, size);
    }
  }
}

template <typename T> void relax_rows(T* own, const T* other, const T* right, std::int64_t count, T factor) {
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < count; ++i) {
    own[i] += factor * (other[i] - right[i]);
  }
}

} // namespace

void relax(float* own, const float* other, const float* right, std::int64_t count, float factor) {
  relax_rows(own, other, right, count, factor);
}
void relax(double* own, const double* other, const double* right, std::int64_t count, double factor) {
  relax_rows(own, other, right, count, factor);
}
void update19(float* f, std::int64_t stride, std::int64_t count, float factor) {
  update(f, stride, count, factor);
}
void update19(double* f, std::int64_t stride, std::int64_t count, double factor) {
  update(f, stride, count, factor);
}
void update19_list(float* f, const std::uint32_t* neighbour, std::int64_t neighbour_stride,
                   const std::uint32_t* run, std::int64_t count, float factor) {
  update_list(f, neighbour, neighbour_stride, run, count, factor);
}
void update19_list(double* f, const std::uint32_t* neighbour, std::int64_t neighbour_stride,
                   const std::uint32_t* run, std::int64_t count, double factor) {
  update_list(f, neighbour, neighbour_stride, run, count, factor);
}
void copy19(float* to, const float* from, std::int64_t stride, std::int64_t count) {
  copy(to, from, stride, count);
}
void copy19(double* to, const double* from, std::int64_t stride, std::int64_t count) {
  copy(to, from, stride, count);
}

} // namespace streams
