// SPDX-License-Identifier: Apache-2.0
#include "complex_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "panel.hpp"

namespace heddle::fft {

namespace {

/// Radices whose product is n; empty where n has a prime factor that is none. 1 gives none, too.
std::vector<int> factors(std::int64_t n) {
  std::vector<int> result;
  for (const int radix : radices) {
    for (; n % radix == 0; n /= radix) {
      // 16 * 2 would be a pass for a factor 2: 8 * 4 does more in each.
      if (radix == 16 && n / 16 == 2) break;
      result.push_back(radix);
    }
  }
  if (n != 1) result.clear();
  return result;
}

/// A length, not below n and not far above, whose passes move the least memory.
std::int64_t convenient(std::int64_t n) {
  std::int64_t best = 0, least = 0;
  for (std::int64_t m = n; best == 0 || 3 * m <= 4 * n; ++m) {
    const std::int64_t moved = m * static_cast<std::int64_t>(factors(m).size());
    if (moved > 0 && (best == 0 || moved < least)) {
      best = m;
      least = moved;
    }
  }
  return best;
}

} // namespace

template <class Real> std::complex<Real> root_of_unity(std::int64_t k, std::int64_t n) {
  // The first eighth of the circle, so that cos and sin are exact where they can be.
  k = ((k % n) + n) % n;
  const std::int64_t eighth = 8 * k / n;
  const std::int64_t quarter = (eighth + 1) / 2; // the nearest axis
  const long double rest = static_cast<long double>(4 * k - quarter * n) / static_cast<long double>(n);
  const long double angle = rest * std::numbers::pi_v<long double> / 2;
  const auto c = static_cast<Real>(std::cos(angle));
  const auto s = static_cast<Real>(std::sin(angle));
  switch (quarter % 4) {
  case 0:
    return {c, -s};
  case 1:
    return {-s, -c};
  case 2:
    return {-c, s};
  default:
    return {s, c};
  }
}

template <class Real> ComplexPlan<Real>::ComplexPlan(std::int64_t n) : n_(n), radices_(factors(n)) {
  if (n > 1 && radices_.empty()) {
    long_ = std::make_unique<ComplexPlan>(convenient(2 * n - 1));
    const std::int64_t m = long_->size();
    for (std::int64_t j = 0; j < n; ++j)
      chirp_.push_back(root_of_unity<Real>(j * j % (2 * n), 2 * n));
    Panel<Real> kernel(m), work(long_->work() / Panel<Real>::stride);
    kernel.clear();
    for (std::int64_t j = 0; j < n; ++j) {
      for (const std::int64_t place : {j, (m - j) % m}) {
        kernel.lines().re[place * kernel.stride] = chirp_[static_cast<std::size_t>(j)].real();
        kernel.lines().im[place * kernel.stride] = -chirp_[static_cast<std::size_t>(j)].imag();
      }
    }
    long_->run(kernel.lines(), kernel.lines(), work.data());
    for (std::int64_t j = 0; j < m; ++j) {
      convolved_.emplace_back(kernel.lines().re[j * kernel.stride] / static_cast<Real>(m),
                              kernel.lines().im[j * kernel.stride] / static_cast<Real>(m));
    }
    return;
  }
  std::int64_t rest = n;
  std::int64_t beside = 1;
  for (const int radix : radices_) {
    Pass pass{radix, rest / radix, beside, {}};
    if (pass.groups > 1) {
      for (int k = 1; k < radix; ++k) {
        for (const bool real : {false, true}) {
          for (std::int64_t p = 0; p < pass.groups; ++p) {
            const auto w = root_of_unity<Real>(p * k, rest);
            pass.twiddles.push_back(real ? w.real() : w.imag());
          }
        }
      }
    }
    passes_.push_back(std::move(pass));
    rest /= radix;
    beside *= radix;
  }
}

template <class Real> const std::vector<int>& ComplexPlan<Real>::radices() const {
  return long_ ? long_->radices() : radices_;
}

template <class Real> std::int64_t ComplexPlan<Real>::work() const {
  const std::int64_t panels = long_ ? 1 : passes_.size() > 2 ? 2 : 1;
  return 2 * lanes * (long_ ? long_->size() : n_) * panels + (long_ ? long_->work() : 0);
}

template <class Real> void ComplexPlan<Real>::run(Lines<Real> in, Lines<Real> out, Real* work) const {
  if (long_) {
    convolve(in, out, work);
  } else {
    passes(in, out, work);
  }
}

template <class Real> void ComplexPlan<Real>::passes(Lines<Real> in, Lines<Real> out, Real* work) const {
  const auto scratch = [&](std::int64_t which) {
    Real* const first = work + which * 2 * lanes * n_;
    return Lines<Real>{first, first + lanes, 2 * lanes};
  };
  if (passes_.size() < 2) { // a pass reads and writes different memory
    copy(in, scratch(0), n_);
    in = scratch(0);
    if (passes_.empty()) copy(in, out, n_);
  }
  Lines<Real> from = in;
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const Pass& pass = passes_[i];
    const Lines<Real> to = i + 1 == passes_.size() ? out : scratch(static_cast<std::int64_t>(i % 2));
    butterflies<Real>(pass.radix, pass.groups, pass.beside, {from.re, from.im, from.stride}, to,
                      pass.twiddles.empty() ? nullptr : pass.twiddles.data());
    from = to;
  }
}

template <class Real> void ComplexPlan<Real>::convolve(Lines<Real> in, Lines<Real> out, Real* work) const {
  const std::int64_t m = long_->size();
  const Lines<Real> line = {work, work + lanes, 2 * lanes};
  Real* const rest = work + 2 * lanes * m;
  multiply(in, line, chirp_.data(), n_);
  std::fill(line.re + n_ * line.stride, line.re + m * line.stride, Real{0});
  long_->run(line, line, rest);
  multiply(line, line, convolved_.data(), m);
  long_->run(line.exchanged(), line.exchanged(), rest);
  multiply(line, out, chirp_.data(), n_);
}

template std::complex<float> root_of_unity<float>(std::int64_t, std::int64_t);
template std::complex<double> root_of_unity<double>(std::int64_t, std::int64_t);
template class ComplexPlan<float>;
template class ComplexPlan<double>;

} // namespace heddle::fft
