// SPDX-License-Identifier: Apache-2.0
#include "heddle/core/stream.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "heddle/core/gpu/calls.hpp"

namespace heddle {

namespace {
std::atomic<std::int64_t> waits{0};
}

std::int64_t host_waits() noexcept {
  return waits.load();
}

void gpu::count_wait() noexcept {
  ++waits;
}

namespace {
constexpr int most_branches = 32; // of a stream, itself included
}

/// Streams beside one, with a marker where each ends.
struct Stream::Branches {
  struct Branch {
    explicit Branch(Priority priority) : stream(Memory::device, priority), ended(gpu::create_event()) {}
    ~Branch() { gpu::destroy_event(ended); }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

    Stream stream;
    void* ended;
  };

  ~Branches() { gpu::destroy_event(begun); }

  void* begun = gpu::create_event();
  std::vector<std::unique_ptr<Branch>> beside;
  std::size_t used = 0; // by the fork that is open
};

Stream::Stream(Memory memory, Priority priority)
    : native_(memory == Memory::device ? gpu::create_stream(priority) : nullptr), priority_(priority) {}

Stream::~Stream() {
  branches_.reset();
  if (native_ != nullptr) gpu::destroy_stream(native_);
}

Stream::Stream(Stream&& other) noexcept
    : native_(std::exchange(other.native_, nullptr)), priority_(other.priority_),
      versions_(std::exchange(other.versions_, nullptr)), branches_(std::move(other.branches_)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(native_, other.native_);
  std::swap(priority_, other.priority_);
  std::swap(versions_, other.versions_);
  std::swap(branches_, other.branches_);
  return *this;
}

void Stream::fork(int pieces) {
  if (native_ == nullptr || pieces < 2) return;
  if (!branches_) branches_ = std::make_unique<Branches>();
  Branches& all = *branches_;
  all.used = static_cast<std::size_t>(std::min(pieces, most_branches)) - 1;
  while (all.beside.size() < all.used)
    all.beside.push_back(std::make_unique<Branches::Branch>(priority_));
  gpu::record(all.begun, native_);
  for (std::size_t n = 0; n < all.used; ++n) {
    Stream& stream = all.beside[n]->stream;
    stream.use(versions_);
    gpu::wait(stream.native(), all.begun);
  }
}

Stream& Stream::branch(int piece) noexcept {
  if (!branches_ || branches_->used == 0) return *this;
  const std::size_t n = static_cast<std::size_t>(piece) % (branches_->used + 1);
  return n == 0 ? *this : branches_->beside[n - 1]->stream;
}

bool Stream::forked() const noexcept {
  return branches_ && branches_->used > 0;
}

void Stream::join() {
  if (!branches_) return;
  for (std::size_t n = 0; n < branches_->used; ++n) {
    const Branches::Branch& one = *branches_->beside[n];
    gpu::record(one.ended, one.stream.native());
    gpu::wait(native_, one.ended);
  }
  branches_->used = 0;
}

void Stream::synchronise() {
  if (native_ != nullptr) gpu::synchronise(native_);
}

} // namespace heddle
