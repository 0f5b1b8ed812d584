// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_INTERLEAVED_HPP
#define HEDDLE_GRID_INTERLEAVED_HPP

#include <string>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"

namespace heddle {

/// Throws Error if `field` is on a device and does not interleave `lanes` of its blocks: the CUDA kernel
/// `kernel` updates that many cells per thread.
template <class T> void require_interleaved(const Field<T>& field, int lanes, const char* kernel) {
  if (field.memory() == Memory::device && field.interleaved() != lanes) {
    throw Error(
        kernel,
        "field '" + std::string(field.name()) + "' interleaves " + std::to_string(field.interleaved()) +
            " blocks, but the kernel needs " + std::to_string(lanes),
        "construct the field with {.interleaved = " + std::to_string(lanes) + "} on a grid of blocks");
  }
}

} // namespace heddle

#endif
