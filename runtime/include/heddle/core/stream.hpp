// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_STREAM_HPP
#define HEDDLE_CORE_STREAM_HPP

#include <cstdint>
#include <memory>

#include "heddle/core/memory.hpp"
#include "heddle/core/versions.hpp"

namespace heddle {

/// Of the streams of a device: where it has the choice, the work of a higher one goes first.
enum class Priority { background, ordinary, urgent };

/// Work in order. A host stream does everything at once; a device stream owns a cudaStream_t.
class Stream {
public:
  /// A host stream for Memory::host and Memory::pinned, a new non-blocking CUDA stream for Memory::device.
  /// Throws Error when there is no CUDA.
  explicit Stream(Memory memory = Memory::host, Priority priority = Priority::ordinary);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] bool device() const noexcept { return native_ != nullptr; }
  /// The cudaStream_t, for launchers; null on the host.
  [[nodiscard]] void* native() const noexcept { return native_; }
  /// Waits until all work given so far is done; throws Error when some of it failed.
  void synchronise();

  /// Before `pieces` of work that do not depend on each other: they begin where this stream stands, piece n
  /// goes into branch(n), and behind join() this stream goes on when all have ended. Branches are made once
  /// and kept. A host stream is its own branch.
  void fork(int pieces);
  [[nodiscard]] Stream& branch(int piece) noexcept;
  void join();
  /// Whether it is between fork() and join(), where it cannot fork again.
  [[nodiscard]] bool forked() const noexcept;

  /// What a task that may lag (TaskGraph::add) works on: the object itself, or the copy of it that belongs to
  /// the call. Throws Error for an object of which a lagged task has not declared that it accesses it.
  template <class T> [[nodiscard]] T& version(T& object) const {
    return versions_ == nullptr ? object : versions_->of(object);
  }
  /// The copies for what is put into this stream from now on; null: none. They must outlive it.
  void use(const Versions* versions) noexcept { versions_ = versions; }
  [[nodiscard]] const Versions* versions() const noexcept { return versions_; }

private:
  struct Branches;

  void* native_ = nullptr;
  Priority priority_ = Priority::ordinary;
  const Versions* versions_ = nullptr;
  std::unique_ptr<Branches> branches_; // none before the first fork
};

/// work(piece, stream) for each piece of work: on a device side by side, in branches of the stream, since one
/// piece may not fill it. A piece may do the same with its own; the first one, which is in the stream itself,
/// then does one after the other.
template <class Work> void side_by_side(Stream& stream, int pieces, const Work& work) {
  const bool branches = pieces > 1 && !stream.forked();
  if (branches) stream.fork(pieces);
  try {
    for (int piece = 0; piece < pieces; ++piece)
      work(piece, branches ? stream.branch(piece) : stream);
  } catch (...) {
    if (branches) stream.join();
    throw;
  }
  if (branches) stream.join();
}

/// How often the host has waited for a device so far, in all threads: for a stream, a copy or zeroes. For
/// tests and reports: a solve that iterates on the device adds the same for one iteration as for a thousand.
[[nodiscard]] std::int64_t host_waits() noexcept;

} // namespace heddle

#endif
