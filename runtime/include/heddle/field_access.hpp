// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_FIELD_ACCESS_HPP
#define HEDDLE_FIELD_ACCESS_HPP

#include <string_view>

namespace heddle {

enum class AccessMode { read, write };

/// What a task declares about one object (usually the address of a Field): in-place work is both a read and a
/// write.
struct FieldAccess {
  const void* object = nullptr;
  std::string_view name;
  AccessMode mode = AccessMode::read;
};

} // namespace heddle

#endif
