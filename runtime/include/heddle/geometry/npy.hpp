// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_NPY_HPP
#define HEDDLE_GEOMETRY_NPY_HPP

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::geometry {

/// A NumPy array in C order (the last axis varies fastest), its values widened to double.
struct Array {
  std::vector<std::int64_t> shape; ///< extents, slowest axis first; empty for a scalar
  std::vector<double> values;      ///< product(shape) values; 1 for a scalar
  std::string type;                ///< as stored, for instance "int16"

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
};

/// Reads one `.npy` file: little endian bool, int8..int64, uint8..uint32, float32 or float64, in C order.
/// Throws heddle::Error (missing file, not an npy file, unsupported type or order, truncated data).
/// Format: NumPy Enhancement Proposal 1.
[[nodiscard]] Array read_npy(const std::filesystem::path& path);

/// What is known of an array before its values are read.
struct ArrayInfo {
  std::string name; ///< without the suffix `.npy`
  /// As in Array; nothing for a member that read_npz() refuses by its header.
  std::optional<std::vector<std::int64_t>> shape;
};

/// The arrays in an `.npz` archive by their headers alone, in the order of its directory. Throws
/// heddle::Error like read_npz(), also for an archive whose members share a name or bytes.
[[nodiscard]] std::vector<ArrayInfo> npz_arrays(const std::filesystem::path& path);

/// Reads the array `name` of an `.npz` archive (ZIP, members stored or deflated, checksums verified).
/// Throws heddle::Error: missing file, not an archive, no such array (the message lists what there is), more
/// values than input_limit() lets a file of this size have (seen in the header), corrupt or truncated member.
/// Archives above 4 GiB (ZIP64) are refused.
[[nodiscard]] Array read_npz(const std::filesystem::path& path, const std::string& name);

} // namespace heddle::geometry

#endif
