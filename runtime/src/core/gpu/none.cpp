// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/gpu/calls.hpp"

#include "heddle/core/error.hpp"

namespace heddle::gpu {

void refuse(const char* where) {
  throw Error(where, "this heddle::runtime was built without CUDA", "configure with -DHEDDLE_CUDA=ON");
}

bool available() noexcept {
  return false;
}

void* allocate(std::size_t, Memory) {
  refuse("Memory::device");
}
void release(void*, Memory) noexcept {}
void zero(void*, std::size_t) {
  refuse("zero");
}
void copy(void*, const void*, std::size_t) {
  refuse("copy_bytes");
}

void copy_later(void*, const void*, std::size_t, void*) {
  refuse("copy_later");
}

void* create_stream(Priority) {
  refuse("Stream");
}
void destroy_stream(void*) noexcept {}
void synchronise(void*) {
  refuse("Stream");
}

void* create_event(bool) {
  refuse("TaskGraph");
}
void destroy_event(void*) noexcept {}
void record(void*, void*) {
  refuse("TaskGraph");
}
void wait(void*, void*) {
  refuse("TaskGraph");
}
bool happened(void*) {
  refuse("TaskGraph");
}
bool idle(void*) {
  refuse("Stream");
}
double seconds_between(void*, void*) {
  refuse("TaskGraph");
}

void begin_capture(void*) {
  refuse("TaskGraph");
}
void* end_capture(void*, std::size_t*) {
  refuse("TaskGraph");
}
bool is_capturing(void*) {
  return false;
}
void abandon_capture(void*) noexcept {}
void launch(void*, void*) {
  refuse("TaskGraph");
}
void destroy_graph(void*) noexcept {}

std::vector<std::string> devices() {
  return {};
}
int current_device() {
  refuse("Environment");
}
void use_device(int) {
  refuse("Environment");
}
int fetch_bytes() {
  refuse("Environment");
}
void fetch_bytes(int) {
  refuse("Environment");
}
bool reach_into(int) {
  refuse("PeerGroup");
}

} // namespace heddle::gpu
