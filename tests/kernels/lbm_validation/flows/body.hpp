// SPDX-License-Identifier: Apache-2.0
#ifndef LBM_VALIDATION_BODY_HPP
#define LBM_VALIDATION_BODY_HPP

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/reduction/reduction_work.hpp"
#include "list_flow.hpp"

namespace validation {

/// A circle or a sphere in lattice coordinates: cell (i, j, k) has its centre at (i + 1/2, j + 1/2, k + 1/2).
struct Ball {
  Vector centre;
  double radius;
  int dimension;

  [[nodiscard]] Vector from_centre(const Cell& cell) const {
    Vector d{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
      d[a] = static_cast<double>(cell[a]) + 0.5 - centre[a];
    return d;
  }
  [[nodiscard]] bool inside(const Cell& cell) const {
    const Vector d = from_centre(cell);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < radius * radius;
  }
  /// Distance from the centre of a cell outside to the surface along c, in units of |c|; 1/2 where c misses
  /// it.
  [[nodiscard]] double distance(const Cell& cell, const Velocity& c) const {
    const Vector d = from_centre(cell);
    double cc = 0, cd = 0, dd = -radius * radius;
    for (std::size_t a = 0; a < 3; ++a) {
      cc += c[a] * c[a];
      cd += c[a] * d[a];
      dd += d[a] * d[a];
    }
    const double root = cd * cd - cc * dd;
    const double found = root < 0 ? -1 : (-cd - std::sqrt(root)) / cc;
    return found > 0 && found <= 1 ? found : 0.5;
  }
};

inline std::vector<std::uint8_t> outside(const Cell& extent, const Ball& ball) {
  std::vector<std::uint8_t> flags = all_cells(extent);
  std::size_t i = 0;
  for (std::int64_t z = 0; z < extent[2]; ++z) {
    for (std::int64_t y = 0; y < extent[1]; ++y) {
      for (std::int64_t x = 0; x < extent[0]; ++x)
        flags[i++] = !ball.inside({x, y, z});
    }
  }
  return flags;
}

/// Interpolated walls of a body in a flow, and the force on it.
template <class T, std::size_t count> class Body {
public:
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;

  /// distances: of the walls from which directions 1, 2, ... come in, one value an entry.
  Body(Patch patch, std::vector<heddle::Buffer<T>> distances)
      : patch_(std::move(patch)), distances_(std::move(distances)),
        room_(heddle::reduction_work(patch_.size())), work_(3 * room_, patch_.cells.memory()),
        force_(3, patch_.cells.memory()) {}

  Body(const ListFlow<T, count>& flow, const Ball& ball)
      : Body(flow.patch([&](const Cell& source) { return ball.inside(source); }), {}) {
    for (std::size_t q = 1; q < count; ++q) {
      const Velocity& leaving = flow.set().c[opposite(q)];
      distances_.push_back(
          flow.values(patch_, [&](const Cell& cell) { return ball.distance(cell, leaving); }));
    }
  }

  /// Runs kernel(f, distance, mask, distance..., neighbour, stride, cells, count, force_x, work_x, ...) or,
  /// on a device, kernel.on_device(the same..., stream); returns the force.
  template <class Kernel> Vector apply(ListFlow<T, count>& flow, const Kernel& kernel) {
    flow.boundary([&](heddle::SparseField<T>& f) {
      return [&](heddle::Stream& stream) {
        run(flow, f, stream, kernel, std::make_index_sequence<count - 2>());
      };
    });
    flow.stream().synchronise();
    const std::vector<Real> force = force_.to_host();
    return {static_cast<double>(force[0]), static_cast<double>(force[1]), static_cast<double>(force[2])};
  }

private:
  template <class Kernel, std::size_t... q>
  void run(ListFlow<T, count>& flow, heddle::SparseField<T>& f, heddle::Stream& stream, const Kernel& kernel,
           std::index_sequence<q...>) {
    const heddle::IndexList& list = flow.where_steps_run();
    const auto with = [&](auto... forces) {
      const auto launch = [&](const auto& on) {
        on(f.view(), distances_[0].data(), patch_.mask.data(), distances_[q + 1].data()..., list.neighbour(),
           list.neighbour_stride(), patch_.cells.data(), patch_.size(), forces...);
      };
      if (stream.device())
        launch([&](auto... arguments) { kernel.on_device(arguments..., stream.native()); });
      else
        launch(kernel);
    };
    Real *const force = force_.data(), *const work = work_.data();
    if constexpr (count == 9)
      with(force, work, force + 1, work + room_);
    else
      with(force, work, force + 1, work + room_, force + 2, work + 2 * room_);
  }

  Patch patch_;
  std::vector<heddle::Buffer<T>> distances_;
  std::int64_t room_; // of the work space of one sum
  heddle::Buffer<Real> work_, force_;
};

} // namespace validation

#endif
