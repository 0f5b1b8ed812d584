// SPDX-License-Identifier: Apache-2.0
// Own code: 1.1 to 2.3 times as fast as FFTW, which is GPL besides and opened when it is asked for by name
// (decision 0143).
#include "back_ends.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host_planes.hpp"
#include "line_transform.hpp"
#include "mode_numbers.hpp"
#include "panel.hpp"
#include "panel_access.hpp"

namespace heddle::fft {

namespace {

constexpr std::int64_t width = 2 * lanes;

template <class Real> class Generated final : public PlaneTransform<Real> {
public:
  explicit Generated(const PlaneShape& shape)
      : kind_x_(shape.kind_x), kind_y_(shape.kind_y), nx_(shape.nx), ny_(shape.ny), pitch_(pitch(shape)),
        complex_(shape.kind_x == TransformKind::dft && shape.kind_y == TransformKind::dft),
        x_{{shape.kind_x, nx_, false, Real{1}}, {shape.kind_x, nx_, true, factor(shape)}},
        y_{{shape.kind_y, ny_, false, Real{1}},
           {shape.kind_y, ny_, true, complex_ ? static_cast<Real>(ny_) : Real{1}}},
        to_modes_(x_[0].output()), from_modes_(x_[1].input()) {
    if (shape.kind_x == TransformKind::dft) {
      // Mode l has its real part in column l, its imaginary part nx/2 further: both are runs of columns.
      for (std::int64_t l = 1; 2 * l < nx_; ++l) {
        to_modes_.row[static_cast<std::size_t>(nx_ / 2 + l)] = nx_ - l;
      }
      from_modes_.row = to_modes_.row;
    }
  }

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    forward_of({}, field, planes, plane_pitch, stream);
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    inverse_for({}, field, planes, plane_pitch, stream);
  }

  void forward_of(const PlaneWork& source, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                  Stream& /*stream*/) override {
    for_planes(planes, source, {}, scratch_maker(), [&](std::int64_t p, Scratch& scratch) {
      Real* const plane = field + p * plane_pitch;
      transform_rows(plane, x_[0], x_[0].input(), to_modes_, scratch);
      transform_columns(plane, false, scratch);
    });
  }

  void inverse_for(const PlaneWork& use, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                   Stream& /*stream*/) override {
    for_planes(planes, {}, use, scratch_maker(), [&](std::int64_t p, Scratch& scratch) {
      Real* const plane = field + p * plane_pitch;
      transform_columns(plane, true, scratch);
      transform_rows(plane, x_[1], from_modes_, x_[1].output(), scratch);
    });
  }

  std::int64_t row_pitch() const override { return pitch_; }
  std::int64_t rows() const override { return ny_; }

  std::vector<std::int64_t> positions_x() const override {
    std::vector<std::int64_t> modes =
        kind_x_ == TransformKind::dft ? split_modes(nx_) : half_complex_modes(kind_x_, nx_);
    modes.resize(static_cast<std::size_t>(pitch_), -1);
    return modes;
  }
  std::vector<std::int64_t> positions_y() const override { return half_complex_modes(kind_y_, ny_); }

  std::string description() const override {
    std::string text = "generated (";
    text += std::to_string(lanes) + " lines a vector): x ";
    text += describe(kind_x_, x_[0]) + ", y " + describe(kind_y_, y_[0]);
    return text;
  }

private:
  /// What one thread works in.
  struct Scratch {
    Panel<Real> panel;
    Panel<Real> work;
  };

  static std::int64_t pitch(const PlaneShape& shape) {
    return shape.row_pitch == 0 ? shape.nx : shape.row_pitch;
  }

  /// Complex columns are transformed without a factor: that of both directions is applied along x.
  static Real factor(const PlaneShape& shape) {
    const bool both = shape.kind_x == TransformKind::dft && shape.kind_y == TransformKind::dft;
    return both ? Real{1} / static_cast<Real>(shape.ny) : Real{1};
  }

  static std::string describe(TransformKind kind, const LineTransform<Real>& line) {
    std::string text = to_string(kind);
    return text.append(" of ").append(std::to_string(line.size())).append(" by ").append(line.description());
  }

  auto scratch_maker() const {
    return [this] {
      const std::int64_t lines = std::max(x_[0].rows(), y_[0].rows());
      const std::int64_t room = std::max(x_[0].work(), y_[0].work());
      return Scratch{Panel<Real>(lines), Panel<Real>((room + width - 1) / width)};
    };
  }

  void transform_rows(Real* plane, const LineTransform<Real>& line, const Placement<Real>& in,
                      const Placement<Real>& out, Scratch& scratch) const {
    for (std::int64_t j = 0; j < ny_; j += width) {
      const std::int64_t count = std::min(width, ny_ - j);
      load_rows(plane + j * pitch_, pitch_, count, in, scratch.panel.data());
      line.run(scratch.panel.lines(), scratch.work.data());
      store_rows(scratch.panel.data(), out, plane + j * pitch_, pitch_, count);
    }
  }

  void transform_columns(Real* plane, bool inverse, Scratch& scratch) const {
    if (!complex_) {
      for (std::int64_t i = 0; i < nx_; i += width) {
        real_columns(plane + i, std::min(width, nx_ - i), inverse, scratch);
      }
      return;
    }
    // Real and imaginary part of a mode are one complex column. Modes 0 and, of an even number, n/2 are real.
    const std::int64_t half = nx_ / 2;
    const std::int64_t first = nx_ % 2;
    if (first == 1) real_columns(plane, 1, inverse, scratch);
    if (first == 0 && inverse) merge(plane, half);
    const ComplexPlan<Real>& plan = y_[0].plan();
    for (std::int64_t i = 0; i < half; i += lanes) {
      Lines<Real> lines = {plane + first + i, plane + first + half + i, pitch_};
      const std::int64_t count = std::min(lanes, half - i);
      const Lines<Real> panel = scratch.panel.lines();
      if (count < lanes) {
        carry(lines, panel, count);
        run(plan, panel, inverse, scratch);
        carry(panel, lines, count);
      } else {
        run(plan, lines, inverse, scratch);
      }
    }
    if (first == 0 && !inverse) split(plane, half);
  }

  static void run(const ComplexPlan<Real>& plan, Lines<Real> lines, bool inverse, Scratch& scratch) {
    if (inverse) lines = lines.exchanged();
    plan.run(lines, lines, scratch.work.data());
  }

  /// The first `count` lines.
  void carry(Lines<Real> from, Lines<Real> to, std::int64_t count) const {
    for (std::int64_t j = 0; j < ny_; ++j) {
      std::copy_n(from.re + j * from.stride, count, to.re + j * to.stride);
      std::copy_n(from.im + j * from.stride, count, to.im + j * to.stride);
    }
  }

  void real_columns(Real* first, std::int64_t count, bool inverse, Scratch& scratch) const {
    const LineTransform<Real>& line = y_[inverse ? 1 : 0];
    load_columns(first, pitch_, count, line.input(), scratch.panel.data());
    line.run(scratch.panel.lines(), scratch.work.data());
    store_columns(scratch.panel.data(), line.output(), first, pitch_, count);
  }

  /// The first columns of both halves are real lines of their own, which were transformed as one complex
  /// line: leaves their half-complex spectra.
  void split(Real* a, std::int64_t half) const {
    Real* const b = a + half;
    for (std::int64_t k = 1; 2 * k < ny_; ++k) {
      const std::int64_t here = k * pitch_;
      const std::int64_t there = (ny_ - k) * pitch_;
      const Real a_re = (a[here] + a[there]) / 2;
      const Real a_im = (b[here] - b[there]) / 2;
      const Real b_re = (b[here] + b[there]) / 2;
      const Real b_im = (a[there] - a[here]) / 2;
      a[here] = a_re;
      a[there] = a_im;
      b[here] = b_re;
      b[there] = b_im;
    }
  }

  void merge(Real* a, std::int64_t half) const {
    Real* const b = a + half;
    for (std::int64_t k = 1; 2 * k < ny_; ++k) {
      const std::int64_t here = k * pitch_;
      const std::int64_t there = (ny_ - k) * pitch_;
      const Real a_re = a[here];
      const Real a_im = a[there];
      const Real b_re = b[here];
      const Real b_im = b[there];
      a[here] = a_re - b_im;
      b[here] = b_re + a_im;
      a[there] = a_re + b_im;
      b[there] = b_re - a_im;
    }
  }

  TransformKind kind_x_;
  TransformKind kind_y_;
  std::int64_t nx_;
  std::int64_t ny_;
  std::int64_t pitch_;
  bool complex_;
  LineTransform<Real> x_[2]; // forward, inverse
  LineTransform<Real> y_[2];
  Placement<Real> to_modes_; // of a row that was transformed, or is about to be
  Placement<Real> from_modes_;
};

} // namespace

template <class Real>
std::unique_ptr<PlaneTransform<Real>> make_generated_transform(const PlaneShape& shape) {
  return std::make_unique<Generated<Real>>(shape);
}

template std::unique_ptr<PlaneTransform<float>> make_generated_transform<float>(const PlaneShape&);
template std::unique_ptr<PlaneTransform<double>> make_generated_transform<double>(const PlaneShape&);

} // namespace heddle::fft
