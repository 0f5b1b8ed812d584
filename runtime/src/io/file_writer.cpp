// SPDX-License-Identifier: Apache-2.0
#include "file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "heddle/core/error.hpp"

namespace heddle {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& place, int reason, const std::string& user) {
  const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  throw Error(user, "cannot write " + place.string() + ": " + std::generic_category().message(reason),
              full ? "free some space, or write elsewhere; earlier output is unchanged"
                   : "check that the folder exists, and that you may write to it");
}

/// fsync, called again when a signal came in between; 0 or what is wrong.
int sync(int file) {
  while (::fsync(file) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void sync_path(const std::filesystem::path& path, const std::string& user, bool folder) {
  const int file = ::open(path.c_str(), folder ? O_RDONLY | O_DIRECTORY | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, errno, user);
  const int reason = sync(file);
  ::close(file);
  if (reason != 0 && !(folder && (reason == EINVAL || reason == ENOTSUP))) refuse(path, reason, user);
}

} // namespace

void sync_folder(const std::filesystem::path& folder, const std::string& user) {
  sync_path(folder.empty() ? "." : folder, user, true);
}

void sync_file(const std::filesystem::path& file, const std::string& user) {
  sync_path(file, user, false);
}

FileWriter::FileWriter(std::filesystem::path place, std::string user)
    : place_(std::move(place)), beside_(place_), user_(std::move(user)) {
  beside_ += ".partial-" + std::to_string(getpid()); // two programs that write the same place do not meet
  // What is there is of a killed program that had this number, or somebody prepared it: it is removed, never
  // written to, and a link is not followed.
  ::unlink(beside_.c_str());
  file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file_ < 0) {
    const int reason = errno;
    beside_.clear();
    fail(reason);
  }
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : place_(std::move(other.place_)), beside_(std::exchange(other.beside_, {})),
      user_(std::move(other.user_)), file_(std::exchange(other.file_, -1)) {}

FileWriter::~FileWriter() {
  if (file_ >= 0) ::close(file_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void FileWriter::write(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file_, from, std::min(bytes, std::size_t{1} << 30));
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(errno);
    }
    from += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void FileWriter::close() {
  if (file_ < 0) return;
  int reason = sync(file_);
  if (reason == EINVAL) reason = 0; // a pipe or a terminal: there is no disk
  if (::close(std::exchange(file_, -1)) != 0 && reason == 0) reason = errno;
  if (reason != 0) fail(reason);
}

void FileWriter::commit() {
  close();
  if (::rename(beside_.c_str(), place_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void FileWriter::fail(int reason) const {
  refuse(place_, reason, user_);
}

} // namespace heddle
