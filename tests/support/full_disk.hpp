// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TESTS_FULL_DISK_HPP
#define HEDDLE_TESTS_FULL_DISK_HPP

#include <sys/resource.h>

#include <csignal>

/// Lets no file of this process grow beyond `bytes`: for a program the same as a full disk.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

private:
  rlimit before_{};
  void (*handler_)(int);
};

#endif
