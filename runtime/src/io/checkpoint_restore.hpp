// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_CHECKPOINT_RESTORE_HPP
#define HEDDLE_SRC_IO_CHECKPOINT_RESTORE_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "checkpoint_manifest.hpp"
#include "checkpoint_part.hpp"
#include "heddle/io/checkpoint.hpp"

namespace heddle {

/// A checkpoint that is read: finds the values of blocks in blocks that were cut in another way.
class CheckpointSource {
public:
  /// Both must outlive this.
  CheckpointSource(const std::filesystem::path& folder, const CheckpointManifest& manifest)
      : folder_(&folder), manifest_(&manifest) {}

  /// Fills in a block of the field `wanted`. Throws Error for a cell that is not there, and for files that
  /// were truncated or changed.
  void restore(const CheckpointManifest::Field& wanted, const Checkpoint::Block& block);
  /// Reads everything; throws Error for files that were truncated or changed.
  void verify();

private:
  [[nodiscard]] const PartReader& part(std::size_t number);
  /// Entry `number` of a block: see PartReader::read.
  [[nodiscard]] std::vector<std::byte> entry(const CheckpointManifest::Block& block, std::size_t number);

  const std::filesystem::path* folder_;
  const CheckpointManifest* manifest_;
  std::map<std::size_t, PartReader> parts_;
};

} // namespace heddle

#endif
