// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_CLOCK_HPP
#define HEDDLE_COLUMN_PHYSICS_CLOCK_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"

namespace front {

/// What changes from step to step, as numbers where the fields lie, so that steps can be recorded: a task, at
/// the beginning of each. Its kernel is in model.py.
class Clock {
public:
  /// time_step: s. speed: of the front, m/s.
  Clock(double time_step, double speed, heddle::Memory memory);

  /// The number of steps that were taken. Waits for the device.
  void set(std::int64_t steps);
  /// Within a step, for kernels: how far the front has moved east at its beginning, m, and the time since the
  /// last step of the coarser domain at its end, s. One number each.
  [[nodiscard]] const heddle::Buffer<float>& moved() const { return moved_; }
  [[nodiscard]] const heddle::Buffer<float>& since() const { return since_; }
  /// 1 if a step of the coarser domain begins with this one, else 0; the time at which that ends, s.
  [[nodiscard]] const heddle::Buffer<std::int32_t>& begins() const { return begins_; }
  [[nodiscard]] const heddle::Buffer<float>& until() const { return until_; }

  [[nodiscard]] static std::string_view name() { return "clock"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
  [[nodiscard]] heddle::Memory memory() const { return steps_.memory(); }
  void operator()(heddle::Stream& stream);

private:
  double time_step_, speed_;
  heddle::Buffer<std::int32_t> steps_; // since the start, and since the last step of the coarser domain
  heddle::Buffer<std::int32_t> begins_;
  heddle::Buffer<float> moved_, since_, until_;
};

} // namespace front

#endif
