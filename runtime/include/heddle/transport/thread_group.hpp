// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_THREAD_GROUP_HPP
#define HEDDLE_TRANSPORT_THREAD_GROUP_HPP

#include <chrono>
#include <functional>
#include <memory>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// Ranks of one process, a thread each, that send messages through host memory: the transport "threads".
class ThreadGroup {
public:
  /// timeout: how long a rank waits for a message. Throws Error for less than one rank.
  explicit ThreadGroup(int ranks, std::chrono::milliseconds timeout = std::chrono::seconds(30));
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ThreadGroup(ThreadGroup&&) = delete;
  ThreadGroup& operator=(ThreadGroup&&) = delete;

  /// Calls program(transport) for each rank, on a thread each, and rethrows what was thrown first. When one
  /// rank throws, those that wait for it stop, too.
  void run(const std::function<void(Transport&)>& program);

private:
  class ThreadTransport;
  struct Mailboxes;
  std::unique_ptr<Mailboxes> mailboxes_;
};

} // namespace heddle

#endif
