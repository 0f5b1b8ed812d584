// SPDX-License-Identifier: Apache-2.0
// The inline wrappers: they take any view that has data(), extent(d) and stride(d), and throw on a violated
// precondition.
#include "embedding.hpp"

#include <array>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n';
  ++failures;
}

// The views of three imaginary frameworks: nothing of Heddle in them.
template <class T> struct PlainView {
  T* pointer;
  std::array<std::int64_t, 4> extents, strides;
  T* data() const { return pointer; }
  std::int64_t extent(int d) const { return extents[static_cast<std::size_t>(d)]; }
  std::int64_t stride(int d) const { return strides[static_cast<std::size_t>(d)]; }
};
template <class T> struct SizeTypedView { // as std::mdspan: unsigned extents, size_t ranks
  std::span<T> memory;
  std::size_t nx, ny, nz;
  T* data() const { return memory.data() + 1 + (nx + 2) * (1 + (ny + 2)); }
  std::size_t extent(std::size_t d) const { return d == 0 ? nx : d == 1 ? ny : nz; }
  std::size_t stride(std::size_t d) const { return d == 0 ? 1 : d == 1 ? nx + 2 : (nx + 2) * (ny + 2); }
};

constexpr std::int64_t nx = 17, ny = 4, nz = 3, components = 4;

template <class T> struct Array {
  std::vector<T> memory =
      std::vector<T>(static_cast<std::size_t>((nx + 2) * (ny + 2) * (nz + 2) * components));
  PlainView<T> view() {
    const std::int64_t row = nx + 2, plane = row * (ny + 2), slot = plane * (nz + 2);
    return {memory.data() + 1 + row + plane, {nx, ny, nz, components}, {1, row, plane, slot}};
  }
  PlainView<const T> constant_view() {
    const auto v = view();
    return {v.pointer, v.extents, v.strides};
  }
  void fill() {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<T>((i * 37U + 11U) % 101U);
  }
};

template <class View>
auto at(const View& v, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t c = 0) {
  return v.data()[x * v.stride(0) + y * v.stride(1) + z * v.stride(2) + c * v.stride(3)];
}

template <class T> void agrees_with_loops() {
  Array<T> in, out;
  in.fill();
  embedding::diffuse(in.constant_view(), out.view(), 0.25);
  std::int64_t wrong = 0;
  const auto u = in.view(), u_next = out.view();
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const T sum = at(u, x - 1, y, z) + at(u, x + 1, y, z) + at(u, x, y - 1, z) + at(u, x, y + 1, z) +
                      at(u, x, y, z - 1) + at(u, x, y, z + 1);
        const T own = at(u, x, y, z);
        wrong += at(u_next, x, y, z) != own + T(0.25) * (sum - T(6) * own);
      }
  expect(wrong == 0, "diffuse agrees with the loops");

  embedding::mix(in.constant_view(), out.view(), 0.5);
  wrong = 0;
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        wrong += at(u_next, x, y, z, 0) != at(u, x - 1, y, z, 1) + T(0.5) * at(u, x, y, z, 0);
        wrong += at(u_next, x, y, z, 1) != at(u, x, y + 1, z, 2) - T(0.5) * at(u, x, y, z, 1);
        wrong += at(u_next, x, y, z, 2) != at(u, x, y, z - 1, 3) + T(0.5) * at(u, x + 1, y, z, 2);
        wrong += at(u_next, x, y, z, 3) != at(u, x, y, z + 1, 0) - T(0.5) * at(u, x, y - 1, z, 3);
      }
  expect(wrong == 0, "mix agrees with the loops");
}

void takes_unlike_views() {
  Array<double> in, plain, other;
  in.fill();
  embedding::diffuse(in.constant_view(), plain.view(), 0.25);
  const SizeTypedView<double> out{other.memory, nx, ny, nz};
  const SizeTypedView<const double> from{in.memory, nx, ny, nz};
  embedding::diffuse(from, out, 0.25);
  expect(plain.memory == other.memory, "a view with unsigned extents gives the same");
}

template <class Call> std::string message_of(const Call& call) {
  try {
    call();
  } catch (const embedding::PreconditionError& error) {
    static_assert(std::is_base_of_v<std::invalid_argument, embedding::PreconditionError>);
    return error.what();
  }
  return "";
}

void refuses() {
  Array<double> in, out;
  in.fill();
  auto shorter = out.view();
  shorter.extents[1] = ny - 1;
  const auto differing = message_of([&] { embedding::diffuse(in.constant_view(), shorter, 0.25); });
  expect(differing.find("diffuse") != std::string::npos, "the message names the kernel: " + differing);
  expect(differing.find("extent") != std::string::npos, "the message names the cause: " + differing);
  const auto rows = std::to_string(ny - 1);
  expect(
      differing.ends_with("}, u_next {" + std::to_string(nx) + ", " + rows + ", " + std::to_string(nz) + "}"),
      "the message names the fields and their extents: " + differing);
  const auto shared = message_of([&] { embedding::diffuse(in.constant_view(), in.view(), 0.25); });
  expect(shared.find("share") != std::string::npos, "fields that share an element: " + shared);
  expect(shared.find("} at address ") != std::string::npos &&
             shared.find(" with strides {") != std::string::npos,
         "the message says where they lie: " + shared);
  auto nothing = out.view();
  nothing.pointer = nullptr;
  expect(message_of([&] { embedding::diffuse(in.constant_view(), nothing, 0.25); }).find("null") !=
             std::string::npos,
         "a null pointer");
  auto flat = out.view();
  flat.strides[2] = 0;
  expect(message_of([&] { embedding::diffuse(in.constant_view(), flat, 0.25); }).find("stride") !=
             std::string::npos,
         "a stride of zero");
}

} // namespace

int main() {
  agrees_with_loops<double>();
  agrees_with_loops<float>();
  takes_unlike_views();
  refuses();
  if (failures != 0) std::cerr << failures << " failures\n";
  return failures != 0 ? 1 : 0;
}
