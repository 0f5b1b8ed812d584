// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_GPU_CALLS_HPP
#define HEDDLE_CORE_GPU_CALLS_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"

/// All that the library asks of a GPU's run time. With HEDDLE_CUDA the functions call CUDA (their text in
/// src/core/gpu also compiles over HIP); without, those of none.cpp throw.
namespace heddle::gpu {

[[nodiscard]] bool available() noexcept;
#ifndef HEDDLE_WITH_CUDA
/// Throws Error: this function needs CUDA.
[[noreturn]] void refuse(const char* where);
#endif

/// Counts what heddle::host_waits() says; called before each call that waits for a device.
void count_wait() noexcept;

[[nodiscard]] void* allocate(std::size_t bytes, Memory memory);
void release(void* pointer, Memory memory) noexcept;
void zero(void* pointer, std::size_t bytes);
void copy(void* to, const void* from, std::size_t bytes);
/// Puts a copy between any memory, that of other devices too, into the stream.
void copy_later(void* to, const void* from, std::size_t bytes, void* stream);

[[nodiscard]] void* create_stream(Priority priority);
void destroy_stream(void* stream) noexcept;
void synchronise(void* stream);

/// A marker in a stream that another stream can wait for.
[[nodiscard]] void* create_event(bool timed = false);
void destroy_event(void* event) noexcept;
void record(void* event, void* stream);
void wait(void* stream, void* event);
/// Whether a marker has been reached, and whether a stream has nothing left to do.
[[nodiscard]] bool happened(void* event);
[[nodiscard]] bool idle(void* stream);
/// From one timed event to another of the same device; both have happened.
[[nodiscard]] double seconds_between(void* earlier, void* later);

/// What is put into `stream` between the two becomes a graph instead of running.
void begin_capture(void* stream);
/// nodes: if asked for, how many launches, copies and waits it has.
[[nodiscard]] void* end_capture(void* stream, std::size_t* nodes = nullptr);
/// Whether what is put into `stream` is being captured.
[[nodiscard]] bool is_capturing(void* stream);
/// Ends a capture that failed and forgets it.
void abandon_capture(void* stream) noexcept;
void launch(void* graph, void* stream);
void destroy_graph(void* graph) noexcept;

/// "NVIDIA H200, sm_90, 139.8 GiB" for each device; empty without one.
[[nodiscard]] std::vector<std::string> devices();
[[nodiscard]] int current_device();
void use_device(int device);
/// Bytes that a read of the current device's memory brings into its L2 cache; a hint.
[[nodiscard]] int fetch_bytes();
void fetch_bytes(int bytes);
/// Lets kernels of the current device read and write the memory of another; false where the hardware cannot.
[[nodiscard]] bool reach_into(int device);

} // namespace heddle::gpu

#endif
