// SPDX-License-Identifier: Apache-2.0
// A double of NeoN, the GPU successor of OpenFOAM's core, which is in no package: the part of the public
// interface of Vector, View and the executors that a program uses to reach a field's memory, as of December
// 2025 (commit 32d8275). Include Kokkos first.
#ifndef TESTS_EMBEDDING_HOSTS_NEON_DOUBLE_HPP
#define TESTS_EMBEDDING_HOSTS_NEON_DOUBLE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace neon_double {

using localIdx = std::int32_t;

/// An executor allocates, and makes a View of Kokkos of an address.
template <class Space> struct ExecutorOf {
  using exec = Space;
  template <class T> T* alloc(std::size_t size) const {
    return static_cast<T*>(Kokkos::kokkos_malloc<exec>("Vector", size * sizeof(T)));
  }
  template <class T> auto createKokkosView(T* values, std::size_t size) const {
    return Kokkos::View<T*, exec, Kokkos::MemoryUnmanaged>(values, size);
  }
};
struct SerialExecutor : ExecutorOf<Kokkos::Serial> {};
struct CPUExecutor : ExecutorOf<Kokkos::DefaultHostExecutionSpace> {};
struct GPUExecutor : ExecutorOf<Kokkos::DefaultExecutionSpace> {};
using Executor = std::variant<SerialExecutor, CPUExecutor, GPUExecutor>;

template <class T> class View : public std::span<T> {
public:
  using std::span<T>::span;
  T& operator[](localIdx i) const { return std::span<T>::operator[](static_cast<std::size_t>(i)); }
};

/// Values of cells, one after the other; there are no ghost cells, no axes.
template <class T> class Vector {
public:
  Vector(const Executor& exec, localIdx size) : size_(size), exec_(exec) {
    data_ =
        std::visit([&](const auto& e) { return e.template alloc<T>(static_cast<std::size_t>(size)); }, exec);
  }
  ~Vector() {
    std::visit([&](const auto& e) { Kokkos::kokkos_free<typename std::decay_t<decltype(e)>::exec>(data_); },
               exec_);
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  T* data() { return data_; }
  const T* data() const { return data_; }
  localIdx size() const { return size_; }
  const Executor& exec() const { return exec_; }
  View<T> view() { return View<T>(data_, static_cast<std::size_t>(size_)); }

private:
  localIdx size_;
  T* data_ = nullptr;
  Executor exec_;
};

} // namespace neon_double

#endif
