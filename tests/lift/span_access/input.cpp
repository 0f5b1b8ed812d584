// SPDX-License-Identifier: Apache-2.0
// Spans instead of pointers.
#include <cstddef>
namespace std {
template <class T>
class span {
 public:
  span(T* first, size_t count) : first_(first), count_(count) {}
  T& operator[](size_t i) const { return first_[i]; }

 private:
  T* first_;
  size_t count_;
};
}  // namespace std
void derivative(std::span<const double> f, std::span<double> d, std::size_t n, double inverse_step) {
  for (std::size_t i = 1; i < n - 1; ++i) d[i] = (f[i + 1] - f[i - 1]) * inverse_step;
}
