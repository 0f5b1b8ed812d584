// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CLOUDS_CLOCK_HPP
#define HEDDLE_CLOUDS_CLOCK_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/field_access.hpp"

namespace clouds {

/// The length of time steps, chosen where the fields lie, so that nobody waits for it: a task, whose kernel
/// is in model.py. A step is 1.05 times the last one at most, with Courant number 1 and diffusion number 0.4
/// at most; the end is reached exactly, by two equal steps at last.
template <class T> class Clock {
public:
  struct Reading {
    double rest = 0;    // until the end, s
    double allowed = 0; // the last step if the end had not cut it, s
  };

  /// longest: no step is longer, s. advection, diffusion: what limits the step, one number each, 1/s; see
  /// Rates. They must outlive this, and their memory is where this runs.
  Clock(double longest, const heddle::Buffer<T>& advection, const heddle::Buffer<T>& diffusion);

  void set(const Reading& values);
  void set_length(double length);
  /// Waits for the device. Throws heddle::Error where the flow is not finite or asks for steps below 1 ms.
  [[nodiscard]] Reading read() const;
  /// The steps that surely end before the end, and the one that may reach it: so many may be launched before
  /// the next read().
  [[nodiscard]] std::int64_t steps(const Reading& from) const;
  /// The length of the step in the first entry, s, for kernels.
  [[nodiscard]] const heddle::Buffer<T>& length() const { return numbers_; }

  [[nodiscard]] static std::string_view name() { return "clock"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const;
  [[nodiscard]] heddle::Memory memory() const { return numbers_.memory(); }
  void operator()(heddle::Stream& stream);

private:
  double longest_;
  const heddle::Buffer<T>*advection_, *diffusion_;
  heddle::Buffer<T> numbers_; // length, rest, allowed
};

} // namespace clouds

#endif
