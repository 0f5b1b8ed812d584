// SPDX-License-Identifier: Apache-2.0
#include "clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "clouds.hpp"
#include "heddle/core/dispatch.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/field_view.hpp"

namespace clouds {
namespace {

enum Entry { length_entry, rest_entry, allowed_entry, entries };

template <class T> heddle::FieldView<T> one(T* number) {
  return {number, {1, 1, 1, 1}, {1, 1, 1, 1}};
}

} // namespace

template <class T>
Clock<T>::Clock(double longest, const heddle::Buffer<T>& advection, const heddle::Buffer<T>& diffusion)
    : longest_(longest), advection_(&advection), diffusion_(&diffusion),
      numbers_(entries, advection.memory()) {}

template <class T> void Clock<T>::set(const Reading& values) {
  const std::array<T, 2> both{static_cast<T>(values.rest), static_cast<T>(values.allowed)};
  heddle::copy_bytes(numbers_.data() + rest_entry, numbers_.memory(), both.data(), heddle::Memory::host,
                     sizeof both);
}

template <class T> void Clock<T>::set_length(double length) {
  const T value = static_cast<T>(length);
  heddle::copy_bytes(numbers_.data() + length_entry, numbers_.memory(), &value, heddle::Memory::host,
                     sizeof value);
}

template <class T> typename Clock<T>::Reading Clock<T>::read() const {
  const std::vector<T> all = numbers_.to_host();
  const bool finite = std::isfinite(advection_->to_host()[0]) && std::isfinite(diffusion_->to_host()[0]);
  const Reading now{.rest = static_cast<double>(all[rest_entry]),
                    .allowed = static_cast<double>(all[allowed_entry])};
  if (!finite || !std::isfinite(now.allowed))
    throw heddle::Error("clouds", "the flow is not finite any more",
                        "choose a finer grid, or a case with weaker forcing");
  if (now.allowed < 1e-3)
    throw heddle::Error("clouds", "the flow asks for time steps below 1 ms",
                        "choose a coarser grid, or check the case");
  return now;
}

template <class T> std::int64_t Clock<T>::steps(const Reading& from) const {
  std::int64_t count = 0;
  double next = from.allowed;
  for (double rest = from.rest; rest > 0; ++count) { // as long as steps can be at most
    next = std::min(longest_, 1.05001 * next);       // more than rounding adds
    rest -= next;
  }
  return count;
}

template <class T> std::vector<heddle::FieldAccess> Clock<T>::accesses() const {
  return {{advection_, "advection", heddle::AccessMode::read},
          {diffusion_, "diffusion", heddle::AccessMode::read},
          {&numbers_, "time step", heddle::AccessMode::read},
          {&numbers_, "time step", heddle::AccessMode::write}};
}

template <class T> void Clock<T>::operator()(heddle::Stream& stream) {
  T* const numbers = numbers_.data();
  const auto call = [&](auto kernel) {
    kernel(one(numbers + length_entry), one(numbers + rest_entry), one(numbers + allowed_entry),
           advection_->data(), diffusion_->data(), longest_);
  };
  heddle::dispatch(
      stream, [&] { call([](const auto&... a) { next_step(a...); }); },
      [&](auto native) { call([native](const auto&... a) { next_step_cuda(a..., native); }); });
}

#ifdef CLOUDS_F64
template class Clock<double>;
#endif
#ifdef CLOUDS_F32
template class Clock<float>;
#endif

} // namespace clouds
