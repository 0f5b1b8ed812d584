// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_FIELD_VIEW_HPP
#define HEDDLE_GRID_FIELD_VIEW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// What a kernel is called with: pointer, extents and element strides of one array. Owns nothing. The last
/// axis counts components. `data()` is the first interior cell of component 0, so ghost cells have negative
/// indices, or indices from the extent on.
template <class T, std::size_t axes> class StridedView {
public:
  using value_type = T;

  constexpr StridedView() noexcept = default;
  constexpr StridedView(T* data, const std::array<std::int64_t, axes>& extent,
                        const std::array<std::int64_t, axes>& stride) noexcept
      : data_(data), extent_(extent), stride_(stride) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::int64_t extent(int d) const noexcept {
    return extent_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr std::int64_t stride(int d) const noexcept {
    return stride_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr const std::array<std::int64_t, axes>& extents() const noexcept { return extent_; }
  [[nodiscard]] constexpr const std::array<std::int64_t, axes>& strides() const noexcept { return stride_; }

  /// The element at one index per axis. Without the last index, of component 0.
  template <std::convertible_to<std::int64_t>... Index>
    requires(sizeof...(Index) == axes || sizeof...(Index) + 1 == axes)
  [[nodiscard]] constexpr T& operator()(Index... index) const noexcept {
    std::int64_t element = 0;
    std::size_t axis = 0;
    ((element += static_cast<std::int64_t>(index) * stride_[axis++]), ...);
    return data_[element];
  }

  /// The x-y plane at `z`, for kernels of two dimensions.
  [[nodiscard]] constexpr StridedView<T, 3> plane(std::int64_t z = 0) const noexcept
    requires(axes == 4)
  {
    return {
        data_ + z * stride_[2], {extent_[0], extent_[1], extent_[3]}, {stride_[0], stride_[1], stride_[3]}};
  }

  /// A view that may write serves where one that may only read is asked for.
  [[nodiscard]] constexpr operator StridedView<const T, axes>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, extent_, stride_};
  }

private:
  T* data_ = nullptr;
  std::array<std::int64_t, axes> extent_{};
  std::array<std::int64_t, axes> stride_{};
};

/// One block of a field: x, y, z, component.
template <class T> using FieldView = StridedView<T, 4>;

/// A block of a field of two dimensions: x, y, component.
template <class T> using PlaneView = StridedView<T, 3>;

/// What a kernel of two or three dimensions takes of a block: its plane, or the view.
template <int dimensions, class T> [[nodiscard]] constexpr auto view_for(const FieldView<T>& view) noexcept {
  if constexpr (dimensions == 2)
    return view.plane();
  else
    return view;
}

} // namespace heddle

#endif
