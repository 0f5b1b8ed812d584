// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "line_transform.hpp"

namespace heddle::fft {

namespace {

/// One element of what goes in: u times row p plus v times row q.
template <class Real> struct In {
  std::int64_t p;
  std::complex<Real> u;
  std::int64_t q;
  std::complex<Real> v;
};

/// One row of what comes out.
template <class Real> struct Out {
  std::int64_t p;
  std::int64_t q;
  Real alpha;
  Real beta;
};

} // namespace

template <class Real> LineFormulas<Real> LineTransform<Real>::formulas() const {
  if (step_ == Step::halve) return LineTransform(kind_, n_, false, scale_, false).formulas();
  using Number = std::complex<Real>;
  const std::int64_t rows = plan_.size();
  const bool joins = step_ == Step::join || step_ == Step::synthesise;
  const auto quarter = [&](std::int64_t k) { return quarter_wave_[static_cast<std::size_t>(k)]; };

  // In terms of rows of a panel, as run has them.
  std::vector<In<Real>> in;
  std::vector<Out<Real>> out;
  for (std::int64_t k = 0; k < rows; ++k) {
    in.push_back({k, Number(1), k, Number(0)});
    out.push_back({k, k, Real(0.5), Real(0)});
    const auto at = static_cast<std::size_t>(k);
    const std::int64_t last = step_ == Step::analyse_shifted ? rows - 1 : rows;
    const std::int64_t other = last - k;
    const std::int64_t low = std::min(k, other);
    const std::int64_t high = std::max(k, other);
    const bool upper = k > other;
    switch (step_) {
    case Step::halve: // has returned
    case Step::none:
      if (kind_ == TransformKind::dst1) out[at] = {k, (rows - k) % rows, Real(0), Real(-0.5)};
      break;
    case Step::separate:
      if (k == 0 || k == other) {
        out[at].alpha = scale_ / 2;
      } else {
        out[at] = {low, high, upper ? Real(0) : scale_ / 2, upper ? scale_ / 2 : Real(0)};
      }
      break;
    case Step::join:
      in[at].u = scale_;
      if (k != 0 && k != other) in[at] = {low, Number(scale_), high, Number(0, upper ? -scale_ : scale_)};
      break;
    case Step::analyse:
    case Step::analyse_shifted: {
      if (k == 0 && step_ == Step::analyse) {
        out[at].alpha = scale_;
      } else if (k == other) {
        out[at].alpha = quarter(k).real();
      } else {
        const Real c = quarter(low).real(), s = -quarter(low).imag();
        out[at] = upper ? Out<Real>{low, high, s, -c} : Out<Real>{low, high, c, s};
      }
      if (step_ == Step::analyse_shifted) in[at].u = shift_[at];
      break;
    }
    case Step::synthesise:
      if (k == 0) {
        in[at].u = scale_;
      } else if (k == other) {
        in[at].u = 2 * quarter(k).real();
      } else {
        const Real c = quarter(low).real(), s = -quarter(low).imag();
        in[at] = upper ? In<Real>{low, {c, -s}, high, {s, c}} : In<Real>{low, {c, s}, high, {s, -c}};
      }
      break;
    }
  }

  // Which element of a line lies in a row, and times what. A row without one is 0.
  std::vector<std::int32_t> element(static_cast<std::size_t>(rows), 0);
  std::vector<Real> sign(static_cast<std::size_t>(rows), Real(0));
  for (std::size_t j = 0; j < input_.row.size(); ++j) {
    const auto row = static_cast<std::size_t>(input_.row[j]);
    element[row] = static_cast<std::int32_t>(j);
    sign[row] = input_.sign[j];
    if (!input_.plain() && input_.mirror[j] >= 0) {
      element[static_cast<std::size_t>(input_.mirror[j])] = static_cast<std::int32_t>(j);
      sign[static_cast<std::size_t>(input_.mirror[j])] = input_.mirrored;
    }
  }
  LineFormulas<Real> result;
  result.rows = rows;
  result.inverse = joins;
  for (const In<Real>& of : in) {
    const auto p = static_cast<std::size_t>(of.p);
    const auto q = static_cast<std::size_t>(of.q);
    result.in_p.push_back(element[p]);
    result.in_q.push_back(element[q]);
    result.u.push_back(of.u * sign[p]);
    result.v.push_back(of.v * sign[q]);
  }
  for (std::size_t j = 0; j < output_.row.size(); ++j) {
    const Out<Real>& of = out[static_cast<std::size_t>(output_.row[j])];
    result.out_p.push_back(static_cast<std::int32_t>(of.p));
    result.out_q.push_back(static_cast<std::int32_t>(of.q));
    result.alpha.push_back(of.alpha * output_.sign[j]);
    result.beta.push_back(of.beta * output_.sign[j]);
  }
  return result;
}

template LineFormulas<float> LineTransform<float>::formulas() const;
template LineFormulas<double> LineTransform<double>::formulas() const;

} // namespace heddle::fft
