// SPDX-License-Identifier: MIT-0
// Discrete Fourier transforms of 2^a 3^b 5^c points by the threads of a block: points in registers,
// exchanged through shared memory between passes (T. G. Stockham's autosort arrangement: no bit
// reversal, the same order before and after).
#ifndef HEDDLE_DEVICE_FFT_HPP
#define HEDDLE_DEVICE_FFT_HPP

#include "heddle/device/gpu.hpp"
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

/// cos and sin of 2 pi k / n, by their series: constants of the transforms in registers.
template <int n>
struct Circle {
  double cosine[n];
  double sine[n];
};
template <int n>
__host__ __device__ constexpr Circle<n> circle() {
  Circle<n> result{};
  for (int k = 0; k < n; ++k) {
    // The angle from the nearest quarter q: at most pi / 4.
    const int q = (4 * k + n / 2) / n;
    const double angle = 6.28318530717958647693 * (4 * k - q * n) / (4.0 * n);
    double c = 1, s = 1;
    for (int m = 22; m > 0; m -= 2) {
      c = 1 - angle * angle / (m * (m - 1)) * c;
      s = 1 - angle * angle / (m * (m + 1)) * s;
    }
    s *= angle;
    result.cosine[k] = q == 0 || q == 4 ? c : q == 1 ? -s : q == 2 ? -c : s;
    result.sine[k] = q == 0 || q == 4 ? s : q == 1 ? c : q == 2 ? -s : -c;
  }
  return result;
}

/// a * exp(-+ 2 pi i k / n).
template <bool inverse, int n, typename Real>
__device__ inline Complex<Real> turned(Complex<Real> a, int k) {
  constexpr Circle<n> at = circle<n>();
  const int place = k % n;
  if (place == 0) {
    return a;
  }
  if (4 * place == n) {
    return quarter_turn<inverse>(a);
  }
  const Real s = static_cast<Real>(at.sine[place]);
  return a * Complex<Real>{static_cast<Real>(at.cosine[place]), inverse ? s : -s};
}

/// The transform of p = 2, 3 or 5 values.
template <bool inverse, int p, typename Real>
__device__ inline void transform_prime(Complex<Real> (&x)[p]) {
  if constexpr (p == 2) {
    const Complex<Real> sum = x[0] + x[1];
    x[1] = x[0] - x[1];
    x[0] = sum;
  } else {
    constexpr Circle<p> at = circle<p>();
    constexpr int half = p / 2;
    Complex<Real> sum[half], difference[half];
    const Complex<Real> first = x[0];
    HEDDLE_UNROLL
    for (int m = 0; m < half; ++m) {
      sum[m] = x[m + 1] + x[p - 1 - m];
      difference[m] = x[m + 1] - x[p - 1 - m];
      x[0] = x[0] + sum[m];
    }
    HEDDLE_UNROLL
    for (int q = 1; q <= half; ++q) {
      Complex<Real> even = first, odd{0, 0};
      HEDDLE_UNROLL
      for (int m = 0; m < half; ++m) {
        const int place = (m + 1) * q % p;
        const Real c = static_cast<Real>(at.cosine[place]), s = static_cast<Real>(at.sine[place]);
        even = {even.re + c * sum[m].re, even.im + c * sum[m].im};
        odd = {odd.re + s * difference[m].re, odd.im + s * difference[m].im};
      }
      odd = quarter_turn<inverse>(odd);
      x[q] = even + odd;
      x[p - q] = even - odd;
    }
  }
}

/// The transform of n registers, `step` apart; n has the prime factors 2, 3 and 5 only.
template <bool inverse, int n, int step, typename Real>
__device__ inline void transform_registers(Complex<Real>* x) {
  if constexpr (n > 1) {
    constexpr int p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
    static_assert(n % p == 0);
    constexpr int length = n / p;
    Complex<Real> result[n];
    HEDDLE_UNROLL
    for (int m = 0; m < p; ++m) {
      transform_registers<inverse, length, p * step>(x + m * step);
    }
    HEDDLE_UNROLL
    for (int k = 0; k < length; ++k) {
      Complex<Real> of[p];
      HEDDLE_UNROLL
      for (int m = 0; m < p; ++m) {
        of[m] = turned<inverse, n>(x[(p * k + m) * step], m * k);
      }
      transform_prime<inverse, p>(of);
      HEDDLE_UNROLL
      for (int q = 0; q < p; ++q) {
        result[k + q * length] = of[q];
      }
    }
    HEDDLE_UNROLL
    for (int k = 0; k < n; ++k) {
      x[k * step] = result[k];
    }
  }
}

/// wave[k]^m for m < count: the first three and every fourth are read, the others products of two.
/// Reading all of them would take as many cycles of the load/store unit as the points do.
template <int count, typename Real>
struct Powers {
  Complex<Real> low[4];
  Complex<Real> high[(count + 3) / 4];
  __device__ Powers(const Complex<Real>* wave, int k) {
    HEDDLE_UNROLL
    for (int m = 1; m < 4 && m < count; ++m) {
      low[m] = wave[m * k];
    }
    HEDDLE_UNROLL
    for (int m = 4; m < count; m += 4) {
      high[m / 4] = wave[m * k];
    }
  }
  /// 1 <= m < count
  __device__ Complex<Real> of(int m) const {
    return m < 4 ? low[m] : m % 4 == 0 ? high[m / 4] : high[m / 4] * low[m % 4];
  }
};

/// What the threads of a line do in the pass that begins when transforms of `done` points are done,
/// if each holds `count` points before the first pass and after the last one: radices count, the
/// rest in the middle, count.
template <int points, int count, int done>
struct Pass {
  static constexpr int threads = points / count;
  static constexpr int left = points / done;
  static constexpr bool middle =
      done > 1 && left > count&& points % (count * count) == 0 && points / (count * count) <= count;
  static constexpr int radix = left <= count ? left : middle ? left / count : count;
  static constexpr int transforms = points / radix;
  static constexpr int groups = (transforms + threads - 1) / threads;  // transforms of a thread
  static constexpr bool even = transforms % threads == 0;              // all threads have as many
  static constexpr bool last = done * radix == points;
  static constexpr int registers = groups * radix;
  static_assert(points % count == 0 && left % radix == 0 && (even || (done > 1 && !last)));
};

}  // namespace detail

/// Points of a line in shared memory: one is left out after every `count`, so that strides of
/// `count` meet different banks.
template <int points, int count>
inline constexpr int shared_points = points + points / count;

/// Who has to be waited for: the threads of a line may all be in one warp.
template <bool warp>
__device__ inline void wait_for_line() {
  if constexpr (warp) {
    wait_for_warp();
  } else {
    __syncthreads();
  }
}

/// Where a point lies in shared memory, `stride` numbers apart.
template <int count, int stride>
__device__ inline int shared_place(int point) {
  return (point + point / count) * stride;
}

/// Moves the registers of all threads of a line through shared memory: to(e) is the point that
/// register e becomes, from(e) the point that register e takes.
template <bool warp, int stride, int count, typename Real, typename To, typename From>
__device__ inline void exchange(Complex<Real> (&x)[count], Complex<Real>* shared, To&& to,
                                From&& from) {
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    shared[shared_place<count, stride>(to(e))] = x[e];
  }
  wait_for_line<warp>();
  HEDDLE_UNROLL
  for (int e = 0; e < count; ++e) {
    x[e] = shared[shared_place<count, stride>(from(e))];
  }
  wait_for_line<warp>();
}

namespace detail {

/// The passes from P on: x[b + m * groups] is point m of transform t + b * threads; the last one
/// leaves its points in `result`. Without the parentheses clang 14 and 19 read no parameter.
template <bool inverse, bool warp, int points, int stride, int done, int count, typename Real>
__device__ inline void transform_passes(Complex<Real> (&x)[(Pass<points, count, done>::registers)],
                                        Complex<Real> (&result)[count], Complex<Real>* shared,
                                        int t, const Complex<Real>* wave, int wave_step) {
  using P = Pass<points, count, done>;
  HEDDLE_UNROLL
  for (int b = 0; b < P::groups; ++b) {
    if constexpr (done > 1) {
      constexpr bool same = P::threads % done == 0;  // for all of a thread's transforms
      const int k = (same ? t : t + b * P::threads) % done;
      const Powers<P::radix, Real> factor(wave, k * (points / (done * P::radix)) * wave_step);
      HEDDLE_UNROLL
      for (int m = 1; m < P::radix; ++m) {
        x[b + m * P::groups] = x[b + m * P::groups] * conjugated<inverse>(factor.of(m));
      }
    }
    transform_registers<inverse, P::radix, P::groups>(x + b);
  }
  if constexpr (P::last) {
    HEDDLE_UNROLL
    for (int e = 0; e < count; ++e) {
      result[e] = x[e];
    }
  } else {
    HEDDLE_UNROLL
    for (int b = 0; b < P::groups; ++b) {
      const int j = t + b * P::threads;
      HEDDLE_UNROLL
      for (int m = 0; m < P::radix; ++m) {
        if (P::even || j < P::transforms) {
          const int point = j / done * (done * P::radix) + j % done + m * done;
          shared[shared_place<count, stride>(point)] = x[b + m * P::groups];
        }
      }
    }
    wait_for_line<warp>();
    using Next = Pass<points, count, done * P::radix>;
    Complex<Real> next[Next::registers];
    HEDDLE_UNROLL
    for (int b = 0; b < Next::groups; ++b) {
      const int j = t + b * Next::threads;
      HEDDLE_UNROLL
      for (int m = 0; m < Next::radix; ++m) {
        const int point = (Next::even || j < Next::transforms ? j : 0) + m * Next::transforms;
        next[b + m * Next::groups] = shared[shared_place<count, stride>(point)];
      }
    }
    wait_for_line<warp>();
    transform_passes<inverse, warp, points, stride, done * P::radix, count>(next, result, shared, t,
                                                                            wave, wave_step);
  }
}

}  // namespace detail

/// The transform of a line of `points` points without a factor, in place: before and after,
/// register e of thread t holds point t + e * points / count. wave[k * wave_step] = exp(-2 pi i k /
/// points). All threads of the block take part (warp: the lines lie in warps); `shared`: where the
/// line's points lie, `stride` apart.
template <bool inverse, bool warp, int points, int stride, int count, typename Real>
__device__ inline void transform_line(Complex<Real> (&x)[count], Complex<Real>* shared, int t,
                                      const Complex<Real>* wave, int wave_step) {
  detail::transform_passes<inverse, warp, points, stride, 1, count>(x, x, shared, t, wave,
                                                                    wave_step);
}

}  // namespace heddle

#endif
