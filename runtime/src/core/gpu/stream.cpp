// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/gpu/check.hpp"

namespace heddle::gpu {

void* create_stream(Priority priority) {
  int least = 0; // a greater number than the greatest priority
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "Stream");
  const int number = priority == Priority::urgent       ? greatest
                     : priority == Priority::background ? least
                                                        : (least + greatest) / 2;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, number), "Stream");
  return stream;
}

void destroy_stream(void* stream) noexcept {
  (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void synchronise(void* stream) {
  count_wait();
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "Stream::synchronise");
}

void* create_event(bool timed) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming), "TaskGraph");
  return event;
}

void destroy_event(void* event) noexcept {
  (void)cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

void record(void* event, void* stream) {
  check(cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)), "TaskGraph");
}

void wait(void* stream, void* event) {
  check(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0),
        "TaskGraph");
}

bool happened(void* event) {
  const cudaError_t result = cudaEventQuery(static_cast<cudaEvent_t>(event));
  if (result != cudaErrorNotReady) check(result, "TaskGraph");
  return result == cudaSuccess;
}

bool idle(void* stream) {
  const cudaError_t result = cudaStreamQuery(static_cast<cudaStream_t>(stream));
  if (result != cudaErrorNotReady) check(result, "Stream");
  return result == cudaSuccess;
}

double seconds_between(void* earlier, void* later) {
  float milliseconds = 0;
  check(
      cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(earlier), static_cast<cudaEvent_t>(later)),
      "TaskGraph");
  return 1e-3 * static_cast<double>(milliseconds);
}

} // namespace heddle::gpu
