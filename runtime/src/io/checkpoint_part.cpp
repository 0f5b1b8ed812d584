// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_part.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/core/error.hpp"
#include "heddle/core/hash.hpp"

namespace heddle {

namespace {

std::uint64_t checksum(const std::vector<std::byte>& bytes) {
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.value();
}

} // namespace

PartWriter::PartWriter(std::filesystem::path file) : file_(std::move(file), "Checkpoint") {}

std::uint64_t PartWriter::append(std::vector<std::byte>& bytes) {
  const std::uint64_t sum = checksum(bytes);
  bytes.resize(padded(bytes.size()));
  file_.write(bytes.data(), bytes.size());
  place_ += bytes.size();
  return sum;
}

CheckpointManifest::Block PartWriter::write(const Checkpoint::Block& block, std::size_t field,
                                            const CheckpointManifest::Field& declared) {
  CheckpointManifest::Block entry{0, field, block.box, block.cells, place_, {}};
  std::vector<std::byte> bytes;
  if (block.mask) {
    const std::vector<std::uint8_t> mask = block.mask();
    bytes.resize(mask.size());
    std::memcpy(bytes.data(), mask.data(), mask.size());
    entry.checksums.push_back(append(bytes));
  }
  const std::uint64_t length = static_cast<std::uint64_t>(block.cells) * value_bytes(declared.type);
  block.look([&](const Checkpoint::Get& get) {
    for (int c = 0; c < declared.components; ++c) {
      bytes.resize(length);
      get(c, bytes.data());
      entry.checksums.push_back(append(bytes));
    }
  });
  return entry;
}

std::uint64_t PartWriter::finish() {
  file_.commit();
  return place_;
}

PartReader::PartReader(const std::filesystem::path& file, std::uint64_t bytes) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error("Checkpoint",
                "cannot read " + file.string() + ": " + std::generic_category().message(reason));
  }
  if (static_cast<std::uint64_t>(status.st_size) == bytes) return;
  ::close(descriptor_);
  throw Error("Checkpoint", file.string() + " has " + std::to_string(status.st_size) + " bytes, not " +
                                std::to_string(bytes) + ": it was truncated or changed");
}

PartReader::PartReader(PartReader&& other) noexcept
    : file_(std::move(other.file_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

PartReader::~PartReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::vector<std::byte> PartReader::read(const CheckpointManifest::Block& block, std::uint64_t place,
                                        std::uint64_t to_read, std::size_t number) const {
  std::vector<std::byte> bytes(to_read);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + done, std::min(bytes.size() - done, std::size_t{1} << 30),
                static_cast<off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error("Checkpoint", "cannot read " + file_.string() + ": " +
                                    (count < 0 ? std::generic_category().message(errno) : "it is too short"));
    }
    done += static_cast<std::size_t>(count);
  }
  if (checksum(bytes) != block.checksums[number]) {
    throw Error("Checkpoint", file_.string() + " was changed: the checksum of the cells " +
                                  to_string(block.box) + " differs");
  }
  return bytes;
}

} // namespace heddle
