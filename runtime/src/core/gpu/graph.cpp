// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/gpu/check.hpp"

namespace heddle::gpu {
namespace {

/// Else all nodes have the priority of the stream in which the graph is launched, and a border that others
/// wait for comes after the blocks of an interior that was begun before it. HIP has no such flag.
#if defined(__HIP_PLATFORM_AMD__)
constexpr unsigned long long own_priorities = 0;
#else
constexpr unsigned long long own_priorities = cudaGraphInstantiateFlagUseNodePriority;
#endif

} // namespace

void begin_capture(void* stream) {
  // Thread-local: other threads of the program may allocate meanwhile.
  check(cudaStreamBeginCapture(static_cast<cudaStream_t>(stream), cudaStreamCaptureModeThreadLocal),
        "TaskGraph");
}

void* end_capture(void* stream, std::size_t* nodes) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph), "TaskGraph",
        "a task of a captured graph did more than enqueue work in its stream; run without capture");
  cudaGraphExec_t executable = nullptr;
  cudaError_t result = cudaSuccess;
  if (nodes != nullptr) result = cudaGraphGetNodes(graph, nullptr, nodes);
  if (result == cudaSuccess) result = cudaGraphInstantiateWithFlags(&executable, graph, own_priorities);
  (void)cudaGraphDestroy(graph);
  check(result, "TaskGraph");
  return executable;
}

bool is_capturing(void* stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status), "TaskGraph");
  return status != cudaStreamCaptureStatusNone;
}

void abandon_capture(void* stream) noexcept {
  cudaGraph_t graph = nullptr;
  (void)cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
}

void launch(void* graph, void* stream) {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), static_cast<cudaStream_t>(stream)), "TaskGraph");
}

void destroy_graph(void* graph) noexcept {
  (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

} // namespace heddle::gpu
