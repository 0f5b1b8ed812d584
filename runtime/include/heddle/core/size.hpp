// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_SIZE_HPP
#define HEDDLE_CORE_SIZE_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Checked arithmetic for what files and options announce: whoever reads extents from them asks here before
/// anything is allocated, so that a few bytes can neither wrap around nor take the machine's memory.
namespace heddle {

/// The product of numbers; nothing where one is negative or std::int64_t cannot hold it.
[[nodiscard]] std::optional<std::int64_t> checked_product(std::span<const std::int64_t> factors);

/// last - first; nothing where std::int64_t cannot hold it.
[[nodiscard]] std::optional<std::int64_t> checked_difference(std::int64_t first, std::int64_t last);

/// The whole number nearest to a value; the largest or smallest std::int64_t where that lies beyond them, 0
/// for NaN.
[[nodiscard]] std::int64_t nearest_count(double value);

/// Values that somebody is about to allocate.
struct Announced {
  std::string where;                 ///< "file 'a.npz'", for messages
  std::string what;                  ///< in plural: "values", "cells of the grid"
  std::vector<std::int64_t> extents; ///< their number is the product of these
  std::int64_t bytes_each = 1;       ///< what one of them takes in memory, copies included
};

/// The number of values, where all their bytes are within the limit. Throws Error otherwise, or where an
/// extent is negative: what is announced, what it needs, the limit, and the hint.
std::int64_t require_size(const Announced& announced, double limit, const std::string& hint);

/// What a program may allocate, in bytes: the memory of this machine, or HEDDLE_MEMORY_LIMIT in GB. Throws
/// Error where that is no positive number.
[[nodiscard]] double memory_limit();

/// What a file of so many bytes may make a reader allocate: HEDDLE_MEMORY_LIMIT where it is set, else 64
/// bytes per byte of the file, at least 1.5 GB and at most memory_limit(). A compressed file of a megabyte
/// can announce more than most machines have.
[[nodiscard]] double input_limit(double file_bytes);

/// Hint for files that announce more than input_limit().
[[nodiscard]] std::string input_hint();

/// "1.5 GB"; powers of 1000.
[[nodiscard]] std::string bytes_text(double bytes);

} // namespace heddle

#endif
