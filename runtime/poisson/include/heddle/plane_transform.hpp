// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_PLANE_TRANSFORM_HPP
#define HEDDLE_PLANE_TRANSFORM_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heddle/memory.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// What turns a line x_0 … x_{n-1} into modes. Each real transform is the discrete Fourier transform of the
/// line's symmetric continuation (Martucci, IEEE Trans. Signal Process. 42(5), 1994), without a factor; mode
/// numbers l begin at 0:
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
///
/// This is the forward transform; what undoes it is implied.
enum class TransformKind { dft, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

[[nodiscard]] const char* to_string(TransformKind kind) noexcept;

/// Who transforms. automatic: cufft for a device stream, else generated. fftw is used only when it is asked
/// for by name: it is GPL, and what Heddle links by default must not be.
enum class TransformBackEnd { automatic, generated, fftw, cufft };

[[nodiscard]] const char* to_string(TransformBackEnd back_end) noexcept;

/// The planes that a transform is made for: nx numbers along x, the fast direction, ny along y.
/// row_pitch: numbers from a row to the next; 0 for as few as the transform needs.
struct PlaneShape {
  TransformKind kind_x = TransformKind::dft;
  std::int64_t nx = 0;
  TransformKind kind_y = TransformKind::dft;
  std::int64_t ny = 0;
  std::int64_t row_pitch = 0;
};

/// A transform of planes, in place, that leaves real numbers behind, each with one mode along x and one along
/// y. So whatever acts on a number by its two modes alone (a function of the eigenvalues) may follow, and
/// need not know where real and imaginary parts lie.
///
/// Plans are immutable: several threads may use one at a time on different planes. The same input gives the
/// same bits, whatever the number of threads and planes.
template <class Real> class PlaneTransform {
public:
  virtual ~PlaneTransform() = default;
  PlaneTransform(const PlaneTransform&) = delete;
  PlaneTransform& operator=(const PlaneTransform&) = delete;

  /// Transforms `planes` planes, `plane_pitch` numbers apart, each [rows()][row_pitch()], of which the first
  /// nx numbers of the first ny rows are the input. On the host it uses the threads of parallel_ranges; on a
  /// device it is put into the stream of the transform.
  virtual void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch) const = 0;
  /// Undoes forward: inverse(forward(x)) == x. The factor 1/n of both directions is applied here, where a
  /// twiddle factor or a table of modes takes it along.
  virtual void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch) const = 0;

  /// Numbers from a row to the next, and rows, that a plane must have room for.
  [[nodiscard]] std::int64_t row_pitch() const noexcept { return row_pitch_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return static_cast<std::int64_t>(modes_y_.size()); }
  /// The mode number l of each position of a transformed row, -1 for one that carries none (padding, or what
  /// is zero for every real input). For dft, l is at most n/2: positions of l and of n - l share it. Its size
  /// is row_pitch().
  [[nodiscard]] std::span<const std::int64_t> modes_x() const noexcept { return modes_x_; }
  /// The same along y; its size is rows().
  [[nodiscard]] std::span<const std::int64_t> modes_y() const noexcept { return modes_y_; }
  /// Where the field has to lie.
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  /// The back end, and why it was chosen: for people.
  [[nodiscard]] const std::string& description() const noexcept { return description_; }

protected:
  PlaneTransform(std::int64_t row_pitch, std::vector<std::int64_t> modes_x, std::vector<std::int64_t> modes_y,
                 Memory memory, std::string description)
      : row_pitch_(row_pitch), modes_x_(std::move(modes_x)), modes_y_(std::move(modes_y)), memory_(memory),
        description_(std::move(description)) {}

private:
  std::int64_t row_pitch_;
  std::vector<std::int64_t> modes_x_;
  std::vector<std::int64_t> modes_y_;
  Memory memory_;
  std::string description_;
};

/// Plans the transform of planes of Real = float or double. `stream`: a device stream for fields in the
/// memory of a device; it must outlive the transform. Throws Error for a shape that cannot be transformed and
/// for a back end that is not there.
template <class Real>
[[nodiscard]] std::unique_ptr<PlaneTransform<Real>>
make_plane_transform(const PlaneShape& shape, TransformBackEnd back_end = TransformBackEnd::automatic,
                     const Stream* stream = nullptr);

} // namespace heddle

#endif
