// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_DISPATCH_HPP
#define HEDDLE_CORE_DISPATCH_HPP

#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"

namespace heddle {

/// Calls `device` with the native stream where the stream is one of a device, else `host`. `device` is a
/// generic lambda: a build without CUDA does not instantiate it, and needs none of the kernels that it calls.
template <class Host, class Device> void dispatch(const Stream& stream, Host&& host, Device&& device) {
  if constexpr (with_cuda) {
    if (stream.device()) {
      device(stream.native());
      return;
    }
  }
  host();
}

/// A kernel is a class with static functions `host(arguments...)` and `device(arguments..., stream)`, or with
/// one of the two: that one then serves every stream.
template <class Kernel> inline constexpr bool has_host = requires { Kernel::host(); };
template <class Kernel> inline constexpr bool has_device = requires { Kernel::device(); };

/// Whether a launch into `stream` would call the kernel's function for a device.
template <class Kernel> [[nodiscard]] bool runs_on_device([[maybe_unused]] const Stream& stream) noexcept {
  if constexpr (!has_host<Kernel>) return true;
  if constexpr (has_device<Kernel> && with_cuda) return stream.device();
  return false;
}

/// Calls a kernel with `arguments`, on the host or in the stream of a device.
template <class Kernel, class... Arguments>
void call_kernel([[maybe_unused]] const Stream& stream, const Arguments&... arguments) {
  if constexpr (!has_host<Kernel>) {
    Kernel::device(arguments..., stream.native());
  } else if constexpr (!has_device<Kernel>) {
    Kernel::host(arguments...);
  } else {
    dispatch(
        stream, [&] { Kernel::host(arguments...); },
        [&](auto native) { Kernel::device(arguments..., native); });
  }
}

} // namespace heddle

#endif
