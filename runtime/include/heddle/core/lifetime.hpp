// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_LIFETIME_HPP
#define HEDDLE_CORE_LIFETIME_HPP

#include <memory>

namespace heddle {

/// A member of objects that others keep by reference, so that these can find out that the object has ended.
/// It belongs to the place of the object: copies and moved objects have one of their own. Costs nothing until
/// somebody watches.
class Lifetime {
public:
  Lifetime() noexcept = default;
  ~Lifetime() = default;
  Lifetime(const Lifetime&) noexcept {}
  Lifetime(Lifetime&&) noexcept {}
  Lifetime& operator=(const Lifetime&) noexcept { return *this; } // NOLINT(*oop54*,*self-assignment)
  Lifetime& operator=(Lifetime&&) noexcept { return *this; }

  /// Expires with the object.
  [[nodiscard]] std::weak_ptr<const void> watch() const {
    if (!token_) token_ = std::make_shared<char>();
    return token_;
  }

private:
  mutable std::shared_ptr<const void> token_;
};

} // namespace heddle

#endif
