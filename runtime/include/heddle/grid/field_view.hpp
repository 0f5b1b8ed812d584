// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_VIEW_HPP
#define HEDDLE_GRID_FIELD_VIEW_HPP

#include <array>
#include <cstdint>
#include <type_traits>

#include "heddle/grid/plane_view.hpp"

namespace heddle {

/// What a kernel is called with: pointer, extents and element strides of one block of a field. Owns nothing.
/// Axes 0, 1, 2 = x, y, z of the interior, 3 = components. `data()` is the first interior cell of component
/// 0, so ghost cells have negative indices, or indices from the extent on.
template <class T> class FieldView {
public:
  using value_type = T;

  constexpr FieldView() noexcept = default;
  constexpr FieldView(T* data, const std::array<std::int64_t, 4>& extent,
                      const std::array<std::int64_t, 4>& stride) noexcept
      : data_(data), extent_(extent), stride_(stride) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::int64_t extent(int d) const noexcept {
    return extent_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr std::int64_t stride(int d) const noexcept {
    return stride_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr const std::array<std::int64_t, 4>& extents() const noexcept { return extent_; }
  [[nodiscard]] constexpr const std::array<std::int64_t, 4>& strides() const noexcept { return stride_; }

  [[nodiscard]] constexpr T& operator()(std::int64_t x, std::int64_t y, std::int64_t z,
                                        std::int64_t c = 0) const noexcept {
    return data_[x * stride_[0] + y * stride_[1] + z * stride_[2] + c * stride_[3]];
  }

  /// The x-y plane at `z`, for kernels of two dimensions.
  [[nodiscard]] constexpr PlaneView<T> plane(std::int64_t z = 0) const noexcept {
    return {
        data_ + z * stride_[2], {extent_[0], extent_[1], extent_[3]}, {stride_[0], stride_[1], stride_[3]}};
  }

  /// A view that may write serves where one that may only read is asked for.
  [[nodiscard]] constexpr operator FieldView<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, extent_, stride_};
  }

private:
  T* data_ = nullptr;
  std::array<std::int64_t, 4> extent_{};
  std::array<std::int64_t, 4> stride_{};
};

/// What a kernel of two or three dimensions takes of a block: its plane, or the view.
template <int dimensions, class T> [[nodiscard]] constexpr auto view_for(const FieldView<T>& view) noexcept {
  if constexpr (dimensions == 2)
    return view.plane();
  else
    return view;
}

} // namespace heddle

#endif
