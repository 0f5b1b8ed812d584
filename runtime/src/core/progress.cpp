// SPDX-License-Identifier: Apache-2.0
// Own code: the library indicators would not be shorter (decision 0143).
#include "heddle/core/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

constexpr int bar_width = 24;

/// Three significant digits are enough for a rate, whatever its size.
std::string number(double value) {
  std::array<char, 32> text{};
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

/// "0:07", "12:34", "3:00:00"
std::string duration(double seconds) {
  const auto whole = std::llround(std::min(seconds, 1e9));
  std::array<char, 48> text{};
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", whole / 60, whole % 60);
  }
  return text.data();
}

} // namespace

Progress::Progress(std::string label, std::int64_t total, ProgressOptions options)
    : label_(std::move(label)), total_(total), options_(std::move(options)),
      terminal_(options_.out != nullptr && isatty(fileno(options_.out)) == 1), start_(Clock::now()),
      last_(start_) {
  if (total < 0) throw Error("Progress", std::to_string(total) + " steps are not valid", "use 0 or more");
}

Progress::~Progress() {
  finish();
}

void Progress::update(std::int64_t done) {
  if (!terminal_) return;
  done_ = std::clamp<std::int64_t>(done, 0, total_);
  const Clock::time_point now = Clock::now();
  if (drawn_ && done_ < total_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  draw(std::chrono::duration<double>(now - start_).count());
}

void Progress::draw(double seconds) {
  const double share = total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : 1.0;
  const int full = static_cast<int>(share * bar_width);
  std::string line = "\r" + label_ + " [" + std::string(static_cast<std::size_t>(full), '#') +
                     std::string(static_cast<std::size_t>(bar_width - full), '.') + "] " +
                     std::to_string(static_cast<int>(share * 100.0)) + " %";
  if (done_ > 0 && seconds > 0) {
    const double rate = static_cast<double>(done_) / seconds;
    line += "  " + number(rate * options_.work) + " " + options_.unit + "/s  ETA " +
            duration(static_cast<double>(total_ - done_) / rate);
  }
  line += "\x1b[K"; // clears what a longer line left
  std::fputs(line.c_str(), options_.out);
  std::fflush(options_.out);
  drawn_ = true;
}

void Progress::finish() noexcept {
  if (drawn_) {
    std::fputs("\n", options_.out);
    std::fflush(options_.out);
  }
  terminal_ = false;
  drawn_ = false;
}

} // namespace heddle
