// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_PLANE_TRANSFORM_HPP
#define HEDDLE_POISSON_PLANE_TRANSFORM_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/poisson/periodic_flow.hpp"

namespace heddle {

/// The forward transform of one direction (its inverse is implied): what turns samples x_0 … x_{n-1} into the
/// amplitudes of the direction's discrete eigenfunctions, numbered as in Britanak, Yip and Rao (2007). Each
/// is the discrete Fourier transform of the line's symmetric continuation (Martucci, IEEE Trans. Signal
/// Process. 42(5), 1994), without a factor; mode numbers l begin at 0:
///
///   dft   F_l = sum x_j exp(-2 pi i j l / n)
///   dct1  X_l = x_0 + (-1)^l x_{n-1} + 2 sum_{0<j<n-1} x_j cos(pi j l / (n - 1))      n >= 2
///   dct2  X_l = 2 sum x_j cos(pi (2j + 1) l / 2n)
///   dct3  X_l = x_0 + 2 sum_{j>0} x_j cos(pi j (2l + 1) / 2n)
///   dct4  X_l = 2 sum x_j cos(pi (2j + 1) (2l + 1) / 4n)
///   dst1  X_l = 2 sum x_j sin(pi (j + 1) (l + 1) / (n + 1))
///   dst2  X_l = 2 sum x_j sin(pi (2j + 1) (l + 1) / 2n)
///   dst3  X_l = (-1)^l x_{n-1} + 2 sum_{j<n-1} x_j sin(pi (j + 1) (2l + 1) / 2n)
///   dst4  X_l = 2 sum x_j sin(pi (2j + 1) (2l + 1) / 4n)
enum class TransformKind { dft, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

[[nodiscard]] const char* to_string(TransformKind kind) noexcept;

/// A function of planes first … last - 1 of a field.
using PlaneWork = std::function<void(std::int64_t first, std::int64_t last)>;

/// Transforms planes (x fastest, then y) in place, plane by plane. inverse(forward(f)) == f to rounding: the
/// factor of both directions is applied by inverse, where a twiddle factor or a table of modes takes it
/// along. What forward leaves are reals, each of which belongs to one mode of x and one of y: whatever acts
/// on a real by its two eigenvalues alone may follow, and need not know where real and imaginary parts lie.
///
/// Plans are constant: several threads may use one at a time, on different planes and streams. The same input
/// gives the same bits, whatever the number of threads and planes.
template <class Real> class PlaneTransform {
public:
  virtual ~PlaneTransform() = default;

  /// `field`: `planes` planes, `plane_pitch` reals apart, each of rows() rows that are row_pitch() reals
  /// apart; the first nx reals of the first ny rows are the input of forward and the result of inverse. On
  /// the host it uses the threads of parallel_ranges.
  virtual void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) = 0;
  virtual void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) = 0;

  /// forward() of what `source` writes. On the host a thread calls it for one plane at a time, right before
  /// it transforms that plane, which is still in its cache then; else it is called once for all.
  virtual void forward_of(const PlaneWork& source, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                          Stream& stream) {
    source(0, planes);
    forward(field, planes, plane_pitch, stream);
  }
  /// inverse(), and `use` of each plane when it and the one before are done: on the host plane by plane, else
  /// once for all.
  virtual void inverse_for(const PlaneWork& use, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                           Stream& stream) {
    inverse(field, planes, plane_pitch, stream);
    use(0, planes);
  }

  /// Whether the first pass over memory can take the divergence of a flow, and the last one correct it. Then
  /// forward_of_flow() is forward() of that divergence over the step, and inverse_into_flow() subtracts the
  /// gradient of what inverse() would leave times the step from the velocities, and sets faces at upper ends
  /// and those below and above; it may leave anything in the field. All levels of the flow are planes.
  [[nodiscard]] virtual bool takes_flow() const { return false; }
  virtual void forward_of_flow(const PeriodicFlow<Real>&, Real* /*field*/, std::int64_t /*planes*/,
                               std::int64_t /*plane_pitch*/, Stream&) {}
  virtual void inverse_into_flow(const PeriodicFlow<Real>&, Real* /*field*/, std::int64_t /*planes*/,
                                 std::int64_t /*plane_pitch*/, Stream&) {}

  /// The distance between rows, in reals.
  [[nodiscard]] virtual std::int64_t row_pitch() const = 0;
  /// Rows of a transformed plane; at least ny.
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  /// The mode number of each of the row_pitch() (rows()) places of a transformed row (column), -1 where there
  /// is none: padding, or what is 0 for all real input. Of dft, modes l and n - l are one: l <= n/2.
  [[nodiscard]] virtual std::vector<std::int64_t> positions_x() const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> positions_y() const = 0;
  /// inverse(forward(f)) == gain() f: 1 but where PlaneShape::unscaled allows something else.
  [[nodiscard]] virtual double gain() const { return 1; }
  /// Bytes on a device beside the field, of all streams that have used the plan so far: tables, work areas.
  [[nodiscard]] virtual std::int64_t workspace_bytes() const { return 0; }
  /// The back end, and why it was chosen.
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Who transforms. automatic: cufft on a device, else generated. fftw is used only when it is asked for by
/// name: it is GPL, and what Heddle links must not be, so it is opened while the program runs (libfftw3.so.3,
/// libfftw3f.so.3); planes of 128 x 128 and more are planned for a few seconds there.
enum class TransformBackEnd { automatic, generated, fftw, cufft };

[[nodiscard]] const char* to_string(TransformBackEnd back_end) noexcept;

/// The planes that a transform is made for. row_pitch: reals from a row to the next, 0 for as few as the back
/// end needs: 2 (nx / 2 + 1) for fftw and cufft if both directions are periodic, else nx. unscaled: inverse
/// may leave the factor of both directions to the caller (see gain), who can put it into a table, where it
/// costs a pass of its own.
struct PlaneShape {
  TransformKind kind_x = TransformKind::dft;
  std::int64_t nx = 0;
  TransformKind kind_y = TransformKind::dft;
  std::int64_t ny = 0;
  std::int64_t row_pitch = 0;
  bool unscaled = false;
};

/// Plans the transform of planes of Real = float or double in `memory` (of the current device). Throws Error
/// for a shape that cannot be transformed and for a back end that is not there.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>>
make_plane_transform(const PlaneShape& shape, Memory memory = Memory::host,
                     TransformBackEnd back_end = TransformBackEnd::automatic);

} // namespace heddle

#endif
