// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_BOXES_HPP
#define HEDDLE_BOXES_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/io/output.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"
#include "solver.hpp"
#include "units.hpp"

namespace terrain_wind {

/// A velocity on the boxes of the parts that are here, m/s, as files and pictures want it; the ground holds
/// 0.
class VelocityBoxes {
public:
  VelocityBoxes(const Solver& solver, const Units& units) : solver_(&solver), speed_(units.speed()) {}

  /// field: which one of a part.
  void take(const heddle::SparseField<float>& (Part::*field)() const);
  /// Files get the velocity that was taken last, and where there is air; this must outlive the output.
  void add_to(heddle::Output& output, const Domain& domain) const;
  /// Each component on the whole domain, x fastest, on rank 0; elsewhere empty.
  [[nodiscard]] std::array<std::vector<float>, 3> gather(heddle::Transport& processes) const;

private:
  struct Values {
    heddle::Box box;
    std::array<std::vector<float>, 3> components;

    [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
      return static_cast<std::size_t>(i + box.extent(0) * (j + box.extent(1) * k));
    }
  };

  const Solver* solver_;
  double speed_;
  std::vector<Values> values_; // of each part
};

} // namespace terrain_wind

#endif
