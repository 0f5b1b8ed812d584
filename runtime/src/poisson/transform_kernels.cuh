// SPDX-License-Identifier: Apache-2.0
// Kernels of the periodic transform of planes, with the points of a line in registers. A block has its
// threads in one row: those of a line beside each other for rows, those of neighbouring lines beside each
// other for columns. Own code: with it a Poisson solve is 1.06 to 1.99 times as fast as through cuFFT
// (decision 0143).
#ifndef HEDDLE_SRC_POISSON_TRANSFORM_KERNELS_CUH
#define HEDDLE_SRC_POISSON_TRANSFORM_KERNELS_CUH

#include <cstddef>
#include <cstdint>

#include "device_launch.hpp"
#include "heddle/device/fft.hpp"
#include "heddle/device/opaque.hpp"

namespace heddle::device {

/// How a block works on lines of `points_` complex numbers, `count_` of them a thread.
template <int points_, int count_, int block_> struct Lines {
  static constexpr int points = points_, count = count_, block = block_;
  static constexpr int threads = points / count; // of a line
  static constexpr int lines = block / threads;  // of a block
  static constexpr int of_line = shared_points<points, count>;
  template <class Real>
  static constexpr std::size_t shared_bytes = std::size_t{of_line} * lines * sizeof(Complex<Real>);
  static constexpr bool in_warps = threads <= 32 && 32 % threads == 0; // a line's threads lie in one warp
  static_assert(points % count == 0 && block % threads == 0);
};

/// Row j of a plane, as pairs of reals.
template <class Real>
__device__ inline Complex<Real>* row_of(const PlaneArguments<Real>& a, std::int64_t plane, std::int64_t j) {
  return reinterpret_cast<Complex<Real>*>(a.field + plane * a.plane_pitch + j * a.row_pitch);
}

/// Waves points - k of waves k = t + e * threads, which the threads of a line hold: all of them are with
/// thread threads - t, those of thread 0 with itself. Element e = 0 of thread 0 stays as it is.
template <class L, class Real>
__device__ inline void mirror(const Complex<Real> (&z)[L::count], Complex<Real> (&result)[L::count],
                              Complex<Real>* shared, int t) {
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    result[e] = z[e];
  if constexpr (L::in_warps) {
    const int there = (L::threads - t) % L::threads;
    HEDDLE_UNROLL
    for (int e = 0; e < L::count; ++e) {
      const Complex<Real> value = z[L::count - 1 - e];
      const Complex<Real> other{__shfl_sync(0xffffffffU, value.re, there, L::threads),
                                __shfl_sync(0xffffffffU, value.im, there, L::threads)};
      result[e] = t == 0 ? z[(L::count - e) % L::count] : other;
    }
  } else {
    exchange<false, 1>(
        result, shared, [&](int e) { return t + e * L::threads; },
        [&](int e) { return (L::points - (t + e * L::threads)) % L::points; });
  }
}

/// exp(-2 pi i k / (2 points)) for k = t + e * threads, from that for t.
template <class L, class Real> __device__ inline Complex<Real> half_wave(Complex<Real> first, int e) {
  return detail::turned<false, 2 * L::count>(first, e);
}

/// Transforms 2 * points reals, which the threads of a line hold as pairs z[e], and calls put(e, wave) for
/// wave t + e * threads, and in thread 0 put(count, wave) for wave `points`: the even entries are the real,
/// the odd ones the imaginary parts of one transform, which is then taken apart. `wave`: of 2 * points.
template <class L, class Real, class Put>
__device__ inline void waves_of_reals(Complex<Real> (&z)[L::count], Complex<Real>* shared, int t,
                                      const Complex<Real>* wave, Put&& put) {
  transform_line<false, L::in_warps, L::points, 1>(z, shared, t, wave, 2);
  Complex<Real> mirrored[L::count];
  mirror<L>(z, mirrored, shared, t);
  const Complex<Real> first = wave[t];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e) {
    const Complex<Real> back = conjugated<true>(mirrored[e]);
    const Complex<Real> even = z[e] + back, odd = quarter_turn<false>(z[e] - back) * half_wave<L>(first, e);
    const Complex<Real> whole = even + odd, nyquist = even - odd;
    put(e, Complex<Real>{whole.re / 2, whole.im / 2});
    if (e == 0 && t == 0) put(L::count, Complex<Real>{nyquist.re / 2, nyquist.im / 2});
  }
}

/// The way back, times 2: z[e] is wave t + e * threads, in thread 0 `nyquist` wave `points`.
template <class L, class Real>
__device__ inline void reals_of_waves(Complex<Real> (&z)[L::count], Complex<Real> nyquist,
                                      Complex<Real>* shared, int t, const Complex<Real>* wave) {
  Complex<Real> mirrored[L::count];
  mirror<L>(z, mirrored, shared, t);
  if (t == 0) mirrored[0] = nyquist;
  const Complex<Real> first = wave[t];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e) {
    const Complex<Real> other = conjugated<true>(mirrored[e]);
    const Complex<Real> odd = (z[e] - other) * conjugated<true>(half_wave<L>(first, e));
    z[e] = (z[e] + other) + quarter_turn<true>(odd);
  }
  transform_line<true, L::in_warps, L::points, 1>(z, shared, t, wave, 2);
}

/// Rows L::lines * part … of a plane: 2 * points reals become points + 1 waves, in place.
template <class L, class Real>
__device__ inline void forward_rows(const PlaneArguments<Real>& a, std::int64_t plane, int part) {
  const int t = static_cast<int>(threadIdx.x) % L::threads, line = static_cast<int>(threadIdx.x) / L::threads;
  const int j = part * L::lines + line;
  const bool here = j < a.ny;
  Complex<Real>* const row = row_of(a, plane, here ? j : 0);
  Complex<Real> z[L::count];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    z[e] = row[t + e * L::threads];
  waves_of_reals<L>(z, dynamic_shared<Complex<Real>>() + line * L::of_line, t,
                    reinterpret_cast<const Complex<Real>*>(a.wave_x), [&](int e, Complex<Real> value) {
                      if (here) row[t + e * L::threads] = value;
                    });
}

/// The way back, times a.scale / 2.
template <class L, class Real>
__device__ inline void inverse_rows(const PlaneArguments<Real>& a, std::int64_t plane, int part) {
  const int t = static_cast<int>(threadIdx.x) % L::threads, line = static_cast<int>(threadIdx.x) / L::threads;
  const int j = part * L::lines + line;
  const bool here = j < a.ny;
  Complex<Real>* const row = row_of(a, plane, here ? j : 0);
  Complex<Real> z[L::count];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    z[e] = row[t + e * L::threads];
  const Complex<Real> nyquist = t == 0 ? row[L::points] : Complex<Real>{};
  reals_of_waves<L>(z, nyquist, dynamic_shared<Complex<Real>>() + line * L::of_line, t,
                    reinterpret_cast<const Complex<Real>*>(a.wave_x));
  if (!here) return;
  const Real half = a.scale / 2;
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    row[t + e * L::threads] = {half * z[e].re, half * z[e].im};
}

/// Complex columns L::lines * part … of a plane, in place.
template <bool inverse, class L, class Real>
__device__ inline void columns_of_waves(const PlaneArguments<Real>& a, std::int64_t plane, int part) {
  const int line = static_cast<int>(threadIdx.x) % L::lines, t = static_cast<int>(threadIdx.x) / L::lines;
  const int number = part * L::lines + line;
  const bool here = number < a.nx / 2 + 1;
  Complex<Real>* const column = row_of(a, plane, 0) + (here ? number : 0);
  const auto pitch = static_cast<int>(a.row_pitch / 2);
  Complex<Real> x[L::count];
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    x[e] = column[(t + e * L::threads) * pitch];
  transform_line<inverse, false, L::points, L::lines>(x, dynamic_shared<Complex<Real>>() + line, t,
                                                      reinterpret_cast<const Complex<Real>*>(a.wave_y), 1);
  if (!here) return;
  Complex<Real>* const again = opaque(column); // the addresses of the loads would keep registers until here
  HEDDLE_UNROLL
  for (int e = 0; e < L::count; ++e)
    again[(t + e * L::threads) * pitch] = x[e];
}

/// Parts of a plane.
template <class L> __host__ __device__ constexpr int parts(std::int64_t lines) {
  return static_cast<int>((lines + L::lines - 1) / L::lines);
}

/// One direction; blockIdx is (part, plane). blocks: of an SM that registers must allow.
template <bool inverse, class L, int blocks, class Real>
__global__ void __launch_bounds__(L::block, blocks) transform_rows(PlaneArguments<Real> a) {
  if constexpr (inverse) {
    inverse_rows<L>(a, blockIdx.y, static_cast<int>(blockIdx.x));
  } else {
    forward_rows<L>(a, blockIdx.y, static_cast<int>(blockIdx.x));
  }
}
template <bool inverse, class L, int blocks, class Real>
__global__ void __launch_bounds__(L::block, blocks) transform_columns(PlaneArguments<Real> a) {
  columns_of_waves<inverse, L>(a, blockIdx.y, static_cast<int>(blockIdx.x));
}

} // namespace heddle::device

#endif
