// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_RADIATION_HPP
#define HEDDLE_COLUMN_PHYSICS_RADIATION_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "column_physics_sweeps.hpp"
#include "fields.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/field_access.hpp"

namespace front {

/// Longwave fluxes in the columns of one rank, one g-point per band, and what they heat.
class Radiation {
public:
  Radiation(const Place& place, const Weather& weather, Air& air);
  Radiation(const Radiation&) = delete;
  Radiation& operator=(const Radiation&) = delete;

  /// The tasks from the tracers `Air::q` to `Air::heating`, which may lag.
  void add_to(heddle::TaskGraph& graph);
  /// Fluxes on the lower faces of levels, and on the top, upwards and downwards (W m-2): of the last call
  /// that did not lag.
  [[nodiscard]] const heddle::Field<float>& up() const { return up_; }
  [[nodiscard]] const heddle::Field<float>& down() const { return down_; }

private:
  /// The sweep over g-points has the axes g-point, column, level: a call takes a row of columns along x.
  class Rows {
  public:
    explicit Rows(Radiation& radiation) : r_(&radiation) {}
    static constexpr bool takes_versions = true;
    [[nodiscard]] static std::string_view name() { return "fluxes"; }
    [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
    [[nodiscard]] heddle::Memory memory() const { return r_->up_.memory(); }
    void operator()(heddle::Stream& stream) const;

  private:
    Radiation* r_;
  };

  Air* air_;
  heddle::Field<float> temperature_, face_temperature_, cover_, cloud_depth_, up_, down_, ground_;
  heddle::Buffer<float> planck_, width_, part_, fraction_, emissivity_, depth_;
  heddle::Buffer<std::int32_t> band_;
};

} // namespace front

#endif
