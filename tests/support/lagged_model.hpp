// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_LAGGED_MODEL_HPP
#define HEDDLE_TESTS_LAGGED_MODEL_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <vector>

#include "heddle/core/parallel.hpp"
#include "heddle/graph/sweep.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"
#include "packing.hpp"

/// A caricature of a model with radiation: from time to time h = gain (t_west + 2 t + t_east), and in each
/// step t = 3/4 t + h + x / 100. Periodic along x.
namespace lagged_model {

inline const heddle::Box domain{{0, 0, 0}, {12, 5, 3}};

/// Called in each call of Radiation's kernel, on the thread that runs it.
inline std::function<void()> in_kernel;

struct Gain {
  double gain = 0;
  [[nodiscard]] std::tuple<double> values() const { return {gain}; }
};

/// A sweep as it is emitted.
struct Radiation : heddle::SplitDenseSweep<Radiation, 3, Gain> {
  Radiation(heddle::Field<double>& t, heddle::Field<double>& h, const Gain& gain)
      : Radiation::base("model::radiation", heddle::reads(t, {1, 0, 0}), heddle::writes(h), gain) {}

  static void host(const auto&... arguments) { compute(arguments...); }

private:
  static void compute() {}
  static void compute(heddle::FieldView<double> t, heddle::FieldView<double> h, double gain) {
    if (in_kernel) in_kernel();
    for (std::int64_t z = 0; z < t.extent(2); ++z) {
      for (std::int64_t y = 0; y < t.extent(1); ++y) {
        for (std::int64_t x = 0; x < t.extent(0); ++x)
          h(x, y, z) = gain * (t(x - 1, y, z) + 2 * t(x, y, z) + t(x + 1, y, z));
      }
    }
  }
};

/// The step of each iteration; it does not lag.
class Advance {
public:
  Advance(heddle::Field<double>& t, heddle::Field<double>& h) : t_(&t), h_(&h) {}
  [[nodiscard]] static std::string_view name() { return "advance"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const {
    return {{t_, "t", heddle::AccessMode::read, 0},
            {t_, "t", heddle::AccessMode::write, 0},
            {h_, "h", heddle::AccessMode::read, 0}};
  }
  void operator()(heddle::Stream&) const {
    for (int b = 0; b < t_->blocks(); ++b) {
      const heddle::FieldView<double> t = t_->view(b);
      const heddle::FieldView<double> h = h_->view(b);
      for (std::int64_t z = 0; z < t.extent(2); ++z) {
        for (std::int64_t y = 0; y < t.extent(1); ++y) {
          for (std::int64_t x = 0; x < t.extent(0); ++x)
            t(x, y, z) = 0.75 * t(x, y, z) + h(x, y, z) + 0.01 * static_cast<double>(x + t_->box(b).lower[0]);
        }
      }
    }
  }

private:
  heddle::Field<double>* t_;
  heddle::Field<double>* h_;
};

/// Values of all cells, x fastest.
using Values = std::vector<double>;

inline double initial(std::int64_t x, std::int64_t y, std::int64_t z) {
  return 1.0 / static_cast<double>(1 + x + 7 * y + 30 * z);
}

/// t after so many steps: plain loops, and the rule that trigger k shows what belongs to trigger k - 1.
inline Values expected(std::int64_t steps, std::int64_t every, int lag, double gain = 0.05) {
  const std::array<std::int64_t, 3> n = domain.extents();
  const auto size = static_cast<std::size_t>(domain.volume());
  Values t;
  for (std::int64_t z = 0; z < n[2]; ++z) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x)
        t.push_back(initial(x, y, z));
    }
  }
  std::vector<Values> results;
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto width = static_cast<std::size_t>(n[0]);
    if (step % every == 0) {
      Values& h = results.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t x = i % width;
        h[i] = gain * (t[i - x + (x + width - 1) % width] + 2 * t[i] + t[i - x + (x + 1) % width]);
      }
    }
    const auto trigger = static_cast<int>(step / every);
    const Values& h = results[static_cast<std::size_t>(std::max(trigger - lag, 0))];
    for (std::size_t i = 0; i < size; ++i)
      t[i] = 0.75 * t[i] + h[i] + 0.01 * static_cast<double>(i % width);
  }
  return t;
}

/// What one rank has of the model.
class Model {
public:
  Model(heddle::Transport& transport, const std::array<int, 3>& blocks, const heddle::Period& period,
        heddle::TaskGraphOptions options = {}, heddle::HaloOptions halo = {})
      : t_(grid(transport, blocks), {.name = "t", .rank = transport.rank()}),
        h_(grid(transport, blocks), {.name = "h", .rank = transport.rank()}),
        halo_(packing::exchange(t_, shell(), heddle::Direction::owner_to_ghost, "halo"), transport, halo),
        radiation(t_, h_, {.gain = 0.05}), advance_(t_, h_), loop(std::move(options)) {
    t_.fill([](auto x, auto y, auto z, int) { return initial(x, y, z); });
    loop.add(halo_);
    task = loop.add(radiation, period);
    loop.add(advance_);
  }

  /// Puts the own cells of t into those of the domain.
  void gather(Values& all) const {
    const std::array<std::int64_t, 3> n = domain.extents();
    for (int b = 0; b < t_.blocks(); ++b) {
      const heddle::Box& box = t_.box(b);
      const heddle::FieldView<const double> t = t_.view(b);
      for (std::int64_t z = box.lower[2]; z < box.upper[2]; ++z) {
        for (std::int64_t y = box.lower[1]; y < box.upper[1]; ++y) {
          for (std::int64_t x = box.lower[0]; x < box.upper[0]; ++x)
            all[static_cast<std::size_t>(x + n[0] * (y + n[1] * z))] =
                t(x - box.lower[0], y - box.lower[1], z - box.lower[2]);
        }
      }
    }
  }
  [[nodiscard]] Values values() const {
    Values all(static_cast<std::size_t>(domain.volume()));
    gather(all);
    return all;
  }
  [[nodiscard]] heddle::Field<double>& t() { return t_; }
  [[nodiscard]] heddle::Field<double>& h() { return h_; }

private:
  static heddle::BlockGrid grid(const heddle::Transport& transport, const std::array<int, 3>& blocks) {
    return heddle::BlockGrid(domain, blocks, {true, false, false}, transport.ranks());
  }
  static const std::vector<heddle::HaloRegion>& shell() {
    static const std::vector<heddle::HaloRegion> regions = heddle::ghost_shell(1, {1, 0, 0});
    return regions;
  }

  heddle::ThreadLimit one_thread_{1}; // the loops are short
  heddle::Field<double> t_;
  heddle::Field<double> h_;
  heddle::HaloExchange halo_;

public:
  Radiation radiation;

private:
  Advance advance_;

public:
  heddle::TaskGraph loop; // ends first
  std::size_t task = 0;
};

} // namespace lagged_model

#endif
