// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/size.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"

namespace heddle {
namespace {

constexpr double gigabyte = 1e9;
constexpr double least_input_limit = 1.5 * gigabyte;
constexpr double most_per_byte = 64; // of a file; real images and elevation models stay below it
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

std::optional<double> limit_of_user() {
  const std::optional<std::string> text = env_var("HEDDLE_MEMORY_LIMIT");
  if (!text) return std::nullopt;
  const std::optional<double> value = number_of<double>(*text);
  if (!value || !(*value > 0) || !std::isfinite(*value))
    throw Error("HEDDLE_MEMORY_LIMIT", "'" + *text + "' is not a positive number of GB",
                "set it to a number of GB, or unset it");
  return *value * gigabyte;
}

} // namespace

std::optional<std::int64_t> checked_product(std::span<const std::int64_t> factors) {
  if (std::ranges::any_of(factors, [](std::int64_t factor) { return factor < 0; })) return std::nullopt;
  if (std::ranges::find(factors, 0) != factors.end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (product > largest / factor) return std::nullopt;
    product *= factor;
  }
  return product;
}

std::optional<std::int64_t> checked_difference(std::int64_t first, std::int64_t last) {
  if (first < 0 ? last > largest + first : last < smallest + first) return std::nullopt;
  return last - first;
}

std::int64_t nearest_count(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return largest;
  if (value <= -0x1p63) return smallest;
  return std::llround(value);
}

std::int64_t require_size(const Announced& announced, double limit, const std::string& hint) {
  std::string extents;
  double bytes = static_cast<double>(announced.bytes_each);
  for (const std::int64_t extent : announced.extents) {
    extents += (extents.empty() ? "" : " x ") + std::to_string(extent);
    bytes *= static_cast<double>(extent);
  }
  const std::optional<std::int64_t> count = checked_product(announced.extents);
  const bool negative = std::ranges::any_of(announced.extents, [](std::int64_t n) { return n < 0; });
  if (negative)
    throw Error(announced.where, extents + " " + announced.what + ": an extent is negative", hint);
  if (!count || bytes > limit)
    throw Error(announced.where,
                extents + " " + announced.what + " would need " + bytes_text(bytes) +
                    " of memory, and the limit is " + bytes_text(limit),
                hint);
  return *count;
}

double memory_limit() {
  if (const std::optional<double> limit = limit_of_user()) return *limit;
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double input_limit(double file_bytes) {
  if (const std::optional<double> limit = limit_of_user()) return *limit;
  return std::min(memory_limit(), std::max(least_input_limit, most_per_byte * file_bytes));
}

std::string input_hint() {
  return "check that the file is what you expect; HEDDLE_MEMORY_LIMIT=<GB> allows more";
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 7> units{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < units.size(); ++unit)
    bytes /= 1000;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", bytes, units[unit]);
  return text.data();
}

} // namespace heddle
