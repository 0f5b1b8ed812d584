// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_MOMENT_FLOW_HPP
#define LBM_VALIDATION_MOMENT_FLOW_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/with_cuda.hpp"
#include "lbm_validation_mixed.hpp"
#include "list_flow.hpp"
#include "periodic_ghosts.hpp"

namespace validation {

/// A view as emitted functions take it: x, y and, in space, z, then components. Ghost layer of one cell.
template <class T, std::size_t rank> struct BoxView {
  T* first;
  std::array<std::int64_t, rank + 1> extents, strides;
  T* data() const { return first; }
  std::int64_t extent(std::size_t d) const { return extents[d]; }
  std::int64_t stride(std::size_t d) const { return strides[d]; }
};

/// A field on a periodic box. In device memory the host sees a copy: what it was given at the start, or what
/// fetch() brought.
template <class T, std::size_t rank> class BoxField {
public:
  BoxField(const Cell& extent, std::int64_t components, heddle::Memory memory = heddle::Memory::host) {
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      extents_[d] = extent[d];
      strides_[d] = stride;
      stride *= extent[d] + 2;
    }
    extents_[rank] = components;
    strides_[rank] = stride;
    values_ = heddle::Buffer<T>(stride * components, memory);
  }
  BoxView<T, rank> view() { return {values_.data() + first(), extents_, strides_}; }
  BoxView<const T, rank> view() const { return {values_.data() + first(), extents_, strides_}; }

  T& at(const Cell& cell, std::int64_t component) { return seen()[position(cell, component)]; }
  const T& at(const Cell& cell, std::int64_t component) const { return seen()[position(cell, component)]; }

  /// On a device: where at() writes what put() then takes there.
  void prepare() {
    if (on_device()) copy_.resize(static_cast<std::size_t>(values_.size()));
  }
  void put() {
    if (on_device()) values_ = heddle::Buffer<T>(std::span<const T>(copy_), values_.memory());
  }
  void fetch() {
    if (on_device()) copy_ = values_.to_host();
  }

  /// Every ghost cell becomes its periodic image.
  void fill_ghosts(heddle::Stream& stream) {
    if (!on_device()) return fill_ghosts();
    if constexpr (heddle::with_cuda && rank == 3) {
      const BoxView<T, rank> box = view();
      if (fill_ghosts_on_device(box.data(), extents_, strides_, stream.native()) != 0)
        throw heddle::Error("BoxField", "the kernel that fills ghost cells did not start");
    } else {
      throw heddle::Error("BoxField", "only boxes in space lie on a device");
    }
  }

private:
  void fill_ghosts() {
    const std::int64_t depth = rank == 3 ? extents_[2] : 1;
    const std::int64_t rim = rank == 3 ? 1 : 0;
    for (std::int64_t c = 0; c < extents_[rank]; ++c) {
      for (std::int64_t z = -rim; z < depth + rim; ++z) {
        for (std::int64_t y = -1; y <= extents_[1]; ++y) {
          const bool whole = z < 0 || z == depth || y < 0 || y == extents_[1];
          for (std::int64_t x = -1; x <= extents_[0]; x += whole ? 1 : extents_[0] + 1) {
            const Cell image{(x + extents_[0]) % extents_[0], (y + extents_[1]) % extents_[1],
                             (z + depth) % depth};
            at({x, y, z}, c) = at(image, c);
          }
        }
      }
    }
  }

  [[nodiscard]] bool on_device() const { return values_.memory() == heddle::Memory::device; }
  T* seen() { return on_device() ? copy_.data() : values_.data(); }
  const T* seen() const { return on_device() ? copy_.data() : values_.data(); }
  [[nodiscard]] std::size_t first() const { return position({0, 0, 0}, 0); }

  [[nodiscard]] std::size_t position(const Cell& cell, std::int64_t component) const {
    std::int64_t found = component * strides_[rank];
    for (std::size_t d = 0; d < rank; ++d)
      found += (cell[d] + 1) * strides_[d];
    return static_cast<std::size_t>(found);
  }

  std::array<std::int64_t, rank + 1> extents_{}, strides_{};
  heddle::Buffer<T> values_;
  std::vector<T> copy_; // of what is on a device
};

/// In f16 memory holds the stress 2^14 times as large.
inline constexpr double stress_scale = 0x1p14;

/// A periodic flow with moments in memory: density and momentum in f32, the stress in T.
template <std::size_t rank, class T> class MomentFlow {
  static constexpr std::int64_t tensor = rank == 2 ? 3 : 4; // entries of the field `stress`

public:
  /// In device memory: boxes in space only.
  explicit MomentFlow(const Cell& extent, heddle::Memory memory = heddle::Memory::host)
      : extent_(extent), flow_(extent, rank + 1, memory), flow_next_(extent, rank + 1, memory),
        stress_(extent, tensor, memory), stress_next_(extent, tensor, memory), shear_(extent, 2, memory),
        shear_next_(extent, 2, memory), stream_(memory) {}

  /// As ListFlow::start: rho u_a u_b and (1 - omega) of the stress -(2 rho / (3 omega)) S_ab.
  template <class F> void start(double omega, F&& state) {
    flow_.prepare(), stress_.prepare(), shear_.prepare();
    heddle::parallel_ranges(extent_[1] * extent_[2], [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) {
        for (std::int64_t x = 0; x < extent_[0]; ++x) {
          const Cell cell{x, row % extent_[1], row / extent_[1]};
          const State s = state(cell);
          flow_.at(cell, 0) = static_cast<float>(s.rho - 1);
          for (std::size_t a = 0; a < rank; ++a)
            flow_.at(cell, static_cast<std::int64_t>(a) + 1) = static_cast<float>(s.rho * s.u[a]);
          std::int64_t entry = 0;
          const auto set = [&](std::size_t a, std::size_t b) {
            const double strain = (s.gradient[a][b] + s.gradient[b][a]) / 2;
            const double t = s.rho * s.u[a] * s.u[b] - (1 - omega) * 2 * s.rho / (3 * omega) * strain;
            store(entry < tensor ? stress_.at(cell, entry) : shear_.at(cell, entry - tensor), t,
                  stress_scale);
            ++entry;
          };
          for (std::size_t a = 0; a < rank; ++a)
            set(a, a);
          for (std::size_t a = 0; a < rank; ++a) {
            for (std::size_t b = a + 1; b < rank; ++b)
              set(a, b);
          }
        }
      }
    });
    flow_.put(), stress_.put(), shear_.put();
  }

  void step(double omega) {
    advance([&](const auto&... fields) {
      if constexpr (rank == 2) {
        if constexpr (halves)
          lbm_validation_mixed::plane(fields..., omega);
        else
          lbm_validation_mixed::plane_f32(fields..., omega);
      } else {
        step_in_space(0.0, omega, fields...);
      }
    });
  }

  /// Brings the host's copy of density and momentum up to date.
  void fetch() {
    stream_.synchronise();
    flow_.fetch();
  }
  [[nodiscard]] std::pair<double, Vector> moments(const Cell& cell) const {
    Vector j{};
    for (std::size_t a = 0; a < rank; ++a)
      j[a] = static_cast<double>(flow_.at(cell, static_cast<std::int64_t>(a) + 1));
    return {1 + static_cast<double>(flow_.at(cell, 0)), j};
  }

protected:
  static constexpr bool halves = std::is_same_v<T, std::uint16_t>;

  [[nodiscard]] BoxView<const float, rank> flow() const { return flow_.view(); }

  /// force: along x.
  template <class... Fields> void step_in_space(double force, double omega, const Fields&... fields) {
    if constexpr (heddle::with_cuda) {
      if (stream_.device()) {
        if constexpr (halves)
          lbm_validation_mixed::space_cuda(fields..., force, omega, stream_.native());
        else
          lbm_validation_mixed::space_f32_cuda(fields..., force, omega, stream_.native());
        return;
      }
    }
    if constexpr (halves)
      lbm_validation_mixed::space(fields..., force, omega);
    else
      lbm_validation_mixed::space_f32(fields..., force, omega);
  }

  /// Runs kernel(flow, stress, shear, flow_next, stress_next, shear_next), in a plane without shear, and
  /// takes what it wrote.
  template <class F> void advance(F&& kernel) {
    flow_.fill_ghosts(stream_);
    stress_.fill_ghosts(stream_);
    const auto flow = std::as_const(flow_).view();
    const auto stress = std::as_const(stress_).view();
    if constexpr (rank == 2) {
      kernel(flow, stress, flow_next_.view(), stress_next_.view());
    } else {
      shear_.fill_ghosts(stream_);
      kernel(flow, stress, std::as_const(shear_).view(), flow_next_.view(), stress_next_.view(),
             shear_next_.view());
      std::swap(shear_, shear_next_);
    }
    std::swap(flow_, flow_next_);
    std::swap(stress_, stress_next_);
  }

private:
  Cell extent_;
  BoxField<float, rank> flow_, flow_next_;
  BoxField<T, rank> stress_, stress_next_, shear_, shear_next_;
  heddle::Stream stream_;
};

} // namespace validation

#endif
