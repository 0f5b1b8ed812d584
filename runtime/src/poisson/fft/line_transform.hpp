// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_POISSON_FFT_LINE_TRANSFORM_HPP
#define HEDDLE_SRC_POISSON_FFT_LINE_TRANSFORM_HPP

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "complex_plan.hpp"
#include "heddle/poisson/plane_transform.hpp"

namespace heddle::fft {

/// Where the values of a line go on their way to a panel, or come from on their way back: value j is
/// sign[j] times row[j] of the panel; where a line is continued beyond its ends, mirror[j] is the other row
/// with the value, times mirrored, -1 for none.
template <class Real> struct Placement {
  std::vector<std::int64_t> row;
  std::vector<Real> sign;
  std::vector<std::int64_t> mirror;
  Real mirrored = 0;

  /// Values that one copy brings to their places.
  [[nodiscard]] bool plain() const { return mirror.empty(); }
};

/// The same transform as formulas for each element, for whoever runs the complex transform elsewhere. Of the
/// lines a and b:
///
///   z_k  = u_k (a + i b)[in_p_k] + v_k (a + i b)[in_q_k]                    for 0 <= k < rows
///   Z    = transform of z, with the sign `inverse` says in the exponent, without a factor
///   a'_j = alpha_j (Re Z_p + Re Z_q) + beta_j (Im Z_p - Im Z_q)             p = out_p_j, q = out_q_j
///   b'_j = alpha_j (Im Z_p + Im Z_q) + beta_j (Re Z_q - Re Z_p)             for 0 <= j < n
template <class Real> struct LineFormulas {
  std::int64_t rows = 0;
  bool inverse = false;
  std::vector<std::int32_t> in_p, in_q, out_p, out_q;
  std::vector<std::complex<Real>> u, v;
  std::vector<Real> alpha, beta;
};

/// A real transform of 2 * lanes lines of n values, in one direction: forward or what undoes it.
///
/// Two real lines a and b are one complex line a + i b. Where the transform is that of an even or odd
/// continuation about a grid point (dct1, dst1), its spectrum is real, and nothing remains to be done; but
/// the line is twice as long as it had to be. So the even modes are first taken apart from the odd ones, by
/// sums and differences about the middle: those are a transform of the same kind and half the length, these
/// one of kind 3 (Britanak, Yip and Rao, Discrete Cosine and Sine Transforms, 2007, section 4.4). In all
/// other cases the lines are as long as their period, or a quarter of it after Makhoul's permutation (IEEE
/// Trans. Acoust. Speech Signal Process. 28, 1980), and each pair of rows k and n - k (dct4: n - 1 - k) holds
/// the spectra A_k and B_k of both lines, which a rotation makes of it.
template <class Real> class LineTransform {
public:
  /// scale: a factor of all results. halve: whether dct1 and dst1 may be taken apart; formulas() are those of
  /// the whole in any case. Throws Error when n is too small for the kind.
  LineTransform(TransformKind kind, std::int64_t n, bool inverse, Real scale, bool halve = true);

  [[nodiscard]] std::int64_t size() const { return n_; }
  /// Rows that a panel of this transform has.
  [[nodiscard]] std::int64_t rows() const;
  /// How values come into a panel, and how results leave it. Of dft, the spectrum (what comes out of the
  /// forward transform and into the inverse) lies in FFTW's half-complex order: the real part of mode l in
  /// row l, its imaginary part in row n - l.
  [[nodiscard]] const Placement<Real>& input() const { return input_; }
  [[nodiscard]] const Placement<Real>& output() const { return output_; }
  /// Numbers of scratch that run needs.
  [[nodiscard]] std::int64_t work() const;
  /// Transforms a panel in place, between input and output placement.
  void run(Lines<Real> panel, Real* work) const;

  [[nodiscard]] const ComplexPlan<Real>& plan() const { return plan_; }
  /// The passes: "radices 16 16".
  [[nodiscard]] std::string description() const;
  [[nodiscard]] LineFormulas<Real> formulas() const;

private:
  enum class Step { none, separate, join, analyse, synthesise, analyse_shifted, halve };

  void place();
  void separate(Lines<Real> panel) const;
  void join(Lines<Real> panel) const;
  void analyse(Lines<Real> panel, std::int64_t last) const;
  void synthesise(Lines<Real> panel) const;
  void continue_lines(Lines<Real> panel) const;
  void halve(Lines<Real> panel, Real* work) const;
  [[nodiscard]] std::int64_t odd_modes() const;

  TransformKind kind_;
  std::int64_t n_;
  bool inverse_;
  Real scale_;
  Step step_;
  ComplexPlan<Real> plan_;
  Placement<Real> input_;
  Placement<Real> output_;
  std::vector<std::complex<Real>> quarter_wave_; // of row k, times the scale
  std::vector<std::complex<Real>> shift_;        // dct4: exp(-i pi j / n)
  std::vector<LineTransform> halves_;            // of the even modes, and of the odd ones
};

} // namespace heddle::fft

#endif
