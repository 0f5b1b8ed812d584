// SPDX-License-Identifier: Apache-2.0
#include "clock.hpp"

#include <array>

#include "column_physics.hpp"
#include "constants.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/grid/field_view.hpp"

namespace front {
namespace {

struct Kernel {
  static void host(const auto&... a) { column_physics::clock(a...); }
  static void device(const auto&... a) { column_physics::clock_cuda(a...); }
};

template <class T> heddle::FieldView<T> one(T* number) {
  return {number, {1, 1, 1, 1}, {1, 1, 1, 1}};
}

} // namespace

Clock::Clock(double time_step, double speed, heddle::Memory memory)
    : time_step_(time_step), speed_(speed), steps_(2, memory), begins_(1, memory), moved_(1, memory),
      since_(1, memory), until_(1, memory) {}

void Clock::set(std::int64_t steps) {
  const std::array<std::int32_t, 2> both{static_cast<std::int32_t>(steps),
                                         static_cast<std::int32_t>(steps % ratio)};
  heddle::copy_bytes(steps_.data(), steps_.memory(), both.data(), heddle::Memory::host, sizeof both);
}

std::vector<heddle::FieldAccess> Clock::accesses() const {
  using enum heddle::AccessMode;
  return {{&steps_, "steps", read},  {&steps_, "steps", write},   {&moved_, "moved", write},
          {&since_, "since", write}, {&begins_, "begins", write}, {&until_, "until", write}};
}

void Clock::operator()(heddle::Stream& stream) {
  heddle::call_kernel<Kernel>(stream, one(steps_.data()), one(steps_.data() + 1), one(moved_.data()),
                              one(since_.data()), one(begins_.data()), one(until_.data()), time_step_,
                              speed_);
}

} // namespace front
