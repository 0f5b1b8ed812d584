// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_CHECKPOINT_FOLDER_HPP
#define HEDDLE_SRC_IO_CHECKPOINT_FOLDER_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint_manifest.hpp"

namespace heddle {

/// The checkpoints of one name in a folder: what files there are, and which of them belong to none.
struct CheckpointFolder {
  /// Throws Error for a name that is empty or contains a slash.
  CheckpointFolder(std::filesystem::path folder, std::string called);

  std::filesystem::path path;
  std::string name;

  /// Makes it where it is not there, and its name lasting. Throws Error when that cannot be.
  void make() const;
  [[nodiscard]] std::filesystem::path manifest(std::int64_t step) const;
  /// Steps of the manifests, ascending.
  [[nodiscard]] std::vector<std::int64_t> steps() const;
  /// "wind_00000040.2": the first attempt at this step of which no part is there.
  [[nodiscard]] std::string unused_stem(std::int64_t step) const;
  /// The text of a manifest. Throws Error when it cannot be read.
  [[nodiscard]] std::string text(std::int64_t step) const;
  /// The manifest itself. Throws Error when it cannot be read, was changed, is of another name or step, or
  /// names files that are no parts of this checkpoint.
  [[nodiscard]] CheckpointManifest load(std::int64_t step) const;

  // These leave alone what cannot be removed.
  /// A checkpoint: its manifest first.
  void remove(std::int64_t step) const;
  /// The parts of one attempt.
  void remove_parts(const std::string& stem) const;
  /// Parts and unfinished files that no manifest names. Parts of a step whose manifest is damaged stay.
  void remove_unnamed_parts() const;

private:
  void require_part(const std::string& file, std::int64_t step) const;
};

} // namespace heddle

#endif
