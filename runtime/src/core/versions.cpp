// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/versions.hpp"

#include "heddle/core/error.hpp"

namespace heddle {

void* Versions::find(const void* object, const std::type_info& type) const {
  const auto found = versions_.find(object);
  if (found == versions_.end() || *found->second.type != type) {
    throw Error("Stream::version", "a lagged task reaches for an object that it does not declare",
                "name the object in its accesses()");
  }
  return found->second.object.get();
}

} // namespace heddle
