// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_RADIATION_HPP
#define HEDDLE_COLUMN_PHYSICS_RADIATION_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"
#include "longwave_columns.hpp"

namespace front {

/// Longwave fluxes in the columns of one rank, one g-point per band, and what they heat: three launches per
/// block (more where a block has more than 262140 columns). A task from the tracers `Air::q` to
/// `Air::heating`, which may lag.
class Radiation {
public:
  Radiation(const Place& place, const Weather& weather, Air& air, Scheme scheme);
  Radiation(const Radiation&) = delete;
  Radiation& operator=(const Radiation&) = delete;

  static constexpr bool takes_versions = true;
  [[nodiscard]] static std::string_view name() { return "radiation"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
  [[nodiscard]] heddle::Memory memory() const { return air_->q.memory(); }
  void operator()(heddle::Stream& stream);

  /// Fluxes of one column, W m-2: on the lower faces of levels, and on the top.
  struct Fluxes {
    std::vector<double> up, down;
  };
  /// Of a column of the last block, in the last call that did not lag, where that took all its columns at
  /// once.
  [[nodiscard]] Fluxes fluxes(std::int64_t x, std::int64_t y) const;

private:
  Air* air_;
  heddle::Field<float>* frozen_;              // tracers with ice, where the scheme has it; else null
  example::longwave::Columns<float> columns_; // of one call: calls do not overlap
};

} // namespace front

#endif
