// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/stream.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "heddle/core/error.hpp"

namespace {

using heddle::Memory;
using heddle::Stream;

TEST(Stream, OfTheHostHasNoHandle) {
  Stream stream;
  EXPECT_FALSE(stream.device());
  EXPECT_EQ(stream.native(), nullptr);
  stream.synchronise();
}

TEST(Stream, OfTheDeviceNeedsCuda) {
  if (!heddle::built_with_cuda()) {
    EXPECT_THROW((void)Stream(Memory::device), heddle::Error);
    return;
  }
  try {
    Stream stream(Memory::device);
    EXPECT_TRUE(stream.device());
    Stream other = std::move(stream);
    EXPECT_FALSE(stream.device()); // NOLINT: what a moved-from stream is, is specified
    other.synchronise();
  } catch (const heddle::Error& error) {
    EXPECT_EQ(error.where(), "Stream"); // built with CUDA, run without a device
  }
}

} // namespace
