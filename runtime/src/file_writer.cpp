// SPDX-License-Identifier: Apache-2.0
#include "file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "heddle/error.hpp"

namespace heddle {

FileWriter::FileWriter(std::filesystem::path place) : place_(std::move(place)), beside_(place_) {
  beside_ += ".partial-" + std::to_string(getpid()); // two programs that write the same place do not meet
  file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) {
    const int reason = errno;
    beside_.clear();
    fail(reason);
  }
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : place_(std::move(other.place_)), beside_(std::exchange(other.beside_, {})),
      file_(std::exchange(other.file_, -1)) {}

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
  const int result = ::close(std::exchange(file_, -1));
  if (result != 0) fail(errno);
}

void FileWriter::commit() {
  close();
  if (::rename(beside_.c_str(), place_.c_str()) != 0) fail(errno);
  beside_.clear();
}

void FileWriter::fail(int reason) const {
  const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  throw Error("Output", "cannot write " + place_.string() + ": " + std::generic_category().message(reason),
              full ? "earlier output is untouched; free some space or write elsewhere"
                   : "is the folder there, and may you write to it?");
}

} // namespace heddle
