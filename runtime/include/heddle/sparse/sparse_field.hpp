// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_SPARSE_FIELD_HPP
#define HEDDLE_SPARSE_SPARSE_FIELD_HPP

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/lifetime.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/grid/field_view.hpp"
#include "heddle/grid/halo_state.hpp"
#include "heddle/sparse/index_list.hpp"

namespace heddle {

/// What a kernel over a list is called with: cell, component.
template <class T> using SparseView = StridedView<T, 2>;

template <class T> class OnHost;

/// Owner of `components` values per cell of a list, component after component, initialised to zero. The list
/// must outlive the field. Sweeps keep references to the object, so it must not move.
template <class T> class SparseField {
public:
  using value_type = T;

  /// Throws Error when there is no component or not enough memory.
  SparseField(const IndexList& list, int components, Memory memory = Memory::host, std::string name = "f")
      : list_(&list), components_(checked(components)), name_(std::move(name)),
        buffer_(components * list.slot_stride(), memory, Buffer<T>::Contents::zero, list.slot_stride()) {}

  [[nodiscard]] const IndexList& list() const noexcept { return *list_; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  [[nodiscard]] int components() const noexcept { return components_; }
  [[nodiscard]] Memory memory() const noexcept { return buffer_.memory(); }

  /// What is known of the ghost layers, see HaloState. Code of your own that fills them between two graphs
  /// says so: halo_state().filled().
  [[nodiscard]] HaloState& halo_state() const noexcept { return halo_state_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }

  /// extent(0) = cells with the padding of the list, extent(1) = components, stride(0) = 1, stride(1) = slot
  /// stride.
  [[nodiscard]] SparseView<T> view() { return {buffer_.data(), extents(), strides()}; }
  [[nodiscard]] SparseView<const T> view() const { return {buffer_.data(), extents(), strides()}; }

  /// All elements in one row, numbered as in the list's table of neighbours: for exchanges.
  [[nodiscard]] SparseView<T> flat() { return {buffer_.data(), {buffer_.size(), 1}, {1, buffer_.size()}}; }

  /// Sets each listed cell, without ghost cells, to f(x, y, z, c). `f` is called from several threads.
  template <class F>
    requires std::invocable<F&, std::int64_t, std::int64_t, std::int64_t, int>
  void fill(F&& f) {
    edit([&](SparseView<T> view) {
      const Box& box = list_->box();
      parallel_ranges(box.extent(1) * box.extent(2), [&](std::int64_t first, std::int64_t last) {
        for (int c = 0; c < components_; ++c) {
          for (std::int64_t r = first; r < last; ++r) {
            const std::int64_t y = box.lower[1] + r % box.extent(1);
            const std::int64_t z = box.lower[2] + r / box.extent(1);
            list_->for_row(
                y, z, [&](std::int64_t n, std::int64_t x) { view(n, c) = static_cast<T>(f(x, y, z, c)); });
          }
        }
      });
    });
  }

  /// The same, also for ghost cells, at the positions in the domain of which they are copies. Patterns whose
  /// rows lead to cells behind walls (EsoTwist, EsoPull) start with this, since populations from walls are
  /// not exchanged, even if they are stored in ghost cells.
  template <class F>
    requires std::invocable<F&, std::int64_t, std::int64_t, std::int64_t, int>
  void fill_with_ghosts(F&& f) {
    fill(f);
    halo_state_.reset();
    const BlockGrid& grid = list_->grid();
    edit([&](SparseView<T> view) {
      for (std::int64_t n = list_->ghosts().first; n < list_->ghosts().last; ++n) {
        const auto [x, y, z] = grid.in_domain(list_->position(n));
        for (int c = 0; c < components_; ++c)
          view(n, c) = static_cast<T>(f(x, y, z, c));
      }
    });
  }

  /// Sets all cells, ghost cells and padding too.
  void fill(T value) {
    halo_state_.reset();
    edit([&](SparseView<T> view) {
      parallel_ranges(view.extent(0), [&](std::int64_t first, std::int64_t last) {
        for (int c = 0; c < components_; ++c) {
          for (std::int64_t n = first; n < last; ++n)
            view(n, c) = value;
        }
      });
    });
  }

  /// Copies all values from a field over a list of the same layout in any memory; throws Error otherwise.
  void copy_from(const SparseField& other) {
    if (other.extents() != extents()) {
      throw Error("SparseField::copy_from",
                  "'" + other.name_ + "' does not have the shape of '" + name_ + "'",
                  "list, components and memory layout must agree");
    }
    halo_state_ = other.halo_state_;
    for (int c = 0; c < components_; ++c) { // slots lie further apart on a host
      copy_bytes(buffer_.data() + c * list_->slot_stride(), memory(),
                 other.buffer_.data() + c * other.list_->slot_stride(), other.memory(),
                 static_cast<std::size_t>(list_->cells()) * sizeof(T));
    }
  }

  /// All values in the order of a stream; throws Error for a field of another shape().
  void copy_from(const SparseField& other, Stream& stream) {
    buffer_.copy_from(other.buffer_, stream);
    halo_state_ = other.halo_state_;
  }

  /// Of all its memory, ghosts and padding too.
  [[nodiscard]] std::size_t bytes() const noexcept { return buffer_.bytes(); }
  /// A field over the same list, of zeros.
  [[nodiscard]] SparseField like() const { return SparseField(*list_, components_, memory(), name_); }
  /// How many cells and components it has, and how they lie in memory.
  [[nodiscard]] std::string shape() const {
    return std::to_string(list_->cells()) + " cells, stride " + std::to_string(list_->slot_stride()) + ", " +
           buffer_.shape();
  }

  /// Values of one component of the listed cells, without ghost cells, in list order; a copy, from any
  /// memory.
  [[nodiscard]] std::vector<T> read(int component = 0) const {
    if (component < 0 || component >= components_) {
      throw Error("SparseField::read", "'" + name_ + "' has no component " + std::to_string(component));
    }
    std::vector<T> values(static_cast<std::size_t>(list_->count()));
    copy_bytes(values.data(), Memory::host, buffer_.data() + component * list_->slot_stride(), memory(),
               values.size() * sizeof(T));
    return values;
  }

  /// Calls f(SparseView<const T>) on host memory: on the field itself, or on a copy of what is on the device.
  template <class F> void inspect(F&& f) const { f(OnHost<T>(*this).view()); }

  /// Calls f(SparseView<T>) on host memory; what f writes is on the device afterwards, too.
  template <class F> void edit(F&& f) {
    if (memory() != Memory::device) return f(view());
    Buffer<T> staging = staged();
    f(SparseView<T>(staging.data(), extents(), strides()));
    buffer_.copy_from(staging);
  }

private:
  friend class OnHost<T>;

  static int checked(int components) {
    if (components < 1)
      throw Error("SparseField", std::to_string(components) + " components are not valid", "use at least 1");
    return components;
  }

  [[nodiscard]] Buffer<T> staged() const {
    Buffer<T> staging(buffer_.size(), Memory::host, Buffer<T>::Contents::undefined);
    staging.copy_from(buffer_);
    return staging;
  }

  [[nodiscard]] std::array<std::int64_t, 2> extents() const noexcept { return {list_->cells(), components_}; }
  [[nodiscard]] std::array<std::int64_t, 2> strides() const noexcept { return {1, list_->slot_stride()}; }

  const IndexList* list_;
  int components_;
  std::string name_;
  Buffer<T> buffer_;
  mutable HaloState halo_state_;
  Lifetime lifetime_;
};

/// A field, which must outlive this, as the host can read it: itself, or a copy of what is on the device now.
template <class T> class OnHost {
public:
  explicit OnHost(const SparseField<T>& field) : field_(&field) {
    if (field.memory() == Memory::device) copy_ = field.staged();
  }
  [[nodiscard]] SparseView<const T> view() const {
    if (field_->memory() != Memory::device) return field_->view();
    return {copy_.data(), field_->extents(), field_->strides()};
  }

private:
  const SparseField<T>* field_;
  Buffer<T> copy_;
};

} // namespace heddle

#endif
