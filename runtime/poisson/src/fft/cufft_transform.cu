// SPDX-License-Identifier: Apache-2.0
// cuFFT: two-dimensional plans in place where both directions are periodic; otherwise line by line, two real
// lines as one complex one, between two kernels that apply the formulas of LineTransform.
#include <cuda_runtime.h>
#include <cufft.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "back_ends.hpp"
#include "heddle/buffer.hpp"
#include "heddle/error.hpp"
#include "line_transform.hpp"
#include "mode_numbers.hpp"

namespace heddle::fft {

namespace {

constexpr const char* where = "PlaneTransform (cuFFT)";
constexpr int block = 256;
/// Bytes of complex lines that are in work at a time: they stay in the L2 cache between the three steps.
constexpr std::int64_t piece = std::int64_t{24} << 20;

void check(cufftResult result, const char* what) {
  if (result == CUFFT_SUCCESS) return;
  throw Error(where,
              std::string(what) + " failed with cufftResult " + std::to_string(static_cast<int>(result)),
              result == CUFFT_ALLOC_FAILED ? "cuFFT's scratch does not fit the memory" : "");
}

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

/// Plans of one shape, by the numbers of planes they are for. Made when they are first asked for.
class Plans {
public:
  using Key = std::pair<std::int64_t, std::int64_t>;
  Plans() = default;
  ~Plans() {
    for (const auto& [key, plan] : plans_)
      (void)cufftDestroy(plan);
  }
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  template <class Make> cufftHandle get(const Key& key, Make make) {
    const std::lock_guard lock(mutex_);
    const auto known = plans_.find(key);
    if (known != plans_.end()) return known->second;
    return plans_[key] = make();
  }

private:
  std::mutex mutex_;
  std::map<Key, cufftHandle> plans_;
};

int as_int(std::int64_t number) {
  if (number > std::numeric_limits<int>::max()) {
    throw Error(where, "a plan for " + std::to_string(number) + " lines is too large",
                "transform fewer planes at a time");
  }
  return static_cast<int>(number);
}

cudaStream_t native(const Stream& stream) {
  if (!stream.device()) {
    throw Error(where, "the field lies on a device, and the stream is one of the host",
                "Stream(Memory::device)");
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
                  "0 takes the smallest pitch");
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
  std::string description() const override {
    return "cuFFT in place: dft of " + std::to_string(shape_.nx) + " by " + std::to_string(shape_.ny);
  }

private:
  void execute(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream, bool inverse) {
    constexpr bool single = std::is_same_v<Real, float>;
    if (plane_pitch % 2 == 1) throw Error(where, "the plane pitch is odd", "cuFFT needs an even one");
    if (planes == 0) return;
    Plans& plans = inverse ? inverse_ : forward_;
    const cufftHandle plan = plans.get({planes, plane_pitch}, [&] {
      int n[] = {as_int(shape_.ny), as_int(shape_.nx)};
      int real[] = {n[0], as_int(shape_.row_pitch)};
      int complex[] = {n[0], real[1] / 2};
      const int distance = as_int(plane_pitch);
      cufftHandle made = 0;
      check(inverse ? cufftPlanMany(&made, 2, n, complex, 1, distance / 2, real, 1, distance,
                                    single ? CUFFT_C2R : CUFFT_Z2D, as_int(planes))
                    : cufftPlanMany(&made, 2, n, real, 1, distance, complex, 1, distance / 2,
                                    single ? CUFFT_R2C : CUFFT_D2Z, as_int(planes)),
            "cufftPlanMany");
      return made;
    });
    check(cufftSetStream(plan, native(stream)), "cufftSetStream");
    auto* const complex = reinterpret_cast<Complex<Real>*>(field);
    if constexpr (single) {
      check(inverse ? cufftExecC2R(plan, complex, field) : cufftExecR2C(plan, field, complex), "cufftExec");
    } else {
      check(inverse ? cufftExecZ2D(plan, complex, field) : cufftExecD2Z(plan, field, complex), "cufftExec");
    }
  }

  PlaneShape shape_;
  Plans forward_;
  Plans inverse_;
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
    for_pieces(field, planes, plane_pitch, [&](Real* first, std::int64_t count) {
      lines(x_[0], first, count, plane_pitch, true, stream);
      lines(y_[0], first, count, plane_pitch, false, stream);
    });
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    for_pieces(field, planes, plane_pitch, [&](Real* first, std::int64_t count) {
      lines(y_[1], first, count, plane_pitch, false, stream);
      lines(x_[1], first, count, plane_pitch, true, stream);
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
  std::string description() const override {
    return std::string("cuFFT line by line: ") + to_string(shape_.kind_x) + " of " +
           std::to_string(shape_.nx) + " by " + to_string(shape_.kind_y) + " of " + std::to_string(shape_.ny);
  }

private:
  static DeviceFormulas<Real> make(TransformKind kind, std::int64_t n, bool inverse) {
    return DeviceFormulas<Real>(LineTransform<Real>(kind, n, inverse, Real(1)).formulas());
  }

  /// Complex numbers that the lines of a plane need, along x or y.
  std::int64_t work_of_plane() const {
    return std::max(x_[0].rows * ((shape_.ny + 1) / 2), y_[0].rows * ((shape_.nx + 1) / 2));
  }

  template <class Work>
  void for_pieces(Real* field, std::int64_t planes, std::int64_t plane_pitch, Work work) {
    const std::int64_t of_plane = work_of_plane();
    const std::int64_t together =
        std::max<std::int64_t>(1, piece / (of_plane * 2 * static_cast<std::int64_t>(sizeof(Real))));
    const std::int64_t most = std::min(together, planes);
    if (work_.size() < 2 * of_plane * most) work_ = Buffer<Real>(2 * of_plane * most, Memory::device);
    for (std::int64_t first = 0; first < planes; first += together) {
      work(field + first * plane_pitch, std::min(together, planes - first));
    }
  }

  void lines(const DeviceFormulas<Real>& of, Real* first, std::int64_t planes, std::int64_t plane_pitch,
             bool along_x, Stream& stream) {
    constexpr bool single = std::is_same_v<Real, float>;
    const cudaStream_t on = native(stream);
    const Field<Real> field = along_x ? Field<Real>{first, plane_pitch, shape_.row_pitch, 1, shape_.ny}
                                      : Field<Real>{first, plane_pitch, 1, shape_.row_pitch, shape_.nx};
    const std::int64_t pairs = (field.lines + 1) / 2;
    const std::int64_t total = pairs * planes;
    const Pairs at = along_x ? Pairs{pairs, total, of.rows, 1} : Pairs{pairs, total, 1, total};
    auto* const work = reinterpret_cast<Complex<Real>*>(work_.data());
    gather<Real><<<blocks_for(of.rows * total), block, 0, on>>>(
        field, at, of.rows, of.in_p.data(), of.in_q.data(), of.u.data(), of.v.data(), work);
    check_launch();
    const cufftHandle plan = (along_x ? plans_x_ : plans_y_).get({planes, 0}, [&] {
      int n[] = {as_int(of.rows)};
      cufftHandle made = 0;
      check(cufftPlanMany(&made, 1, n, n, as_int(at.element), as_int(at.line), n, as_int(at.element),
                          as_int(at.line), single ? CUFFT_C2C : CUFFT_Z2Z, as_int(total)),
            "cufftPlanMany");
      return made;
    });
    check(cufftSetStream(plan, on), "cufftSetStream");
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
  Plans plans_x_;
  Plans plans_y_;
  Buffer<Real> work_;
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
