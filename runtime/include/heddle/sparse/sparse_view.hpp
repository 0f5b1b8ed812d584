// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_SPARSE_VIEW_HPP
#define HEDDLE_SPARSE_SPARSE_VIEW_HPP

#include <array>
#include <cstdint>
#include <type_traits>

namespace heddle {

/// What a sparse kernel is called with: axis 0 = cells (stride 1), axis 1 = components (the slot stride of
/// the list).
template <class T> class SparseView {
public:
  using value_type = T;

  constexpr SparseView() noexcept = default;
  constexpr SparseView(T* data, const std::array<std::int64_t, 2>& extent,
                       const std::array<std::int64_t, 2>& stride) noexcept
      : data_(data), extent_(extent), stride_(stride) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::int64_t extent(int d) const noexcept {
    return extent_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] constexpr std::int64_t stride(int d) const noexcept {
    return stride_[static_cast<std::size_t>(d)];
  }

  [[nodiscard]] constexpr T& operator()(std::int64_t n, std::int64_t c = 0) const noexcept {
    return data_[n * stride_[0] + c * stride_[1]];
  }

  [[nodiscard]] constexpr operator SparseView<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data_, extent_, stride_};
  }

private:
  T* data_ = nullptr;
  std::array<std::int64_t, 2> extent_{};
  std::array<std::int64_t, 2> stride_{};
};

} // namespace heddle

#endif
