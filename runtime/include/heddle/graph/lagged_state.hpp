// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRAPH_LAGGED_STATE_HPP
#define HEDDLE_GRAPH_LAGGED_STATE_HPP

#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

namespace heddle {

/// What a lagged task brings from one run to the next, for checkpoints.
struct LaggedState {
  enum Phase : std::int32_t {
    idle,      // the next trigger computes at once
    published, // the result of the last trigger is published
    pending    // it waits for the next trigger
  };
  /// A result that waits, of the type that `type` names.
  struct Result {
    std::string name;
    void* object;
    const std::type_info* type;

    /// Null: it is of another type.
    template <class T> [[nodiscard]] T* as() const {
      return *type == typeid(T) ? static_cast<T*>(object) : nullptr;
    }
  };

  std::string task;
  std::int32_t phase = idle;
  std::uint64_t arguments = 0; // a hash of those of the last trigger
  std::vector<Result> results{};
};

} // namespace heddle

#endif
