// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_PROGRAM_FILE_LIMIT_HPP
#define HEDDLE_SRC_PROGRAM_FILE_LIMIT_HPP

#include <csignal>

namespace heddle {

/// From now on a file that grows above the limit (ulimit -f) makes write() fail, which is reported, instead
/// of ending the process without a word.
inline void report_file_limit() {
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
}

} // namespace heddle

#endif
