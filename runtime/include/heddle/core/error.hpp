// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_ERROR_HPP
#define HEDDLE_CORE_ERROR_HPP

#include <stdexcept>
#include <string>

namespace heddle {

/// The exception of the runtime: where it failed, why, and what to do about it.
struct Error : std::runtime_error {
  /// The text of `what()` is "where: reason. Hint: hint" (without the hint when that is empty), each line of
  /// it printable().
  Error(std::string where, std::string reason, std::string hint = {});

  [[nodiscard]] const std::string& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

private:
  std::string where_;
  std::string reason_;
  std::string hint_;
};

} // namespace heddle

#endif
