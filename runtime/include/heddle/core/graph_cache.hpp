// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_GRAPH_CACHE_HPP
#define HEDDLE_CORE_GRAPH_CACHE_HPP

#include <utility>

#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/stream.hpp"

namespace heddle {

/// Launches that are the same each time, as one CUDA graph: recorded the second time that they are for this
/// key in this stream (the first time they make plans, which a recording cannot hold). On the host, and in a
/// stream that is being recorded itself, the launches are made one by one.
template <class Key> class GraphCache {
public:
  GraphCache() = default;
  ~GraphCache() { forget(); }
  GraphCache(GraphCache&& other) noexcept
      : stream_(other.stream_), key_(other.key_), graph_(std::exchange(other.graph_, nullptr)) {}
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;
  GraphCache& operator=(GraphCache&&) = delete;

  template <class Work> void run(const Key& key, Stream& stream, Work&& work) {
    if (!stream.device() || gpu::is_capturing(stream.native())) {
      work();
      return;
    }
    if (stream.native() != stream_ || key != key_) {
      forget();
      work();
      stream_ = stream.native();
      key_ = key;
      return;
    }
    if (graph_ == nullptr) {
      gpu::begin_capture(stream_);
      try {
        work();
      } catch (...) {
        gpu::abandon_capture(stream_);
        throw;
      }
      graph_ = gpu::end_capture(stream_);
    }
    gpu::launch(graph_, stream_);
  }

private:
  void forget() noexcept {
    if (graph_ != nullptr) gpu::destroy_graph(graph_);
    graph_ = nullptr;
  }

  void* stream_ = nullptr;
  Key key_{};
  void* graph_ = nullptr;
};

} // namespace heddle

#endif
