// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_GHOST_LAYERS_HPP
#define HEDDLE_GRID_GHOST_LAYERS_HPP

#include <string>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"

namespace heddle {

/// Throws Error if `field` has fewer than `layers` ghost layers along one of its first `axes` axes, in which
/// case `kernel` would access memory outside of it.
template <class T>
void require_ghost_layers(const Field<T>& field, int layers, int axes, const char* kernel) {
  for (int axis = 0; axis < axes; ++axis) {
    const int present = field.ghost_layers()[static_cast<std::size_t>(axis)];
    if (present < layers) {
      throw Error(kernel,
                  "field '" + std::string(field.name()) + "' has " + std::to_string(present) +
                      " ghost layers along axis " + std::to_string(axis) + ", but " + std::to_string(layers) +
                      " are needed",
                  "construct the field with {.ghost_layers = " + std::to_string(layers) + "}");
    }
  }
}

} // namespace heddle

#endif
