// SPDX-License-Identifier: Apache-2.0
// FFTW, opened while the program runs. Its interface is declared here from its manual (section "FFTW
// Reference"): Heddle is built, linked and installed without it.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "back_ends.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "host_planes.hpp"
#include "mode_numbers.hpp"

namespace heddle::fft {

namespace {

using Plan = void*;
constexpr unsigned measure = 0;
constexpr unsigned unaligned = 1U << 1U;
constexpr unsigned patient = 1U << 5U;
constexpr unsigned estimate = 1U << 6U;

/// Large planes are planned longer, within this limit: 15 % quicker than FFTW_MEASURE at 256 x 256.
constexpr double seconds_of_planning = 4;
constexpr std::int64_t large = 128 * 128;

/// fftw_r2r_kind of a transform and of what undoes it.
std::pair<int, int> r2r_kinds(TransformKind kind) {
  constexpr int r2hc = 0, hc2r = 1, redft00 = 3, redft01 = 4, redft10 = 5, redft11 = 6;
  constexpr int rodft00 = 7, rodft01 = 8, rodft10 = 9, rodft11 = 10;
  switch (kind) {
  case TransformKind::dft:
    return {r2hc, hc2r};
  case TransformKind::dct1:
    return {redft00, redft00};
  case TransformKind::dct2:
    return {redft10, redft01};
  case TransformKind::dct3:
    return {redft01, redft10};
  case TransformKind::dct4:
    return {redft11, redft11};
  case TransformKind::dst1:
    return {rodft00, rodft00};
  case TransformKind::dst2:
    return {rodft10, rodft01};
  case TransformKind::dst3:
    return {rodft01, rodft10};
  case TransformKind::dst4:
    break;
  }
  return {rodft11, rodft11};
}

/// What forward followed by inverse multiplies with.
std::int64_t gain_of(TransformKind kind, std::int64_t n) {
  if (kind == TransformKind::dft) return n;
  return kind == TransformKind::dct1 ? 2 * (n - 1) : kind == TransformKind::dst1 ? 2 * (n + 1) : 2 * n;
}

/// The functions of the library of one precision.
template <class Real> class Library {
public:
  using PlanReal = Plan (*)(int, const int*, int, Real*, const int*, int, int, Real*, const int*, int, int,
                            const int*, unsigned);
  using PlanComplex = Plan (*)(int, const int*, int, Real*, const int*, int, int, Real*, const int*, int, int,
                               unsigned);

  static const Library& get() {
    static const Library library;
    return library;
  }

  PlanReal plan_r2r = nullptr;
  PlanComplex plan_r2c = nullptr;
  PlanComplex plan_c2r = nullptr;
  void (*execute_r2r)(Plan, Real*, Real*) = nullptr;
  void (*execute_r2c)(Plan, Real*, Real*) = nullptr;
  void (*execute_c2r)(Plan, Real*, Real*) = nullptr;
  void (*destroy)(Plan) = nullptr;
  void (*limit_planning)(double) = nullptr;
  int (*alignment)(Real*) = nullptr;
  const char* name = std::is_same_v<Real, float> ? "libfftw3f.so.3" : "libfftw3.so.3";

  /// FFTW plans in one thread at a time, in both precisions.
  static std::mutex& planning() {
    static std::mutex mutex;
    return mutex;
  }

private:
  Library() {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw Error(
          "make_plane_transform", std::string("FFTW was requested, but ") + name + " cannot be opened",
          "install it (Debian: libfftw3-double3, libfftw3-single3), or use TransformBackEnd::generated");
    }
    find(library, "plan_many_r2r", plan_r2r);
    find(library, "plan_many_dft_r2c", plan_r2c);
    find(library, "plan_many_dft_c2r", plan_c2r);
    find(library, "execute_r2r", execute_r2r);
    find(library, "execute_dft_r2c", execute_r2c);
    find(library, "execute_dft_c2r", execute_c2r);
    find(library, "destroy_plan", destroy);
    find(library, "set_timelimit", limit_planning);
    find(library, "alignment_of", alignment);
  }

  template <class Function> void find(void* library, const char* what, Function& function) const {
    const std::string symbol = (std::is_same_v<Real, float> ? "fftwf_" : "fftw_") + std::string(what);
    function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
    if (function == nullptr) {
      throw Error("make_plane_transform", std::string(name) + " has no " + symbol, "install FFTW 3");
    }
  }
};

template <class Real> class Fftw final : public PlaneTransform<Real> {
public:
  explicit Fftw(const PlaneShape& shape)
      : library_(Library<Real>::get()), shape_(shape),
        complex_(shape.kind_x == TransformKind::dft && shape.kind_y == TransformKind::dft) {
    const std::int64_t least = complex_ ? 2 * (shape.nx / 2 + 1) : shape.nx;
    if (shape_.row_pitch == 0) shape_.row_pitch = least;
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (shape_.row_pitch < least || (complex_ && shape_.row_pitch % 2 == 1) ||
        shape_.row_pitch * shape.ny > most) {
      throw Error("make_plane_transform",
                  "FFTW does not support rows of " + std::to_string(shape.nx) + " numbers with a pitch of " +
                      std::to_string(shape_.row_pitch),
                  "use an even pitch of at least " + std::to_string(least) +
                      " and planes of fewer than 2^31 numbers");
    }
    if ((shape.kind_x == TransformKind::dct1 && shape.nx < 2) ||
        (shape.kind_y == TransformKind::dct1 && shape.ny < 2)) {
      throw Error("make_plane_transform", "a dct1 needs at least 2 numbers, but the direction has 1",
                  "use more cells");
    }
    gain_ = gain_of(shape.kind_x, shape.nx) * gain_of(shape.kind_y, shape.ny);
    scale_ = static_cast<Real>(1.0 / static_cast<double>(gain_));
    Buffer<Real> field(shape_.row_pitch * shape.ny);
    alignment_ = library_.alignment(field.data());
    const std::lock_guard lock(Library<Real>::planning());
    const unsigned care = complex_ && shape.nx * shape.ny >= large ? patient : measure;
    library_.limit_planning(seconds_of_planning);
    for (const bool inverse : {false, true}) {
      plans_[inverse][0] = plan(field.data(), inverse, care);
      plans_[inverse][1] = plan(field.data(), inverse, estimate | unaligned);
    }
    library_.limit_planning(-1); // FFTW_NO_TIMELIMIT
  }

  ~Fftw() override {
    const std::lock_guard lock(Library<Real>::planning());
    for (const auto& both : plans_) {
      for (const Plan plan : both)
        library_.destroy(plan);
    }
  }
  Fftw(const Fftw&) = delete;
  Fftw& operator=(const Fftw&) = delete;

  void forward(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    forward_of({}, field, planes, plane_pitch, stream);
  }
  void inverse(Real* field, std::int64_t planes, std::int64_t plane_pitch, Stream& stream) override {
    inverse_for({}, field, planes, plane_pitch, stream);
  }

  void forward_of(const PlaneWork& source, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                  Stream& /*stream*/) override {
    for_planes(
        planes, source, {}, [] { return 0; },
        [&](std::int64_t p, int) { execute(field + p * plane_pitch, false); });
  }

  void inverse_for(const PlaneWork& use, Real* field, std::int64_t planes, std::int64_t plane_pitch,
                   Stream& /*stream*/) override {
    for_planes(
        planes, {}, use, [] { return 0; },
        [&](std::int64_t p, int) {
          Real* const plane = field + p * plane_pitch;
          execute(plane, true);
          if (shape_.unscaled) return;
          const std::int64_t size = shape_.row_pitch * shape_.ny; // in a cache now
          for (std::int64_t i = 0; i < size; ++i)
            plane[i] *= scale_;
        });
  }

  double gain() const override { return shape_.unscaled ? static_cast<double>(gain_) : 1; }
  std::int64_t row_pitch() const override { return shape_.row_pitch; }
  std::int64_t rows() const override { return shape_.ny; }
  std::vector<std::int64_t> positions_x() const override {
    std::vector<std::int64_t> modes =
        complex_ ? interleaved_columns(shape_.nx) : half_complex_modes(shape_.kind_x, shape_.nx);
    modes.resize(static_cast<std::size_t>(shape_.row_pitch), -1);
    return modes;
  }
  std::vector<std::int64_t> positions_y() const override {
    return half_complex_modes(shape_.kind_y, shape_.ny);
  }
  std::string description() const override {
    return std::string("FFTW (") + library_.name + ", asked for): x " + to_string(shape_.kind_x) + " of " +
           std::to_string(shape_.nx) + ", y " + to_string(shape_.kind_y) + " of " + std::to_string(shape_.ny);
  }

private:
  Plan plan(Real* field, bool inverse, unsigned flags) const {
    const std::array<int, 2> n = {static_cast<int>(shape_.ny), static_cast<int>(shape_.nx)};
    const int pitch = static_cast<int>(shape_.row_pitch);
    const std::array<int, 2> real = {n[0], pitch};
    const std::array<int, 2> complex = {n[0], pitch / 2};
    const auto kinds = [inverse](TransformKind kind) {
      return inverse ? r2r_kinds(kind).second : r2r_kinds(kind).first;
    };
    const std::array<int, 2> kind = {kinds(shape_.kind_y), kinds(shape_.kind_x)};
    Plan result = nullptr;
    if (!complex_) {
      result = library_.plan_r2r(2, n.data(), 1, field, real.data(), 1, 0, field, real.data(), 1, 0,
                                 kind.data(), flags);
    } else if (inverse) {
      result =
          library_.plan_c2r(2, n.data(), 1, field, complex.data(), 1, 0, field, real.data(), 1, 0, flags);
    } else {
      result =
          library_.plan_r2c(2, n.data(), 1, field, real.data(), 1, 0, field, complex.data(), 1, 0, flags);
    }
    if (result == nullptr) throw Error("make_plane_transform", "FFTW has no plan for planes of this size");
    return result;
  }

  void execute(Real* plane, bool inverse) const {
    const Plan plan = plans_[inverse][library_.alignment(plane) == alignment_ ? 0 : 1];
    if (!complex_) {
      library_.execute_r2r(plan, plane, plane);
    } else if (inverse) {
      library_.execute_c2r(plan, plane, plane);
    } else {
      library_.execute_r2c(plan, plane, plane);
    }
  }

  const Library<Real>& library_;
  PlaneShape shape_;
  bool complex_;
  std::int64_t gain_ = 1; // of forward and inverse
  Real scale_ = 1;        // what undoes it
  int alignment_ = 0;
  std::array<std::array<Plan, 2>, 2> plans_{}; // [inverse][not aligned as the measured one]
};

} // namespace

template <class Real> std::unique_ptr<PlaneTransform<Real>> make_fftw_transform(const PlaneShape& shape) {
  return std::make_unique<Fftw<Real>>(shape);
}

template std::unique_ptr<PlaneTransform<float>> make_fftw_transform(const PlaneShape&);
template std::unique_ptr<PlaneTransform<double>> make_fftw_transform(const PlaneShape&);

} // namespace heddle::fft
