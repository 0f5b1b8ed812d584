// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_FOLDER_LOCK_HPP
#define HEDDLE_SRC_IO_FOLDER_LOCK_HPP

#include <filesystem>

namespace heddle {

/// Keeps other processes (and other locks of this one) out of a folder while it lives. The system gives it
/// back when the process ends, however that happens.
class FolderLock {
public:
  /// The folder is there.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// False where somebody else has it; true also where the file system has no locks.
  [[nodiscard]] bool taken() const noexcept { return taken_; }

private:
  int file_;
  bool taken_ = true;
};

} // namespace heddle

#endif
