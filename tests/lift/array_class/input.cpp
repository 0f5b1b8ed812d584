// SPDX-License-Identifier: Apache-2.0
// A class with two indices in round brackets, in the manner of mdspan.
class Array2D {
 public:
  Array2D(float* data, long nx) : data_(data), nx_(nx) {}
  float& operator()(long j, long i) { return data_[j * nx_ + i]; }
  float operator()(long j, long i) const { return data_[j * nx_ + i]; }
 private:
  float* data_;
  long nx_;
};
void shift(const Array2D& a, Array2D& b, long nx, long ny) {
  for (long j = 0; j < ny; ++j)
    for (long i = 0; i < nx - 1; ++i) b(j, i) = a(j, i + 1);
}
