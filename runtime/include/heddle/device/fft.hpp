// SPDX-License-Identifier: MIT-0
// Discrete Fourier transforms of powers of two by the threads of a block: points in registers, exchanged through shared
// memory between passes (T. G. Stockham's autosort arrangement: no bit reversal, the same order before and after).
#ifndef HEDDLE_DEVICE_FFT_HPP
#define HEDDLE_DEVICE_FFT_HPP

#include <cuda_runtime.h>

#include "heddle/device/shared.hpp"

namespace heddle {

template <typename Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};

template <typename Real>
__device__ inline Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename Real>
__device__ inline Complex<Real> operator-(Complex<Real> a, Complex<Real> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename Real>
__device__ inline Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// a * i, or a * -i.
template <bool plus, typename Real>
__device__ inline Complex<Real> quarter_turn(Complex<Real> a) {
  return plus ? Complex<Real>{-a.im, a.re} : Complex<Real>{a.im, -a.re};
}
template <bool conjugate, typename Real>
__device__ inline Complex<Real> conjugated(Complex<Real> a) {
  return conjugate ? Complex<Real>{a.re, -a.im} : a;
}

namespace detail {

/// a * exp(-+ 2 pi i k / n), for n up to 16.
template <bool inverse, int n, typename Real>
__device__ inline Complex<Real> turned(Complex<Real> a, int k) {
  constexpr Real cosine[] = {Real(1), Real(0.92387953251128675613), Real(0.70710678118654752440),
                             Real(0.38268343236508977173), Real(0)};
  const int sixteenth = k * (16 / n);  // below 8
  const Real c = sixteenth <= 4 ? cosine[sixteenth] : -cosine[8 - sixteenth];
  const Real s = sixteenth <= 4 ? cosine[4 - sixteenth] : cosine[sixteenth - 4];
  if (sixteenth == 0) {
    return a;
  }
  if (sixteenth == 4) {
    return quarter_turn<inverse>(a);
  }
  return a * Complex<Real>{c, inverse ? s : -s};
}

/// The transform of n = 1, 2, 4, 8 or 16 registers, `step` apart.
template <bool inverse, int n, int step, typename Real>
__device__ inline void transform_registers(Complex<Real>* x) {
  if constexpr (n > 1) {
    transform_registers<inverse, n / 2, 2 * step>(x);
    transform_registers<inverse, n / 2, 2 * step>(x + step);
    Complex<Real> even[n / 2], odd[n / 2];
    HEDDLE_UNROLL
    for (int k = 0; k < n / 2; ++k) {
      even[k] = x[2 * k * step];
      odd[k] = turned<inverse, n>(x[(2 * k + 1) * step], k);
    }
    HEDDLE_UNROLL
    for (int k = 0; k < n / 2; ++k) {
      x[k * step] = even[k] + odd[k];
      x[(k + n / 2) * step] = even[k] - odd[k];
    }
  }
}

}  // namespace detail

/// Points of a line in shared memory: one is left out after every `count`, so that strides of `count` meet different banks.
template <int points, int count>
inline constexpr int shared_points = points + points / count;

/// Who has to be waited for: the threads of a line may all be in one warp.
template <bool warp>
__device__ inline void wait_for_line() {
  if constexpr (warp) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

/// Moves the registers of all threads of a line through shared memory: to(e) is the point that register e becomes, from(e) the
/// point that register e takes.
template <bool warp, int stride, int count, typename Real, typename To, typename From>
__device__ inline void exchange(Complex<Real> (&x)[count], Complex<Real>* shared, To&& to, From&& from) {
  const auto place = [](int point) { return (point + point / count) * stride; };
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    shared[place(to(e))] = x[e];
  }
  wait_for_line<warp>();
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    x[e] = shared[place(from(e))];
  }
  wait_for_line<warp>();
}

/// The transform of a line of `points` points without a factor, in place: before and after, register e of thread t holds point
/// t + e * points / count. wave[k * wave_step] = exp(-2 pi i k / points). All threads of the block take part (warp: the lines lie
/// in warps); `shared`: where the line's points lie, `stride` apart.
template <bool inverse, bool warp, int points, int stride, int done = 1, int count, typename Real>
__device__ inline void transform_line(Complex<Real> (&x)[count], Complex<Real>* shared, int t,
                                      const Complex<Real>* wave, int wave_step) {
  constexpr int threads = points / count;
  constexpr int radix = points / done < count ? points / done : count;
  constexpr int groups = count / radix;  // transforms that a thread does in this pass
  HEDDLE_UNROLL
  for (int b = 0; b < groups; ++b) {
    const int k = (t + b * threads) % done;
    if constexpr (done > 1) {
      HEDDLE_UNROLL
      for (int m = 1; m < radix; ++m) {
        const Complex<Real> factor = wave[m * k * (points / (done * radix)) * wave_step];
        x[b + m * groups] = x[b + m * groups] * conjugated<inverse>(factor);
      }
    }
    detail::transform_registers<inverse, radix, groups>(x + b);
  }
  if constexpr (done * radix < points) {
    exchange<warp, stride>(
        x, shared,
        [&](int e) {
          const int b = e % groups, m = e / groups, j = t + b * threads;
          return j / done * (done * radix) + j % done + m * done;
        },
        [&](int e) { return t + e * threads; });
    transform_line<inverse, warp, points, stride, done * radix>(x, shared, t, wave, wave_step);
  }
}

}  // namespace heddle

#endif
