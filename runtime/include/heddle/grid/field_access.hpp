// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_ACCESS_HPP
#define HEDDLE_GRID_FIELD_ACCESS_HPP

#include <string_view>

namespace heddle {

enum class AccessMode { read, write };

/// What a task declares about one object (usually the address of a Field). In-place updates are both a read
/// and a write.
struct FieldAccess {
  static constexpr int anywhere = -1;

  const void* object = nullptr;
  std::string_view name;
  AccessMode mode = AccessMode::read;
  /// How many cells beyond the computed cell the task accesses; 0: only that cell. Only for sweeps that can
  /// be split, see BlockPart.
  int reach = anywhere;
};

} // namespace heddle

#endif
