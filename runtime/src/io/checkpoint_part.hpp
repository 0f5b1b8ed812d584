// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_CHECKPOINT_PART_HPP
#define HEDDLE_SRC_IO_CHECKPOINT_PART_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "checkpoint_manifest.hpp"
#include "file_writer.hpp"
#include "heddle/io/checkpoint.hpp"

namespace heddle {

/// Writes the values of a rank one after another.
class PartWriter {
public:
  /// Throws Error when the file cannot be made.
  explicit PartWriter(std::filesystem::path file);
  /// Appends a block and returns its entry. Throws Error when not everything can be written.
  [[nodiscard]] CheckpointManifest::Block write(const Checkpoint::Block& block, std::size_t field,
                                                const CheckpointManifest::Field& declared);
  /// Waits until the file is on the disk, puts it in its place and returns its length.
  std::uint64_t finish();

private:
  /// Appends the bytes, which have room for their padding, and returns their checksum.
  [[nodiscard]] std::uint64_t append(std::vector<std::byte>& bytes);

  FileWriter file_;
  std::uint64_t place_ = 0;
};

/// Reads entries of a part and verifies them.
class PartReader {
public:
  /// Throws Error when the file is not there or has not the length that the manifest says.
  PartReader(const std::filesystem::path& file, std::uint64_t bytes);
  ~PartReader();
  PartReader(PartReader&& other) noexcept;
  PartReader& operator=(PartReader&&) = delete;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  /// Entry `number` of a block: the mask, where there is one, then the components; to_read: its bytes without
  /// padding. Throws Error when the checksum is another.
  [[nodiscard]] std::vector<std::byte> read(const CheckpointManifest::Block& block, std::uint64_t place,
                                            std::uint64_t to_read, std::size_t number) const;

private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

} // namespace heddle

#endif
