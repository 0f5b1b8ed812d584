// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FULL_SPEED_HPP
#define HEDDLE_TESTS_FULL_SPEED_HPP

#include <gtest/gtest.h>

/// In tests of some billion updates: their numbers are the same with sanitizers, which take minutes for them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NEEDS_FULL_SPEED() GTEST_SKIP() << "the numbers are compared in a build without sanitizers"
#else
#define NEEDS_FULL_SPEED() static_cast<void>(0)
#endif

#endif
