// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_PARALLEL_HPP
#define HEDDLE_CORE_PARALLEL_HPP

#include <cstdint>
#include <memory>
#include <type_traits>

namespace heddle {

/// Threads that a parallel loop of the runtime uses: OpenMP's, 1 when the library was built without it.
[[nodiscard]] int thread_count() noexcept;

/// While it lives, parallel loops that this thread begins, those of emitted kernels too, use so many threads
/// (at least 1). It belongs to the thread that made it. Without OpenMP it does nothing.
class ThreadLimit {
public:
  explicit ThreadLimit(int threads) noexcept;
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ThreadLimit(ThreadLimit&&) = delete;
  ThreadLimit& operator=(ThreadLimit&&) = delete;

private:
  int before_;
};

/// Calls body(context, first, last) on disjoint contiguous ranges that cover [0, count): one a thread, of
/// equal length within one (OpenMP's static schedule, so that first touch and kernels agree). Rethrows the
/// first exception when all threads are done.
void parallel_ranges(std::int64_t count, void (*body)(void*, std::int64_t, std::int64_t), void* context);

/// The same for any callable body(first, last). Lives in the library so that callers need no OpenMP flags.
template <class Body> void parallel_ranges(std::int64_t count, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  parallel_ranges(
      count,
      [](void* context, std::int64_t first, std::int64_t last) {
        (*static_cast<Plain*>(context))(first, last);
      },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

} // namespace heddle

#endif
