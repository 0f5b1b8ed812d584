// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_LIST_FLOW_HPP
#define LBM_VALIDATION_LIST_FLOW_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/device/half.hpp"
#include "heddle/sparse/boundary_links.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "velocity_set.hpp"

namespace validation {

using Cell = std::array<std::int64_t, 3>;

/// Calls f(cell) for the cells of a box, x fastest.
template <class F> void for_cells(const Cell& extent, F&& f) {
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      for (std::int64_t x = 0; x < extent[0]; ++x)
        f(Cell{x, y, z});
    }
  }
}

using Tensor = std::array<Vector, 3>;

/// Density, velocity and the gradient d_b u_a of a cell.
struct State {
  double rho = 1;
  Vector u{};
  Tensor gradient{};
};

/// Zero-centred populations in f16 are stored 2^15 times as large.
inline constexpr double half_scale = 0x1p15;

inline void store(double& to, double value, double = 1) {
  to = value;
}
inline void store(float& to, double value, double = 1) {
  to = static_cast<float>(value);
}
inline void store(std::uint16_t& to, double value, double scale = 1) {
  to = heddle::to_half(value * scale);
}
inline double load(double value, double = 1) {
  return value;
}
inline double load(float value, double = 1) {
  return static_cast<double>(value);
}
inline double load(std::uint16_t value, double scale = 1) {
  return heddle::half_to_double(value) / scale;
}

/// Some cells of a list and their incoming directions: where a boundary sweep runs.
struct Patch {
  heddle::Buffer<std::uint32_t> cells, mask;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cells.size()); }
};

inline heddle::Buffer<std::uint32_t> buffer(const std::vector<std::uint32_t>& values,
                                            heddle::Memory memory = heddle::Memory::host) {
  return heddle::Buffer<std::uint32_t>(std::span<const std::uint32_t>(values), memory);
}

/// Calls f(number, cell) for each cell of a list, from several threads, each with cells that follow each
/// other.
template <class F> void for_listed(const heddle::IndexList& list, F&& f) {
  const heddle::Box& box = list.box();
  heddle::parallel_ranges(box.extent(1) * box.extent(2), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t y = box.lower[1] + row % box.extent(1), z = box.lower[2] + row / box.extent(1);
      list.for_row(y, z, [&](std::int64_t n, std::int64_t x) { f(n, Cell{x, y, z}); });
    }
  });
}

/// A flow over the flagged cells of a box, with two arrays of populations (pull). Walls are where no cell is
/// listed. T: how populations are stored. Between steps the field holds post-collision populations.
///
/// In device memory steps are the same kernels as CUDA, and what is measured is measured on the host all the
/// same: from a copy that fetch() brings up to date.
template <class T, std::size_t count> class ListFlow {
public:
  using View = heddle::SparseView<T>;

  template <class Links>
  ListFlow(const VelocitySet<count>& set, const Links& links, const Cell& extent,
           const std::vector<std::uint8_t>& flags, const std::array<bool, 3>& periodic,
           heddle::Memory memory = heddle::Memory::host)
      : set_(&set), list_({{0, 0, 0}, extent}, flags, periodic, links),
        device_list_(memory == heddle::Memory::device
                         ? std::make_unique<heddle::IndexList>(heddle::Box{{0, 0, 0}, extent}, flags,
                                                               periodic, links, memory)
                         : nullptr),
        f_(where_steps_run(), static_cast<int>(count), memory),
        next_(where_steps_run(), static_cast<int>(count), memory),
        copy_(memory == heddle::Memory::device ? std::make_unique<heddle::SparseField<T>>(
                                                     list_, static_cast<int>(count), heddle::Memory::pinned)
                                               : nullptr),
        stream_(memory) {}

  /// In host memory.
  [[nodiscard]] const heddle::IndexList& list() const { return list_; }
  /// In the memory of the flow.
  [[nodiscard]] const heddle::IndexList& where_steps_run() const {
    return device_list_ ? *device_list_ : list_;
  }
  [[nodiscard]] heddle::Memory memory() const { return f_.memory(); }
  [[nodiscard]] heddle::Stream& stream() { return stream_; }
  heddle::SparseField<T>& field() { return f_; }
  View f() { return f_.view(); }
  [[nodiscard]] heddle::SparseView<const T> f() const { return f_.view(); }
  [[nodiscard]] const VelocitySet<count>& set() const { return *set_; }

  /// Populations as they are after a collision with the rate omega: equilibrium and (1 - omega) of the stress
  /// that belongs to the gradient, -(w rho / (omega c_s^2)) (c_a c_b - c_s^2 delta_ab) d_a u_b.
  /// state(cell) is called from several threads.
  template <class F> void start(double omega, F&& state) {
    const View view = copy_ ? copy_->view() : f_.view();
    for_listed(list_, [&](std::int64_t n, const Cell& cell) {
      const State s = state(cell);
      for (std::size_t q = 0; q < count; ++q)
        store(view(n, static_cast<std::int64_t>(q)), population(q, s, omega), half_scale);
    });
    if (copy_) {
      stream_.synchronise();
      f_.copy_from(*copy_);
      fetched_ = true;
    }
  }

  /// Runs collide(from, to, neighbour, stride, run, first, last) over all cells and takes what it wrote.
  template <class F> void step(F&& collide) {
    const heddle::SparseField<T>& from = f_;
    collide(from.view(), next_.view(), list_.neighbour(), list_.neighbour_stride(), list_.neighbour_run(),
            std::int64_t{0}, list_.count());
    std::swap(f_, next_);
  }

  /// Runs the sweep that make(f, f_next, cells) gives, in any memory, and takes what it wrote.
  template <class F> void sweep(F&& make) {
    make(f_, next_, list_.all())(stream_);
    std::swap(f_, next_);
    fetched_ = copy_ == nullptr;
  }
  /// Runs the sweep that make(f) gives, over a list of cells.
  template <class F> void boundary(F&& make) {
    make(f_)(stream_);
    fetched_ = copy_ == nullptr;
  }
  /// Brings the host's copy up to date, which everything below is read from.
  void fetch() {
    if (fetched_) return;
    stream_.synchronise();
    copy_->copy_from(f_);
    fetched_ = true;
  }

  /// Density and momentum that the last step left: after a boundary sweep not those of its cells, in which
  /// populations make room for what comes in.
  [[nodiscard]] std::pair<double, Vector> moments(std::int64_t n) const {
    return sum([f = seen(), n](std::size_t q) { return f(n, static_cast<std::int64_t>(q)); });
  }
  /// Density and momentum that arrive for the next step.
  [[nodiscard]] std::pair<double, Vector> arrived(std::int64_t n) const {
    return sum([this, f = seen(), n](std::size_t q) {
      const auto row = static_cast<std::int64_t>(q) - 1;
      return q == 0 ? f(n, 0) : f.data()[list_.neighbour()[row * list_.neighbour_stride() + n]];
    });
  }
  /// The velocity that the next step, with a force F, sees.
  [[nodiscard]] Vector velocity(std::int64_t n, const Vector& force = {}) const {
    const auto [rho, j] = arrived(n);
    return {(j[0] + force[0] / 2) / rho, (j[1] + force[1] / 2) / rho, (j[2] + force[2] / 2) / rho};
  }
  [[nodiscard]] Vector velocity(const Cell& cell, const Vector& force = {}) const {
    return velocity(number(cell), force);
  }
  [[nodiscard]] std::int64_t number(const Cell& cell) const {
    return list_.cell_of(cell[0], cell[1], cell[2]);
  }

  /// The cells and directions for which incoming(source) holds of the cell that a direction comes from, in
  /// the memory of the flow. incoming is called from several threads.
  template <class F> Patch patch(F&& incoming) const {
    const heddle::BoundaryLinks links = heddle::links_to(list_, set_->c, std::forward<F>(incoming));
    return {buffer(links.cells, memory()), buffer(links.mask, memory())};
  }

  /// One value an entry of a patch, of the entry's cell, in the memory of the flow.
  template <class F> heddle::Buffer<T> values(const Patch& patch, F&& value) const {
    const std::vector<std::uint32_t> cells = patch.cells.to_host();
    std::vector<T> result(cells.size());
    for (std::size_t i = 0; i < result.size(); ++i)
      store(result[i], value(list_.position(cells[i])));
    return heddle::Buffer<T>(std::span<const T>(result), memory());
  }

private:
  /// What the host sees of the populations.
  [[nodiscard]] heddle::SparseView<const T> seen() const {
    if (!fetched_) throw heddle::Error("ListFlow", "the host's copy is older than the flow", "fetch()");
    return copy_ ? std::as_const(*copy_).view() : f_.view();
  }

  template <class F> std::pair<double, Vector> sum(F&& population_of) const {
    double rho = 1;
    Vector j{};
    for (std::size_t q = 0; q < count; ++q) {
      const double f = load(population_of(q), half_scale);
      rho += f;
      for (std::size_t a = 0; a < 3; ++a)
        j[a] += f * set_->c[q][a];
    }
    return {rho, j};
  }

  [[nodiscard]] double population(std::size_t q, const State& s, double omega) const {
    const Velocity& c = set_->c[q];
    double cu = 0, uu = 0, slope = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      cu += c[a] * s.u[a];
      uu += s.u[a] * s.u[a];
      for (std::size_t b = 0; b < 3; ++b)
        slope += (c[a] * c[b] - (a == b ? 1.0 / 3 : 0)) * s.gradient[b][a];
    }
    const double equilibrium = s.rho - 1 + s.rho * (3 * cu + 4.5 * cu * cu - 1.5 * uu);
    return set_->weight(q) * (equilibrium - (1 - omega) * 3 * s.rho / omega * slope);
  }

  const VelocitySet<count>* set_;
  heddle::IndexList list_;
  std::unique_ptr<heddle::IndexList> device_list_; // null where steps run on the host
  heddle::SparseField<T> f_, next_;
  std::unique_ptr<heddle::SparseField<T>> copy_; // over list_, of what is on a device
  heddle::Stream stream_;
  bool fetched_ = true;
};

inline std::vector<std::uint8_t> all_cells(const Cell& extent) {
  return std::vector<std::uint8_t>(static_cast<std::size_t>(extent[0] * extent[1] * extent[2]), 1);
}

} // namespace validation

#endif
