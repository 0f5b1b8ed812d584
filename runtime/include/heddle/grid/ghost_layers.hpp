// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_GHOST_LAYERS_HPP
#define HEDDLE_GRID_GHOST_LAYERS_HPP

#include <cstddef>
#include <string>

#include "heddle/core/error.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/grid/field_access.hpp"

namespace heddle {

/// Throws Error if `field` has fewer ghost layers along one of its first `axes` axes than `kernel` reaches,
/// which would access memory outside of it.
template <class T>
void require_ghost_layers(const Field<T>& field, const Reach& reach, int axes, const char* kernel) {
  for (int axis = 0; axis < axes; ++axis) {
    const int layers = reach.cells[static_cast<std::size_t>(axis)];
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
