// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_GRID_PLANE_VIEW_HPP
#define HEDDLE_GRID_PLANE_VIEW_HPP

#include <array>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// FieldView of two dimensions: axis 0, 1 = x, y of the interior, 2 = components.
template <class T> class PlaneView {
public:
  using value_type = T;

  constexpr PlaneView() noexcept = default;
  constexpr PlaneView(T* data, const std::array<std::int64_t, 3>& extent,
                      const std::array<std::int64_t, 3>& stride) noexcept
      : data_(data), extent_(extent), stride_(stride) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::int64_t extent(int d) const noexcept {
    return extent_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr std::int64_t stride(int d) const noexcept {
    return stride_[static_cast<std::size_t>(d)];
  }

  [[nodiscard]] constexpr T& operator()(std::int64_t x, std::int64_t y, std::int64_t c = 0) const noexcept {
    return data_[x * stride_[0] + y * stride_[1] + c * stride_[2]];
  }

  [[nodiscard]] constexpr operator PlaneView<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, extent_, stride_};
  }

private:
  T* data_ = nullptr;
  std::array<std::int64_t, 3> extent_{};
  std::array<std::int64_t, 3> stride_{};
};

} // namespace heddle

#endif
