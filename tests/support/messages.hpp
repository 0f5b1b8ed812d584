// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_MESSAGES_HPP
#define HEDDLE_TESTS_MESSAGES_HPP

#include <gtest/gtest.h>

#include <string>

#include "heddle/core/error.hpp"

namespace test {

/// The message of the heddle::Error that `action` throws.
template <class Action> std::string error_of(Action action) {
  try {
    action();
  } catch (const heddle::Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no heddle::Error was thrown";
  return {};
}

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in '" << text << "'";
}

} // namespace test

#endif
