// SPDX-License-Identifier: Apache-2.0
#include "folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace heddle {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ >= 0) taken_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

} // namespace heddle
