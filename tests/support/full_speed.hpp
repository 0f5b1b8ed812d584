// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FULL_SPEED_HPP
#define HEDDLE_TESTS_FULL_SPEED_HPP

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // of g++
#define HEDDLE_HAS_SANITIZER
#elif defined(__has_feature) // of clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_HAS_SANITIZER
#endif
#endif

namespace test {

/// Whether a test may take its full size. Sanitizers take ten times as long for each cell, and a smaller case
/// makes the same accesses.
#ifdef HEDDLE_HAS_SANITIZER
inline constexpr bool full_speed = false;
#else
inline constexpr bool full_speed = true;
#endif

} // namespace test

/// In tests of some billion updates: their numbers are the same with sanitizers, which take minutes for them.
#ifdef HEDDLE_HAS_SANITIZER
#define NEEDS_FULL_SPEED() GTEST_SKIP() << "the numbers are compared in a build without sanitizers"
#else
#define NEEDS_FULL_SPEED() static_cast<void>(0)
#endif

#endif
