// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "heddle/core/error.hpp"

namespace {

using heddle::Progress;

/// What is there to read now, without waiting for more.
std::string drain(int file) {
  std::string text;
  pollfd poll_file{file, POLLIN, 0};
  while (poll(&poll_file, 1, 200) == 1 && (poll_file.revents & POLLIN) != 0) {
    std::array<char, 4096> part{};
    const ssize_t bytes = read(file, part.data(), part.size());
    if (bytes <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return text;
}

void report(std::FILE* out) {
  Progress progress("channel", 200, {.out = out, .work = 2.5, .unit = "MLUP"});
  for (int step = 0; step <= 200; step += 50) {
    progress.update(step);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  progress.finish();
  progress.update(100); // after the end: nothing
}

TEST(Progress, IsOneLineOnATerminal) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(leader, 0);
  ASSERT_EQ(grantpt(leader), 0);
  ASSERT_EQ(unlockpt(leader), 0);
  const int follower = open(ptsname(leader), O_RDWR | O_NOCTTY);
  ASSERT_GE(follower, 0);
  std::FILE* out = fdopen(follower, "w");
  report(out);
  const std::string text = drain(leader);
  std::fclose(out);
  close(leader);
  EXPECT_NE(text.find("\rchannel [........................] 0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("[########################] 100 %"), std::string::npos) << text;
  EXPECT_NE(text.find("MLUP/s  ETA 0:00"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1) << text; // one line, ended once
}

TEST(Progress, IsSilentOffATerminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::FILE* out = fdopen(ends[1], "w");
  report(out);
  std::fclose(out);
  EXPECT_EQ(drain(ends[0]), "");
  close(ends[0]);
}

TEST(Progress, RefusesANegativeTotal) {
  EXPECT_THROW(Progress("x", -1), heddle::Error);
}

} // namespace
