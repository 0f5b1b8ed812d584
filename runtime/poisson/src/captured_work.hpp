// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_POISSON_CAPTURED_WORK_HPP
#define HEDDLE_POISSON_CAPTURED_WORK_HPP

#include "cuda.hpp"
#include "heddle/stream.hpp"

namespace heddle {

/// Launches that are the same each time, as one CUDA graph: recorded the first time that they are for `key`
/// again (the first call of all makes plans, which a recording cannot hold). On the host, and in a stream
/// that is being recorded itself, the launches are made one by one.
class CapturedWork {
public:
  CapturedWork() = default;
  ~CapturedWork() { forget(); }
  CapturedWork(CapturedWork&& other) noexcept
      : planned_(other.planned_), key_(other.key_), graph_(other.graph_) {
    other.key_ = nullptr;
    other.graph_ = nullptr;
  }
  CapturedWork(const CapturedWork&) = delete;
  CapturedWork& operator=(const CapturedWork&) = delete;
  CapturedWork& operator=(CapturedWork&&) = delete;

  template <class Work> void run(const void* key, Stream& stream, Work&& work) {
    if (!planned_ || !stream.device() || cuda::is_capturing(stream.native())) {
      work();
      planned_ = true;
      return;
    }
    if (key != key_) {
      forget();
      cuda::begin_capture(stream.native());
      try {
        work();
      } catch (...) {
        cuda::abandon_capture(stream.native());
        throw;
      }
      graph_ = cuda::end_capture(stream.native());
      key_ = key;
    }
    cuda::launch(graph_, stream.native());
  }

private:
  void forget() noexcept {
    if (graph_ != nullptr) cuda::destroy_graph(graph_);
    graph_ = nullptr;
    key_ = nullptr;
  }

  bool planned_ = false;
  const void* key_ = nullptr;
  void* graph_ = nullptr;
};

} // namespace heddle

#endif
