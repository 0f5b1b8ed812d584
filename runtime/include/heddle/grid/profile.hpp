// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_PROFILE_HPP
#define HEDDLE_GRID_PROFILE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"

namespace heddle {

/// Values along one axis of a domain, equal for all cells of a layer: density, heights of stretched cells,
/// eigenvalues. Numbered in domain coordinates, with ghost entries before the first cell and after the last.
/// Every rank stores all of them.
template <class T> class Profile {
public:
  /// values[i] belongs to the cell with coordinate domain.lower[axis] - ghosts + i. Throws Error when their
  /// number is not that of the cells and ghosts.
  Profile(const Box& domain, int axis, int ghosts, std::span<const T> values, Memory memory = Memory::host)
      : axis_(axis), ghosts_(ghosts), lower_(domain.lower[static_cast<std::size_t>(axis)]),
        cells_(domain.extent(axis)), buffer_(values, memory) {
    if (static_cast<std::int64_t>(values.size()) != cells_ + std::int64_t{2} * ghosts) {
      throw Error("Profile", std::to_string(values.size()) + " values were given for " +
                                 std::to_string(cells_) + " cells and 2 * " + std::to_string(ghosts) +
                                 " ghost entries");
    }
  }

  [[nodiscard]] int axis() const noexcept { return axis_; }
  [[nodiscard]] int ghosts() const noexcept { return ghosts_; }
  [[nodiscard]] std::int64_t cells() const noexcept { return cells_; }
  [[nodiscard]] Memory memory() const noexcept { return buffer_.memory(); }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return buffer_.lifetime(); }

  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.bytes(); }
  /// One of the same shape, of zeros.
  [[nodiscard]] Profile like() const { return {*this, buffer_.like()}; }
  /// "16 cells along axis 2 from 0, 1 ghosts, device".
  [[nodiscard]] std::string shape() const {
    return std::to_string(cells_) + " cells along axis " + std::to_string(axis_) + " from " +
           std::to_string(lower_) + ", " + std::to_string(ghosts_) + " ghosts, " + to_string(memory());
  }
  /// Copies all values of `other` in the order of a stream: within a TaskGraph, the task has to declare that
  /// it writes this profile. Throws Error when the shapes differ.
  void copy_from(const Profile& other, Stream& stream) {
    if (axis_ != other.axis_ || ghosts_ != other.ghosts_ || lower_ != other.lower_ || cells_ != other.cells_)
      throw Error("Profile::copy_from", "shapes differ: " + shape() + ", and " + other.shape());
    buffer_.copy_from(other.buffer_, stream);
  }

  /// Sets all values, as the constructor takes them. Throws Error when their number differs.
  void write(std::span<const T> values) {
    if (values.size() != static_cast<std::size_t>(cells_ + std::int64_t{2} * ghosts_))
      throw Error("Profile::write", std::to_string(values.size()) + " values were given for " + shape());
    copy_bytes(buffer_.data(), buffer_.memory(), values.data(), Memory::host, bytes());
  }

  /// The value of the first cell of a block, in the memory of the profile.
  [[nodiscard]] const T* first(const Box& block) const noexcept {
    return buffer_.data() + ghosts_ + (block.lower[static_cast<std::size_t>(axis_)] - lower_);
  }

private:
  Profile(const Profile& shape, Buffer<T> buffer)
      : axis_(shape.axis_), ghosts_(shape.ghosts_), lower_(shape.lower_), cells_(shape.cells_),
        buffer_(std::move(buffer)) {}

  int axis_;
  int ghosts_;
  std::int64_t lower_;
  std::int64_t cells_;
  Buffer<T> buffer_;
};

/// Throws Error unless `profile` lies along `axis`, covers the domain of `field` with `ghosts` entries around
/// and lies in the field's memory: `kernel` reads it there.
template <class T, class U>
void require_profile(const Profile<T>& profile, const Field<U>& field, int axis, int ghosts,
                     const char* kernel) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(kernel, "a profile used with field '" + std::string(field.name()) + "' " + reason,
                "construct it for the domain of the field");
  };
  if (profile.axis() != axis)
    refuse("lies along axis " + std::to_string(profile.axis()) + ", not " + std::to_string(axis));
  if (profile.cells() != field.grid().domain().extent(axis))
    refuse("has " + std::to_string(profile.cells()) + " values, but the domain has " +
           std::to_string(field.grid().domain().extent(axis)) + " levels");
  if (profile.ghosts() < ghosts)
    refuse("has " + std::to_string(profile.ghosts()) + " ghost entries, but " + std::to_string(ghosts) +
           " are needed");
  if ((profile.memory() == Memory::device) != (field.memory() == Memory::device))
    refuse("is in another memory");
}

} // namespace heddle

#endif
