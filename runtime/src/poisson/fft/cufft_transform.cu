// SPDX-License-Identifier: Apache-2.0
// cuFFT: two-dimensional plans in place where both directions are periodic; otherwise line by line, two real
// lines as one complex one, between two kernels that apply the formulas of LineTransform.
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "back_ends.hpp"
#include "cufft_plans.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "line_transform.hpp"
#include "mode_numbers.hpp"
#include "per_stream.hpp"

namespace heddle::fft {

namespace {

constexpr const char* where = "PlaneTransform (cuFFT)";
constexpr int block = 256;
/// Bytes of complex lines that are in work at a time: they stay in the L2 cache between the three steps.
constexpr std::int64_t piece = std::int64_t{24} << 20;

void check_launch() {
  const cudaError_t result = cudaGetLastError();
  if (result != cudaSuccess) throw Error(where, cudaGetErrorString(result));
}

template <class Real>
using Complex = std::conditional_t<std::is_same_v<Real, float>, cufftComplex, cufftDoubleComplex>;

unsigned blocks_for(std::int64_t count) {
  return static_cast<unsigned>((count + block - 1) / block);
}

/// Where the lines of some planes lie: element j of line i of plane p at p * plane + i * line + j * element.
template <class Real> struct Field {
  Real* first;
  std::int64_t plane;
  std::int64_t line;
  std::int64_t element;
  std::int64_t lines;
};

/// Where their complex pairs lie, number `pair` counted over all planes.
struct Pairs {
  std::int64_t pairs; // of a plane
  std::int64_t total;
  std::int64_t line;
  std::int64_t element;
};

/// The number of a pair and of an element of it; neighbouring threads take neighbours in memory.
struct Place {
  std::int64_t pair;
  std::int64_t element;
};
__device__ Place place_of(std::int64_t thread, std::int64_t elements, const Pairs& at) {
  if (at.element == 1) return {thread / elements, thread % elements};
  return {thread % at.total, thread / at.total};
}

template <class Real>
__global__ void __launch_bounds__(block)
    gather(Field<Real> field, Pairs at, std::int64_t rows, const int* in_p, const int* in_q, const Real* u,
           const Real* v, Complex<Real>* work) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
  if (thread >= rows * at.total) return;
  const Place place = place_of(thread, rows, at);
  const std::int64_t k = place.element;
  const std::int64_t line = 2 * (place.pair % at.pairs);
  const Real* const a = field.first + place.pair / at.pairs * field.plane + line * field.line;
  const bool second = line + 1 < field.lines;
  const std::int64_t p = in_p[k] * field.element, q = in_q[k] * field.element;
  const Real a_p = a[p], b_p = second ? a[p + field.line] : Real(0);
  Real re = u[2 * k] * a_p - u[2 * k + 1] * b_p;
  Real im = u[2 * k] * b_p + u[2 * k + 1] * a_p;
  if (v[2 * k] != 0 || v[2 * k + 1] != 0) {
    const Real a_q = a[q], b_q = second ? a[q + field.line] : Real(0);
    re += v[2 * k] * a_q - v[2 * k + 1] * b_q;
    im += v[2 * k] * b_q + v[2 * k + 1] * a_q;
  }
  work[place.pair * at.line + k * at.element] = {re, im};
}

template <class Real>
__global__ void __launch_bounds__(block)
    scatter(const Complex<Real>* work, Pairs at, std::int64_t n, const int* out_p, const int* out_q,
            const Real* alpha, const Real* beta, Field<Real> field) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
  if (thread >= n * at.total) return;
  const Place place = place_of(thread, n, at);
  const std::int64_t j = place.element;
  const std::int64_t line = 2 * (place.pair % at.pairs);
  Real* const a = field.first + place.pair / at.pairs * field.plane + line * field.line;
  const Complex<Real> p = work[place.pair * at.line + out_p[j] * at.element];
  const Complex<Real> q = work[place.pair * at.line + out_q[j] * at.element];
  a[j * field.element] = alpha[j] * (p.x + q.x) + beta[j] * (p.y - q.y);
  if (line + 1 < field.lines) {
    a[j * field.element + field.line] = alpha[j] * (p.y + q.y) + beta[j] * (q.x - p.x);
  }
}

template <class Real>
__global__ void __launch_bounds__(block)
    scale(Real* field, std::int64_t size, std::int64_t planes, std::int64_t plane_pitch, Real factor) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * block + threadIdx.x;
  if (thread < size * planes) field[thread / size * plane_pitch + thread % size] *= factor;
}

int as_int(std::int64_t number) {
  if (number > std::numeric_limits<int>::max()) {
    throw Error(where, "a plan for " + std::to_string(number) + " lines is too large",
                "transform fewer planes at a time");
  }
  return static_cast<int>(number);
}

cudaStream_t native(const Stream& stream) {
  if (!stream.device()) {
    throw Error(where, "the field is on a device, but the stream is a host stream",
                "pass Stream(Memory::device)");
  }
  return static_cast<cudaStream_t>(stream.native());
}

/// Both directions periodic.
template <class Real> class Periodic final : public PlaneTransform<Real> {
public:
  explicit Periodic(const PlaneShape& shape) : shape_(shape) {
    const std::int64_t least = 2 * (shape.nx / 2 + 1);
    if (shape_.row_pitch == 0) shape_.row_pitch = least;
    if (shape_.row_pitch < least || shape_.row_pitch % 2 == 1) {
      throw Error("make_plane_transform",
                  "cuFFT needs an even row pitch of at least " + std::to_string(least) + " for rows of " +
                      std::to_string(shape.nx),
                  "use 0 for the smallest pitch");
    }
  }

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    execute(field, planes, plane_pitch, stream, false);
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    execute(field, planes, plane_pitch, stream, true);
    if (shape_.unscaled) return;
    const std::int64_t size = shape_.row_pitch * shape_.ny;
    scale<Real><<<blocks_for(size * planes), block, 0, native(stream)>>>(
        field, size, planes, plane_pitch, Real(1.0 / static_cast<double>(shape_.nx * shape_.ny)));
    check_launch();
  }

  std::int64_t row_pitch() const override { return shape_.row_pitch; }
  std::int64_t rows() const override { return shape_.ny; }
  std::vector<std::int64_t> positions_x() const override {
    std::vector<std::int64_t> modes = interleaved_columns(shape_.nx);
    modes.resize(static_cast<std::size_t>(shape_.row_pitch), -1);
    return modes;
  }
  std::vector<std::int64_t> positions_y() const override {
    return half_complex_modes(shape_.kind_y, shape_.ny);
  }
  double gain() const override { return shape_.unscaled ? static_cast<double>(shape_.nx * shape_.ny) : 1; }
  std::int64_t workspace_bytes() const override { return plans_.bytes(); }
  std::string description() const override {
    return "cuFFT in place: dft of " + std::to_string(shape_.nx) + " by " + std::to_string(shape_.ny);
  }

private:
  void execute(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream, bool inverse) {
    constexpr bool single = std::is_same_v<Real, float>;
    if (plane_pitch % 2 == 1)
      throw Error(where, "cuFFT needs an even plane pitch", "add an element of padding");
    if (planes == 0) return;
    const auto make = [&](cufftHandle made, int way, std::size_t* bytes) {
      int n[] = {as_int(shape_.ny), as_int(shape_.nx)};
      int real[] = {n[0], as_int(shape_.row_pitch)};
      int complex[] = {n[0], real[1] / 2};
      const int distance = as_int(plane_pitch);
      return way == 1 ? cufftMakePlanMany(made, 2, n, complex, 1, distance / 2, real, 1, distance,
                                          single ? CUFFT_C2R : CUFFT_Z2D, as_int(planes), bytes)
                      : cufftMakePlanMany(made, 2, n, real, 1, distance, complex, 1, distance / 2,
                                          single ? CUFFT_R2C : CUFFT_D2Z, as_int(planes), bytes);
    };
    const cufftHandle plan =
        plans_.of(stream).get({planes, plane_pitch}, native(stream), make)[inverse ? 1 : 0];
    auto* const complex = reinterpret_cast<Complex<Real>*>(field);
    if constexpr (single) {
      check(inverse ? cufftExecC2R(plan, complex, field) : cufftExecR2C(plan, field, complex), "cufftExec");
    } else {
      check(inverse ? cufftExecZ2D(plan, complex, field) : cufftExecD2Z(plan, field, complex), "cufftExec");
    }
  }

  PlaneShape shape_;
  PerStream<CufftPlans> plans_; // forward, inverse; by planes and plane pitch
};

/// The formulas of one direction and way, on the device.
template <class Real> struct DeviceFormulas {
  explicit DeviceFormulas(const LineFormulas<Real>& of)
      : rows(of.rows), n(static_cast<std::int64_t>(of.alpha.size())), inverse(of.inverse),
        in_p(of.in_p, Memory::device), in_q(of.in_q, Memory::device), out_p(of.out_p, Memory::device),
        out_q(of.out_q, Memory::device), u(reals(of.u), Memory::device), v(reals(of.v), Memory::device),
        alpha(of.alpha, Memory::device), beta(of.beta, Memory::device) {}

  static std::span<const Real> reals(const std::vector<std::complex<Real>>& values) {
    return {reinterpret_cast<const Real*>(values.data()), 2 * values.size()};
  }

  std::int64_t rows;
  std::int64_t n;
  bool inverse;
  Buffer<std::int32_t> in_p, in_q, out_p, out_q;
  Buffer<Real> u, v, alpha, beta;
};

/// Any two kinds.
template <class Real> class LineByLine final : public PlaneTransform<Real> {
public:
  explicit LineByLine(const PlaneShape& shape)
      : shape_(shape), x_{make(shape.kind_x, shape.nx, false), make(shape.kind_x, shape.nx, true)},
        y_{make(shape.kind_y, shape.ny, false), make(shape.kind_y, shape.ny, true)} {
    if (shape_.row_pitch == 0) shape_.row_pitch = shape.nx;
  }

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    for_pieces(field, planes, plane_pitch, stream, [&](Real* first, std::int64_t count, Work& work) {
      lines(x_[0], first, count, plane_pitch, true, work, stream);
      lines(y_[0], first, count, plane_pitch, false, work, stream);
    });
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    for_pieces(field, planes, plane_pitch, stream, [&](Real* first, std::int64_t count, Work& work) {
      lines(y_[1], first, count, plane_pitch, false, work, stream);
      lines(x_[1], first, count, plane_pitch, true, work, stream);
    });
  }

  std::int64_t row_pitch() const override { return shape_.row_pitch; }
  std::int64_t rows() const override { return shape_.ny; }
  std::vector<std::int64_t> positions_x() const override {
    std::vector<std::int64_t> modes = half_complex_modes(shape_.kind_x, shape_.nx);
    modes.resize(static_cast<std::size_t>(shape_.row_pitch), -1);
    return modes;
  }
  std::vector<std::int64_t> positions_y() const override {
    return half_complex_modes(shape_.kind_y, shape_.ny);
  }
  std::int64_t workspace_bytes() const override { return work_.bytes(); }
  std::string description() const override {
    return std::string("cuFFT line by line: ") + to_string(shape_.kind_x) + " of " +
           std::to_string(shape_.nx) + " by " + to_string(shape_.kind_y) + " of " + std::to_string(shape_.ny);
  }

private:
  static DeviceFormulas<Real> make(TransformKind kind, std::int64_t n, bool inverse) {
    return DeviceFormulas<Real>(LineTransform<Real>(kind, n, inverse, Real(1)).formulas());
  }

  /// What the steps of one stream work in. Plans: along x, along y; by planes.
  struct Work {
    CufftPlans plans;
    Buffer<Real> lines;
    [[nodiscard]] std::size_t bytes() const { return plans.bytes() + lines.bytes(); }
  };

  Pairs pairs_along_x(std::int64_t planes) const {
    const std::int64_t pairs = (shape_.ny + 1) / 2;
    return {pairs, pairs * planes, x_[0].rows, 1};
  }
  Pairs pairs_along_y(std::int64_t planes) const {
    const std::int64_t pairs = (shape_.nx + 1) / 2;
    return {pairs, pairs * planes, 1, pairs * planes};
  }

  /// Complex numbers that the lines of a plane need, along x or y.
  std::int64_t work_of_plane() const {
    return std::max(x_[0].rows * ((shape_.ny + 1) / 2), y_[0].rows * ((shape_.nx + 1) / 2));
  }

  template <class Run>
  void for_pieces(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream, Run run) {
    const std::int64_t of_plane = work_of_plane();
    const std::int64_t together =
        std::max<std::int64_t>(1, piece / (of_plane * 2 * static_cast<std::int64_t>(sizeof(Real))));
    const std::int64_t most = std::min(together, planes);
    Work& own = work_.of(stream);
    if (own.lines.size() < 2 * of_plane * most) {
      const AllocatesWhileRecording allowed;
      own.lines = Buffer<Real>(2 * of_plane * most, Memory::device, Buffer<Real>::Contents::undefined);
    }
    for (std::int64_t first = 0; first < planes; first += together) {
      run(field + first * plane_pitch, std::min(together, planes - first), own);
    }
  }

  void lines(const DeviceFormulas<Real>& of, Real* first, std::int64_t planes, std::int64_t plane_pitch,
             bool along_x, Work& own, Stream& stream) {
    constexpr bool single = std::is_same_v<Real, float>;
    const cudaStream_t on = native(stream);
    const Field<Real> field = along_x ? Field<Real>{first, plane_pitch, shape_.row_pitch, 1, shape_.ny}
                                      : Field<Real>{first, plane_pitch, 1, shape_.row_pitch, shape_.nx};
    const Pairs at = along_x ? pairs_along_x(planes) : pairs_along_y(planes);
    const std::int64_t total = at.total;
    auto* const work = reinterpret_cast<Complex<Real>*>(own.lines.data());
    gather<Real><<<blocks_for(of.rows * total), block, 0, on>>>(
        field, at, of.rows, of.in_p.data(), of.in_q.data(), of.u.data(), of.v.data(), work);
    check_launch();
    const cufftHandle plan =
        own.plans.get({planes, 0}, on, [&](cufftHandle made, int way, std::size_t* bytes) {
          const std::int64_t rows = way == 0 ? x_[0].rows : y_[0].rows;
          const Pairs lines = way == 0 ? pairs_along_x(planes) : pairs_along_y(planes);
          int n[] = {as_int(rows)};
          return cufftMakePlanMany(made, 1, n, n, as_int(lines.element), as_int(lines.line), n,
                                   as_int(lines.element), as_int(lines.line), single ? CUFFT_C2C : CUFFT_Z2Z,
                                   as_int(lines.total), bytes);
        })[along_x ? 0 : 1];
    const int direction = of.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    if constexpr (single) {
      check(cufftExecC2C(plan, work, work, direction), "cufftExec");
    } else {
      check(cufftExecZ2Z(plan, work, work, direction), "cufftExec");
    }
    scatter<Real><<<blocks_for(of.n * total), block, 0, on>>>(
        work, at, of.n, of.out_p.data(), of.out_q.data(), of.alpha.data(), of.beta.data(), field);
    check_launch();
  }

  PlaneShape shape_;
  DeviceFormulas<Real> x_[2]; // forward, inverse
  DeviceFormulas<Real> y_[2];
  PerStream<Work> work_;
};

} // namespace

template <class Real> std::unique_ptr<PlaneTransform<Real>> make_cufft_transform(const PlaneShape& shape) {
  if (shape.kind_x == TransformKind::dft && shape.kind_y == TransformKind::dft) {
    return std::make_unique<Periodic<Real>>(shape);
  }
  return std::make_unique<LineByLine<Real>>(shape);
}

template std::unique_ptr<PlaneTransform<float>> make_cufft_transform(const PlaneShape&);
template std::unique_ptr<PlaneTransform<double>> make_cufft_transform(const PlaneShape&);

} // namespace heddle::fft
