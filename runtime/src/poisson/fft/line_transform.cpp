// SPDX-License-Identifier: Apache-2.0
#include "line_transform.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "heddle/core/error.hpp"
#include "panel.hpp"

namespace heddle::fft {

namespace {

bool is_sine(TransformKind kind) {
  return kind == TransformKind::dst1 || kind == TransformKind::dst2 || kind == TransformKind::dst3 ||
         kind == TransformKind::dst4;
}

bool continued(TransformKind kind) {
  return kind == TransformKind::dct1 || kind == TransformKind::dst1;
}

/// Complex values of a line and its continuation.
std::int64_t period(TransformKind kind, std::int64_t n) {
  const std::int64_t least = kind == TransformKind::dct1 ? 2 : 1;
  if (n < least) {
    throw Error("make_plane_transform",
                "a " + std::string(to_string(kind)) + " needs at least " + std::to_string(least) +
                    " numbers, but the direction has " + std::to_string(n),
                "use more cells");
  }
  return kind == TransformKind::dct1 ? 2 * (n - 1) : kind == TransformKind::dst1 ? 2 * (n + 1) : n;
}

/// From which number of intervals on a line with middle is taken apart.
constexpr std::int64_t worth_halving = 32;

bool halved(TransformKind kind, std::int64_t n, bool halve) {
  const std::int64_t intervals = continued(kind) ? period(kind, n) / 2 : 0;
  return halve && intervals % 2 == 0 && intervals >= worth_halving;
}

/// What forward followed by inverse multiplies with.
std::int64_t gain(TransformKind kind, std::int64_t n) {
  return kind == TransformKind::dft || continued(kind) ? period(kind, n) : 2 * n;
}

/// The kind of the transform in the other direction.
TransformKind undone(TransformKind kind) {
  switch (kind) {
  case TransformKind::dct2:
    return TransformKind::dct3;
  case TransformKind::dct3:
    return TransformKind::dct2;
  case TransformKind::dst2:
    return TransformKind::dst3;
  case TransformKind::dst3:
    return TransformKind::dst2;
  default:
    return kind;
  }
}

} // namespace

template <class Real>
LineTransform<Real>::LineTransform(TransformKind kind, std::int64_t n, bool inverse, Real scale, bool halve)
    : kind_(inverse ? undone(kind) : kind), n_(n), inverse_(inverse), scale_(scale), step_(Step::none),
      plan_(halved(kind, n, halve) ? 1 : period(kind, n)) {
  if (inverse) scale_ /= static_cast<Real>(gain(kind, n));
  switch (kind_) {
  case TransformKind::dft:
    step_ = inverse ? Step::join : Step::separate;
    break;
  case TransformKind::dct2:
  case TransformKind::dst2:
    step_ = Step::analyse;
    break;
  case TransformKind::dct3:
  case TransformKind::dst3:
    step_ = Step::synthesise;
    break;
  case TransformKind::dct4:
  case TransformKind::dst4:
    step_ = Step::analyse_shifted;
    break;
  case TransformKind::dct1:
  case TransformKind::dst1:
    if (halved(kind, n, halve)) {
      step_ = Step::halve;
      const std::int64_t half = period(kind, n) / 4;
      const bool sine = kind == TransformKind::dst1;
      halves_.emplace_back(kind, sine ? half - 1 : half + 1, false, scale_);
      halves_.emplace_back(sine ? TransformKind::dst3 : TransformKind::dct3, half, false, scale_);
    }
    break;
  }
  if (step_ == Step::analyse || step_ == Step::synthesise) {
    for (std::int64_t k = 0; k < n; ++k) {
      quarter_wave_.push_back(root_of_unity<Real>(k, 4 * n) * scale_);
    }
  } else if (step_ == Step::analyse_shifted) {
    for (std::int64_t k = 0; k < n; ++k) {
      quarter_wave_.push_back(root_of_unity<Real>(2 * k + 1, 8 * n) * scale_);
      shift_.push_back(root_of_unity<Real>(k, 2 * n));
    }
  }
  place();
}

template <class Real> void LineTransform<Real>::place() {
  const auto size = static_cast<std::size_t>(n_);
  input_.row.resize(size);
  input_.sign.assign(size, Real{1});
  std::iota(input_.row.begin(), input_.row.end(), std::int64_t{0});
  output_ = input_;
  if (step_ == Step::halve) {
    // Values as they are, row 0 of a sine left free; modes of both halves in turns.
    const std::int64_t first = kind_ == TransformKind::dst1 ? 1 : 0;
    for (std::size_t j = 0; j < size; ++j) {
      input_.row[j] = static_cast<std::int64_t>(j) + first;
      const std::size_t mode = j + static_cast<std::size_t>(first); // counted from 0, as cosines are
      const LineTransform& half = halves_[mode % 2];
      const std::size_t of_half = mode % 2 == 1 ? mode / 2 : mode / 2 - static_cast<std::size_t>(first);
      output_.row[j] = half.output().row[of_half] + (mode % 2 == 1 ? odd_modes() : 0);
      output_.sign[j] = half.output().sign[of_half];
    }
    return;
  }
  if (step_ == Step::none) {
    const std::int64_t first = kind_ == TransformKind::dst1 ? 1 : 0;
    input_.mirrored = first == 1 ? Real{-1} : Real{1};
    for (std::size_t j = 0; j < size; ++j) {
      const std::int64_t row = static_cast<std::int64_t>(j) + first;
      const std::int64_t other = plan_.size() - row;
      input_.row[j] = row;
      output_.row[j] = row;
      input_.mirror.push_back(other == row || other == plan_.size() ? -1 : other);
      // Each result is the real part of the first line's, or, of an odd line, minus the imaginary one.
      output_.sign[j] = scale_;
    }
    return;
  }
  if (step_ == Step::separate || step_ == Step::join) return;
  // Makhoul's permutation: every second value from the front, then the others from the back. Sines are
  // cosines of the reversed line, or of one with alternating signs.
  Placement<Real>& values = step_ == Step::synthesise ? output_ : input_;
  Placement<Real>& modes = step_ == Step::synthesise ? input_ : output_;
  const bool sine = is_sine(kind_);
  for (std::int64_t j = 0; j < n_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool odd = j % 2 == 1;
    const bool reversed = sine && step_ == Step::analyse_shifted;
    const std::int64_t i = reversed ? n_ - 1 - j : j;
    values.row[at] = i % 2 == 1 ? n_ - 1 - i / 2 : i / 2;
    if (step_ == Step::analyse_shifted) {
      values.sign[at] = i % 2 == 1 ? Real{-1} : Real{1};
      modes.sign[at] = sine && odd ? Real{-1} : Real{1};
    } else if (sine) {
      values.sign[at] = odd ? Real{-1} : Real{1};
      modes.row[at] = n_ - 1 - j;
    }
  }
}

template <class Real> std::int64_t LineTransform<Real>::odd_modes() const {
  return 2 * halves_[1].size();
}

template <class Real> std::string LineTransform<Real>::description() const {
  if (step_ == Step::halve) return halves_[0].description() + " and " + halves_[1].description();
  std::string text = plan_.direct() ? "radices" : "Bluestein, radices";
  for (const int radix : plan_.radices())
    text.append(" ").append(std::to_string(radix));
  return text;
}

template <class Real> std::int64_t LineTransform<Real>::rows() const {
  if (step_ != Step::halve) return plan_.size();
  return std::max(odd_modes(), halves_[0].rows()) + halves_[1].rows();
}

template <class Real> std::int64_t LineTransform<Real>::work() const {
  if (step_ != Step::halve) return plan_.work();
  return std::max(halves_[0].work(), halves_[1].work());
}

namespace {

/// Rows of a panel from one on.
template <class Real> Lines<Real> from(Lines<Real> panel, std::int64_t row) {
  return {panel.re + row * panel.stride, panel.im + row * panel.stride, panel.stride};
}

} // namespace

/// Values beyond the ends of the lines.
template <class Real> void LineTransform<Real>::continue_lines(Lines<Real> panel) const {
  const auto set = [&](std::int64_t to, std::int64_t row, Real factor) {
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      panel.re[to * panel.stride + q] = factor * panel.re[row * panel.stride + q];
      panel.im[to * panel.stride + q] = factor * panel.im[row * panel.stride + q];
    }
  };
  for (std::size_t j = 0; j < input_.mirror.size(); ++j) {
    if (input_.mirror[j] >= 0) set(input_.mirror[j], input_.row[j], input_.mirrored);
  }
  if (input_.mirrored < 0) { // odd about the first row and the middle one
    for (const std::int64_t row : {std::int64_t{0}, plan_.size() / 2}) {
      std::fill_n(panel.re + row * panel.stride, lanes, Real{0});
      std::fill_n(panel.im + row * panel.stride, lanes, Real{0});
    }
  }
}

/// x_j of rows 0 … m. Of a cosine the even modes are those of x_j + x_{m-j}, and the odd ones of x_j -
/// x_{m-j}; of a sine the other way round. They begin in rows 0 and m: row m has been read when it is
/// written.
template <class Real> void LineTransform<Real>::halve(Lines<Real> panel, Real* work) const {
  const std::int64_t m = odd_modes();
  const bool sine = kind_ == TransformKind::dst1;
  const Lines<Real> odd = from(panel, m);
  const auto odd_row = [&](std::int64_t j) {
    return halves_[1].input().row[static_cast<std::size_t>(j)] * panel.stride;
  };
  for (std::int64_t j = sine ? 1 : 0; 2 * j < m; ++j) {
    const std::int64_t first = j * panel.stride, last = (m - j) * panel.stride;
    const std::int64_t to = odd_row(sine ? j - 1 : j);
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real sum_re = panel.re[first + q] + panel.re[last + q],
                 sum_im = panel.im[first + q] + panel.im[last + q];
      const Real dif_re = panel.re[first + q] - panel.re[last + q],
                 dif_im = panel.im[first + q] - panel.im[last + q];
      panel.re[first + q] = sine ? dif_re : sum_re;
      panel.im[first + q] = sine ? dif_im : sum_im;
      odd.re[to + q] = sine ? sum_re : dif_re;
      odd.im[to + q] = sine ? sum_im : dif_im;
    }
  }
  const std::int64_t middle = m / 2 * panel.stride;
  const std::int64_t end = odd_row(m / 2 - 1);
#pragma omp simd
  for (std::int64_t q = 0; q < lanes; ++q) {
    Real* const re = sine ? odd.re + end : panel.re + middle;
    Real* const im = sine ? odd.im + end : panel.im + middle;
    re[q] = 2 * panel.re[middle + q];
    im[q] = 2 * panel.im[middle + q];
  }
  halves_[1].run(odd, work);
  halves_[0].run(panel, work);
}

template <class Real> void LineTransform<Real>::run(Lines<Real> panel, Real* work) const {
  switch (step_) {
  case Step::halve:
    halve(panel, work);
    break;
  case Step::none:
    continue_lines(panel);
    plan_.run(panel, panel, work);
    if (kind_ == TransformKind::dst1) { // -i (A + i B): exchanged and one sign
      for (std::int64_t k = 0; k < plan_.size(); ++k) {
#pragma omp simd
        for (std::int64_t q = 0; q < lanes; ++q) {
          const Real a = -panel.im[k * panel.stride + q];
          panel.im[k * panel.stride + q] = panel.re[k * panel.stride + q];
          panel.re[k * panel.stride + q] = a;
        }
      }
    }
    break;
  case Step::separate:
    plan_.run(panel, panel, work);
    separate(panel);
    break;
  case Step::join:
    join(panel);
    plan_.run(panel.exchanged(), panel.exchanged(), work);
    break;
  case Step::analyse:
    plan_.run(panel, panel, work);
    analyse(panel, n_);
    break;
  case Step::synthesise:
    synthesise(panel);
    plan_.run(panel.exchanged(), panel.exchanged(), work);
    break;
  case Step::analyse_shifted:
    multiply(panel, panel, shift_.data(), n_);
    plan_.run(panel, panel, work);
    analyse(panel, n_ - 1);
    break;
  }
}

namespace {

/// The two rows that belong together, and their values in one lane.
template <class Real> struct Pair {
  Real* a_k;
  Real* b_k;
  Real* a_l;
  Real* b_l;

  Pair(Lines<Real> panel, std::int64_t k, std::int64_t l)
      : a_k(panel.re + k * panel.stride), b_k(panel.im + k * panel.stride), a_l(panel.re + l * panel.stride),
        b_l(panel.im + l * panel.stride) {}
};

template <class Real> void multiply_row(Lines<Real> panel, std::int64_t k, Real factor) {
#pragma omp simd
  for (std::int64_t q = 0; q < lanes; ++q) {
    panel.re[k * panel.stride + q] *= factor;
    panel.im[k * panel.stride + q] *= factor;
  }
}

} // namespace

template <class Real> void LineTransform<Real>::separate(Lines<Real> panel) const {
  const Real half = scale_ / 2;
  multiply_row(panel, 0, scale_);
  if (n_ % 2 == 0) multiply_row(panel, n_ / 2, scale_);
  for (std::int64_t k = 1; 2 * k < n_; ++k) {
    const Pair<Real> row(panel, k, n_ - k);
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real a_re = half * (row.a_k[q] + row.a_l[q]);
      const Real a_im = half * (row.b_k[q] - row.b_l[q]);
      const Real b_re = half * (row.b_k[q] + row.b_l[q]);
      const Real b_im = half * (row.a_l[q] - row.a_k[q]);
      row.a_k[q] = a_re;
      row.a_l[q] = a_im;
      row.b_k[q] = b_re;
      row.b_l[q] = b_im;
    }
  }
}

template <class Real> void LineTransform<Real>::join(Lines<Real> panel) const {
  multiply_row(panel, 0, scale_);
  if (n_ % 2 == 0) multiply_row(panel, n_ / 2, scale_);
  for (std::int64_t k = 1; 2 * k < n_; ++k) {
    const Pair<Real> row(panel, k, n_ - k);
    const Real factor = scale_;
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real a_re = factor * row.a_k[q];
      const Real a_im = factor * row.a_l[q];
      const Real b_re = factor * row.b_k[q];
      const Real b_im = factor * row.b_l[q];
      row.a_k[q] = a_re - b_im;
      row.b_k[q] = b_re + a_im;
      row.a_l[q] = a_re + b_im;
      row.b_l[q] = b_re - a_im;
    }
  }
}

/// X_k - i X_{last-k} = exp(-i theta_k) 2 A_k, with the angles of quarter_wave_.
template <class Real> void LineTransform<Real>::analyse(Lines<Real> panel, std::int64_t last) const {
  if (last == n_) multiply_row(panel, 0, 2 * scale_);
  if (last % 2 == 0)
    multiply_row(panel, last / 2, 2 * quarter_wave_[static_cast<std::size_t>(last / 2)].real());
  for (std::int64_t k = last == n_ ? 1 : 0; 2 * k < last; ++k) {
    const Pair<Real> row(panel, k, last - k);
    const Real c = quarter_wave_[static_cast<std::size_t>(k)].real();
    const Real s = -quarter_wave_[static_cast<std::size_t>(k)].imag();
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real a_re = row.a_k[q] + row.a_l[q];
      const Real a_im = row.b_k[q] - row.b_l[q];
      const Real b_re = row.b_k[q] + row.b_l[q];
      const Real b_im = row.a_l[q] - row.a_k[q];
      row.a_k[q] = c * a_re + s * a_im;
      row.a_l[q] = s * a_re - c * a_im;
      row.b_k[q] = c * b_re + s * b_im;
      row.b_l[q] = s * b_re - c * b_im;
    }
  }
}

/// A_k = exp(i theta_k) (X_k - i X_{n-k}), and a + i b from both lines.
template <class Real> void LineTransform<Real>::synthesise(Lines<Real> panel) const {
  multiply_row(panel, 0, scale_);
  if (n_ % 2 == 0) multiply_row(panel, n_ / 2, 2 * quarter_wave_[static_cast<std::size_t>(n_ / 2)].real());
  for (std::int64_t k = 1; 2 * k < n_; ++k) {
    const Pair<Real> row(panel, k, n_ - k);
    const Real c = quarter_wave_[static_cast<std::size_t>(k)].real();
    const Real s = -quarter_wave_[static_cast<std::size_t>(k)].imag();
#pragma omp simd
    for (std::int64_t q = 0; q < lanes; ++q) {
      const Real a_re = c * row.a_k[q] + s * row.a_l[q];
      const Real a_im = s * row.a_k[q] - c * row.a_l[q];
      const Real b_re = c * row.b_k[q] + s * row.b_l[q];
      const Real b_im = s * row.b_k[q] - c * row.b_l[q];
      row.a_k[q] = a_re - b_im;
      row.b_k[q] = b_re + a_im;
      row.a_l[q] = a_re + b_im;
      row.b_l[q] = b_re - a_im;
    }
  }
}

template class LineTransform<float>;
template class LineTransform<double>;

} // namespace heddle::fft
