// SPDX-License-Identifier: Apache-2.0
// Kernels of the periodic transform, over powers of two. points: of a complex line; count: points of a
// thread; lines: lines of a block; blocks: of an SM that registers must allow.
#ifndef HEDDLE_POISSON_TRANSFORM_KERNELS_CUH
#define HEDDLE_POISSON_TRANSFORM_KERNELS_CUH

#include <cstddef>
#include <cstdint>

#include "device_launch.hpp"
#include "heddle/device/fft.hpp"

namespace heddle::device {

/// The line of reals that a thread works on, as pairs.
template <class Real> struct Row {
  Complex<Real>* first;
  bool here;
};
template <class Real> __device__ Row<Real> row_of(const PlaneArguments<Real>& a, std::int64_t number) {
  const bool here = number < a.ny * a.planes;
  const std::int64_t plane = here ? number / a.ny : 0, j = here ? number % a.ny : 0;
  return {reinterpret_cast<Complex<Real>*>(a.field + plane * a.plane_pitch + j * a.row_pitch), here};
}

/// Transforms 2 * points reals, which the threads of a line hold as pairs z[e], and calls put(e, wave) for
/// wave t + e * threads, and in thread 0 put(count, wave) for wave `points`: the even entries are the real,
/// the odd ones the imaginary parts of one transform, which is then taken apart. `wave`: of 2 * points.
template <int points, int count, class Real, class Put>
__device__ inline void waves_of_reals(Complex<Real> (&z)[count], Complex<Real>* shared, int t,
                                      const Complex<Real>* wave, Put&& put) {
  constexpr int threads = points / count;
  transform_line<false, threads <= 32, points, 1>(z, shared, t, wave, 2);
  Complex<Real> mirror[count];
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e)
    mirror[e] = z[e];
  exchange<threads <= 32, 1>(
      mirror, shared, [&](int e) { return t + e * threads; },
      [&](int e) { return (points - (t + e * threads)) % points; });
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    const int k = t + e * threads;
    const Complex<Real> back = conjugated<true>(mirror[e]);
    const Complex<Real> even = z[e] + back, odd = quarter_turn<false>(z[e] - back) * wave[k];
    const Complex<Real> whole = even + odd, nyquist = even - odd;
    put(e, Complex<Real>{whole.re / 2, whole.im / 2});
    if (e == 0 && t == 0) put(count, Complex<Real>{nyquist.re / 2, nyquist.im / 2});
  }
}

/// The way back, times 2: one(e) is wave k = t + e * threads, other(e) is wave points - k.
template <int points, int count, class Real, class One, class Other>
__device__ inline void reals_of_waves(Complex<Real> (&z)[count], Complex<Real>* shared, int t,
                                      const Complex<Real>* wave, One&& one_of, Other&& other_of) {
  constexpr int threads = points / count;
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    const int k = t + e * threads;
    const Complex<Real> one = one_of(e), other = conjugated<true>(other_of(e));
    const Complex<Real> odd = (one - other) * conjugated<true>(wave[k]);
    z[e] = (one + other) + quarter_turn<true>(odd);
  }
  transform_line<true, threads <= 32, points, 1>(z, shared, t, wave, 2);
}

/// Rows of 2 * points reals become points + 1 waves, in place.
template <int points, int count, int lines, int blocks, class Real>
__global__ void __launch_bounds__(points / count * lines, blocks) rows_forward(PlaneArguments<Real> a) {
  constexpr int threads = points / count;
  Complex<Real>* const shared = dynamic_shared<Complex<Real>>();
  const int t = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  Complex<Real>* const own = shared + line * shared_points<points, count>;
  const auto* const wave = reinterpret_cast<const Complex<Real>*>(a.wave); // of 2 * points
  const Row<Real> row = row_of(a, static_cast<std::int64_t>(blockIdx.x) * lines + line);
  Complex<Real> z[count];
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e)
    z[e] = row.first[t + e * threads];
  waves_of_reals<points>(z, own, t, wave, [&](int e, Complex<Real> value) {
    if (row.here) row.first[t + e * threads] = value;
  });
}

/// The way back, times a.scale / 2.
template <int points, int count, int lines, int blocks, class Real>
__global__ void __launch_bounds__(points / count * lines, blocks) rows_inverse(PlaneArguments<Real> a) {
  constexpr int threads = points / count;
  Complex<Real>* const shared = dynamic_shared<Complex<Real>>();
  const int t = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  const auto* const wave = reinterpret_cast<const Complex<Real>*>(a.wave);
  const Row<Real> row = row_of(a, static_cast<std::int64_t>(blockIdx.x) * lines + line);
  Complex<Real> z[count];
  reals_of_waves<points>(
      z, shared + line * shared_points<points, count>, t, wave,
      [&](int e) { return row.first[t + e * threads]; },
      [&](int e) { return row.first[points - (t + e * threads)]; });
  if (!row.here) return;
  const Real half = a.scale / 2;
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e)
    row.first[t + e * threads] = {half * z[e].re, half * z[e].im};
}

/// Complex columns, in place; blockIdx.y is the plane.
template <bool inverse, int points, int count, int lines, int blocks, class Real>
__global__ void __launch_bounds__(points / count * lines, blocks) columns_of_waves(PlaneArguments<Real> a) {
  constexpr int threads = points / count;
  Complex<Real>* const shared = dynamic_shared<Complex<Real>>();
  const int line = static_cast<int>(threadIdx.x), t = static_cast<int>(threadIdx.y);
  const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * lines + line;
  const bool here = number < a.nx / 2 + 1;
  auto* const column =
      reinterpret_cast<Complex<Real>*>(a.field + blockIdx.y * a.plane_pitch) + (here ? number : 0);
  const std::int64_t pitch = a.row_pitch / 2;
  Complex<Real> x[count];
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e)
    x[e] = column[(t + e * threads) * pitch];
  transform_line<inverse, false, points, lines>(x, shared + line, t,
                                                reinterpret_cast<const Complex<Real>*>(a.wave), 1);
  if (!here) return;
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e)
    column[(t + e * threads) * pitch] = x[e];
}

/// Shared memory of a block, bytes.
template <int points, int count, int lines, class Real>
inline constexpr std::size_t shared_bytes =
    std::size_t{shared_points<points, count>} * lines * sizeof(Complex<Real>);

} // namespace heddle::device

#endif
