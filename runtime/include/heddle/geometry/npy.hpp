// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GEOMETRY_NPY_HPP
#define HEDDLE_GEOMETRY_NPY_HPP

#include <cstdint>
#include <filesystem>
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

/// The names of the arrays in an `.npz` archive, without the suffix `.npy`, in the order of its directory.
[[nodiscard]] std::vector<std::string> npz_names(const std::filesystem::path& path);

/// Reads the array `name` of an `.npz` archive (ZIP, members stored or deflated, checksums verified).
/// Throws heddle::Error: missing file, not an archive, no such array (the message lists what there is),
/// corrupt or truncated member. Archives above 4 GiB (ZIP64) are refused.
[[nodiscard]] Array read_npz(const std::filesystem::path& path, const std::string& name);

} // namespace heddle::geometry

#endif
