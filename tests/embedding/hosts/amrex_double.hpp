// SPDX-License-Identifier: Apache-2.0
// A double of AMReX, which Debian does not have: the part of the published interface of Array4 and Box that
// the adapter and its test use, written from the reference pages of 25.12 (amrex_25) and of 26.02 and later
// (amrex_26, where Array4 is an ArrayND, bounds are IntVectND and the members with strides are gone).
#ifndef TESTS_EMBEDDING_HOSTS_AMREX_DOUBLE_HPP
#define TESTS_EMBEDDING_HOSTS_AMREX_DOUBLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#define AMREX_SPACEDIM 3

namespace amrex_25 {

struct Dim3 {
  int x, y, z;
};

/// Cells of an index space, both ends included.
class Box {
public:
  Box(Dim3 low, Dim3 high) : low_(low), high_(high) {}
  friend Dim3 lbound(const Box& box) { return box.low_; }
  friend Dim3 ubound(const Box& box) { return box.high_; }

private:
  Dim3 low_, high_;
};

template <class T> struct Array4 {
  T* p;
  std::int64_t jstride, kstride, nstride;
  Dim3 begin, end; // end is one beyond
  int ncomp;

  Array4(T* data, Dim3 first, Dim3 beyond, int components)
      : p(data), jstride(beyond.x - first.x), kstride(jstride * (beyond.y - first.y)),
        nstride(kstride * (beyond.z - first.z)), begin(first), end(beyond), ncomp(components) {}
  T* ptr(int i, int j, int k, int n = 0) const {
    return p + (i - begin.x) + (j - begin.y) * jstride + (k - begin.z) * kstride + n * nstride;
  }
  T& operator()(int i, int j, int k, int n = 0) const { return *ptr(i, j, k, n); }
  int nComp() const { return ncomp; }
};
template <class T> Dim3 lbound(const Array4<T>& a) {
  return a.begin;
}
template <class T> Dim3 ubound(const Array4<T>& a) {
  return {a.end.x - 1, a.end.y - 1, a.end.z - 1};
}

} // namespace amrex_25

namespace amrex_26 {

using amrex_25::Box;
using amrex_25::Dim3;

template <int count> struct IntVectND {
  std::array<int, std::size_t(count)> vect;
  int operator[](int d) const { return vect[std::size_t(d)]; }
};

template <class T, int count, bool last_dim_component> class ArrayND {
public:
  IntVectND<count> begin, end;

  ArrayND(T* data, Dim3 first, Dim3 beyond, int components)
      : begin{{{first.x, first.y, first.z, 0}}}, end{{{beyond.x, beyond.y, beyond.z, components}}}, p_(data) {
    static_assert(count == 4 && last_dim_component);
    stride_[0] = 1;
    for (int d = 1; d < count; ++d)
      stride_[std::size_t(d)] = stride_[std::size_t(d - 1)] * (end[d - 1] - begin[d - 1]);
  }
  template <int d> std::int64_t get_stride() const { return stride_[std::size_t(d)]; }
  T* ptr(int i, int j, int k, int n = 0) const {
    return p_ + (i - begin[0]) + (j - begin[1]) * stride_[1] + (k - begin[2]) * stride_[2] + n * stride_[3];
  }
  T& operator()(int i, int j, int k, int n = 0) const { return *ptr(i, j, k, n); }
  int nComp() const { return end[3]; }

private:
  T* p_;
  std::array<std::int64_t, std::size_t(count)> stride_{};
};
template <class T> using Array4 = ArrayND<T, 4, true>;
template <class T, int count, bool c> Dim3 lbound(const ArrayND<T, count, c>& a) {
  return {a.begin[0], a.begin[1], a.begin[2]};
}
template <class T, int count, bool c> Dim3 ubound(const ArrayND<T, count, c>& a) {
  return {a.end[0] - 1, a.end[1] - 1, a.end[2] - 1};
}

} // namespace amrex_26

#endif
