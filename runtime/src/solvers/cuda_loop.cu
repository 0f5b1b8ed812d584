// SPDX-License-Identifier: Apache-2.0
// A loop that the device runs by itself: a CUDA graph with a conditional WHILE node.
#include <cuda_runtime.h>

#include <utility>

#include "cuda_loop.hpp"
#include "heddle/core/buffer.hpp"
#include "heddle/core/gpu/check.hpp"
#include "solve_step.hpp"

namespace heddle::gpu {

#if CUDART_VERSION >= 12040

namespace {

constexpr const char* where = "solve";

/// One thread looks at what the cycle has measured and says whether there is another one.
template <class T>
__global__ void decide(cudaGraphConditionalHandle again, Solution* solution, const T* measure,
                       std::int64_t count, Stopping stopping) {
  const bool continues = advance(*solution, largest_of(measure, count), stopping);
  cudaGraphSetConditional(again, continues ? 1U : 0U);
}

/// Ends a capture that failed; the graph it went into stays, since its owner destroys it.
void abandon_body(cudaStream_t stream) noexcept {
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(stream, &graph);
  (void)cudaGetLastError();
}

class Graph {
public:
  Graph() { check(cudaGraphCreate(&graph_, 0), where); }
  ~Graph() {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
    (void)cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// The body of a loop that runs once, and again while the condition behind `again` is not 0.
  cudaGraph_t add_while(cudaGraphConditionalHandle& again) {
    check(cudaGraphConditionalHandleCreate(&again, graph_, 1, cudaGraphCondAssignDefault), where);
    cudaGraphNodeParams parameters{};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = again;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    check(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &parameters), where);
#else
    check(cudaGraphAddNode(&node, graph_, nullptr, 0, &parameters), where);
#endif
    return parameters.conditional.phGraph_out[0];
  }

  void launch(cudaStream_t stream) {
    check(cudaGraphInstantiate(&executable_, graph_, 0), where);
    check(cudaGraphLaunch(executable_, stream), where);
  }

private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

template <class T>
Solution loop_any(const std::function<void(Stream&)>& cycle, const T* measure, std::int64_t count,
                  const Stopping& stopping) {
  Stream stream(Memory::device);
  auto* const native = static_cast<cudaStream_t>(stream.native());
  Buffer<Solution> solution(1, Memory::device);
  Graph graph;
  cudaGraphConditionalHandle again{};
  cudaGraph_t body = graph.add_while(again);
  check(cudaStreamBeginCaptureToGraph(native, body, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
        where);
  try {
    cycle(stream);
    decide<<<1, 1, 0, native>>>(again, solution.data(), measure, count, stopping);
    check(cudaGetLastError(), where);
  } catch (...) {
    abandon_body(native);
    throw;
  }
  check(cudaStreamEndCapture(native, &body), where, "a task did more than enqueue work in its stream");
  graph.launch(native);
  stream.synchronise();
  return solution.to_host().front();
}

} // namespace

bool loops_in_graphs() noexcept {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12040;
}

Solution loop(const std::function<void(Stream&)>& cycle, const float* measure, std::int64_t count,
              const Stopping& stopping) {
  return loop_any(cycle, measure, count, stopping);
}
Solution loop(const std::function<void(Stream&)>& cycle, const double* measure, std::int64_t count,
              const Stopping& stopping) {
  return loop_any(cycle, measure, count, stopping);
}

#else

bool loops_in_graphs() noexcept {
  return false;
}

Solution loop(const std::function<void(Stream&)>&, const float*, std::int64_t, const Stopping&) {
  throw Error("solve", "this version of CUDA does not support loops in graphs", "use CUDA 12.4 or newer");
}
Solution loop(const std::function<void(Stream&)>&, const double*, std::int64_t, const Stopping&) {
  throw Error("solve", "this version of CUDA does not support loops in graphs", "use CUDA 12.4 or newer");
}

#endif

} // namespace heddle::gpu
