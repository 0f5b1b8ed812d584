// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_NEST_HPP
#define HEDDLE_COLUMN_PHYSICS_NEST_HPP

#include <string_view>
#include <vector>

#include "clock.hpp"
#include "fields.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"

namespace front {

/// The lateral boundaries of the blocks of one rank: what the coarser domain has there, interpolated, and the
/// end of a step, which leads the tracers there.
class Nest {
public:
  Nest(const Place& place, const Weather& weather, const Clock& clock, Air& air);
  Nest(const Nest&) = delete;
  Nest& operator=(const Nest&) = delete;

  /// At the beginning of a step of the coarser domain, after which its clock shows `time` (s): its cells
  /// around each block, and tendencies that lead from now to there within `step` (s).
  void take(double time, double step, heddle::Stream& stream);

  /// The task at the end of a step: q_a, heated and drawn towards the boundary, is q again.
  [[nodiscard]] static std::string_view name() { return "boundary"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
  [[nodiscard]] heddle::Memory memory() const { return air_->q.memory(); }
  void operator()(heddle::Stream& stream) const;

  double time_step = 0; ///< s, for the task

private:
  [[nodiscard]] heddle::FieldView<float> strip(int block, int which) const;

  const Weather* weather_;
  const Clock* clock_;
  Air* air_;
  double spacing_;
  heddle::Field<float> share_;
  heddle::Field<std::int32_t> along_, depth_;
  std::vector<heddle::Buffer<float>> coarse_;         // of each block
  mutable std::vector<heddle::Buffer<float>> strips_; // of each block: values, then tendencies
};

} // namespace front

#endif
