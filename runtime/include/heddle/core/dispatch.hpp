// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_DISPATCH_HPP
#define HEDDLE_CORE_DISPATCH_HPP

#include "heddle/core/stream.hpp"
#include "heddle/core/with_cuda.hpp"

namespace heddle::detail {

/// Calls `device` with the native stream where the stream is one of a device, else `host`.
template <class Host, class Device> void dispatch(Stream& stream, Host&& host, Device&& device) {
  if constexpr (with_cuda) {
    if (stream.device()) {
      device(stream.native());
      return;
    }
  }
  host();
}

} // namespace heddle::detail

#endif
