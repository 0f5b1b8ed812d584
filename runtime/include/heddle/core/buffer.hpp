// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_BUFFER_HPP
#define HEDDLE_CORE_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/memory.hpp"

namespace heddle {

/// Owner of `size()` elements in one kind of memory, 64-byte aligned; moves, does not copy.
template <class T> class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  /// Whether the constructor zeroes (and so first touches, in parallel) what it allocates.
  enum class Contents { zero, undefined };

  Buffer() noexcept = default;

  /// `segment`: elements of one component, when there are several one after another (see heddle::zero).
  /// Throws Error when the count is negative or too large, or the memory cannot be had.
  explicit Buffer(std::int64_t count, Memory memory = Memory::host, Contents contents = Contents::zero,
                  std::int64_t segment = 0)
      : size_(checked(count)), memory_(memory), data_(static_cast<T*>(allocate(bytes(), memory))) {
    if (contents == Contents::zero) {
      zero(data_, bytes(), static_cast<std::size_t>(segment > 0 ? segment : size_) * sizeof(T), memory_);
    }
  }

  /// A copy of `values` in `memory`.
  explicit Buffer(std::span<const T> values, Memory memory = Memory::host)
      : Buffer(static_cast<std::int64_t>(values.size()), memory, Contents::undefined) {
    copy_bytes(data_, memory_, values.data(), Memory::host, bytes());
  }

  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() { release(data_, memory_); }

  void swap(Buffer& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }
  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }

  /// Elements on the host; only for Memory::host and Memory::pinned.
  [[nodiscard]] std::span<T> span() {
    require_host();
    return {data_, static_cast<std::size_t>(size_)};
  }
  [[nodiscard]] std::span<const T> span() const {
    require_host();
    return {data_, static_cast<std::size_t>(size_)};
  }

  /// Copies all of `other`, wherever it lives; throws Error when the sizes differ.
  void copy_from(const Buffer& other) {
    require_size_of(other);
    copy_bytes(data_, memory_, other.data_, other.memory_, bytes());
  }
  /// The same in the order of a stream.
  void copy_from(const Buffer& other, Stream& stream) {
    require_size_of(other);
    copy_bytes(data_, memory_, other.data_, other.memory_, bytes(), stream);
  }

  /// One of the same size, of zeros.
  [[nodiscard]] Buffer like() const { return Buffer(size_, memory_); }
  /// The same in another memory.
  [[nodiscard]] Buffer like(Memory memory) const { return Buffer(size_, memory); }
  /// "64 values, device".
  [[nodiscard]] std::string shape() const { return std::to_string(size_) + " values, " + to_string(memory_); }

  /// A copy on the host.
  [[nodiscard]] std::vector<T> to_host() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    copy_bytes(values.data(), Memory::host, data_, memory_, bytes());
    return values;
  }

private:
  static std::int64_t checked(std::int64_t count) {
    if (count < 0 || count > INT64_MAX / static_cast<std::int64_t>(sizeof(T))) {
      throw Error("Buffer", std::to_string(count) + " elements are not valid", "use 0 or more");
    }
    return count;
  }

  void require_size_of(const Buffer& other) const {
    if (other.size_ == size_) return;
    throw Error("Buffer::copy_from",
                "sizes differ: " + std::to_string(size_) + " and " + std::to_string(other.size_));
  }

  void require_host() const {
    if (memory_ == Memory::device) {
      throw Error("Buffer::span", "the elements are on the device", "copy them with to_host()");
    }
  }

  std::int64_t size_ = 0;
  Memory memory_ = Memory::host;
  T* data_ = nullptr;
  Lifetime lifetime_;
};

} // namespace heddle

#endif
