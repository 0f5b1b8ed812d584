// SPDX-License-Identifier: Apache-2.0
// Reproducible functions: the same bits of the kernels for CPUs and for CUDA. On a device over all floats and
// 10^8 doubles, elsewhere over some of them.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "../../support/on_device.hpp"
#include "mathematics.h"

namespace {

#ifdef HEDDLE_ON_DEVICE
constexpr std::int64_t piece = std::int64_t{1} << 24, floats = std::int64_t{1} << 32, doubles = 100'000'000;
#else
constexpr std::int64_t piece = 4096, floats = 3 * piece, doubles = 3 * piece;
#endif

template <typename T> using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

constexpr const char* names[] = {"cbrt", "cos", "exp", "exp2", "log", "log2", "pow", "sin", "tanh"};
constexpr std::int64_t functions = 9;

/// Runs the functions on the CPU and on the device, over numbers of all sizes, and compares all bits; one NaN
/// is like another.
template <typename T, typename Kernel, typename OnDevice>
void compare(const std::string& type, Kernel kernel, OnDevice on_device) {
  std::vector<T> x(static_cast<std::size_t>(piece)), y(x), results(functions * x.size()), expected(results);
  test::DeviceMemory<T> device_x(x), device_y(y), device_results(results);
  const std::int64_t extent[] = {piece, functions};
  const std::int64_t stride[] = {1, piece};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> usual(-1.0, 1.0);
  const bool is_float = sizeof(T) == 4;
  const std::int64_t count = is_float ? floats : doubles;
  const std::uint64_t step = (std::uint64_t{1} << 32U) / static_cast<std::uint64_t>(floats);
  std::uint64_t digests[functions] = {};
  std::int64_t differences = 0;
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::uint64_t place = (static_cast<std::uint64_t>(begin) + i) * step;
      const std::uint64_t word = is_float ? place : random();
      const bool is_usual = !is_float && i % 2 == 0; // half of the doubles of a size that has a result
      x[i] = is_usual ? static_cast<T>(700.0 * usual(random)) : std::bit_cast<T>(static_cast<Word<T>>(word));
      y[i] = static_cast<T>(20.0 * usual(random));
    }
    device_x.upload(x);
    device_y.upload(y);
    ASSERT_EQ(kernel(x.data(), extent, stride, y.data(), extent, stride, expected.data(), extent, stride), 0);
    ASSERT_EQ(on_device(device_x.data(), extent, stride, device_y.data(), extent, stride,
                        device_results.data(), extent, stride, nullptr),
              0);
    device_results.download(results);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t function = i / x.size();
      const std::size_t at = i % x.size();
      const T found = results[i];
      const bool is_nan = expected[i] != expected[i];
      const auto bits = is_nan ? Word<T>{0} : std::bit_cast<Word<T>>(expected[i]);
      const bool same = is_nan ? found != found : std::bit_cast<Word<T>>(found) == bits;
      digests[function] = (digests[function] ^ bits) * 1099511628211U; // as FNV-1a does
      if (!same && ++differences < 4)
        ADD_FAILURE() << names[function] << " of " << std::hexfloat << x[at] << ", " << y[at] << " is "
                      << expected[i] << " on the CPU and " << found << " on the device";
    }
  }
  EXPECT_EQ(differences, 0);
  for (std::size_t function = 0; function < functions; ++function)
    std::printf("%s, %s: %lld values, digest %016llx\n", names[function], type.c_str(),
                static_cast<long long>(count), static_cast<unsigned long long>(digests[function]));
}

TEST(Mathematics, DoublesAreTheSame) {
  compare<double>("f64", mathematics_functions_f64, mathematics_functions_f64_cuda);
}

TEST(Mathematics, FloatsAreTheSame) {
  compare<float>("f32", mathematics_functions_f32, mathematics_functions_f32_cuda);
}

} // namespace
