// SPDX-License-Identifier: Apache-2.0
// Reproducible functions: the same bits of the CPU's kernels and of CUDA's. On a device over all floats and
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

#include "mathematics.h"

namespace {

#ifdef HEDDLE_ON_DEVICE
constexpr std::int64_t piece = std::int64_t{1} << 24, floats = std::int64_t{1} << 32, doubles = 100'000'000;
#else
constexpr std::int64_t piece = 4096, floats = 3 * piece, doubles = 3 * piece;
#endif

template <typename T> using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// An array, and its copy on the device.
template <typename T> class Line {
public:
  explicit Line(std::int64_t size) : values(static_cast<std::size_t>(size)) {
    EXPECT_EQ(cudaMalloc(&device, bytes()), cudaSuccess);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() { EXPECT_EQ(cudaFree(device), cudaSuccess); }

  void upload() {
    EXPECT_EQ(cudaMemcpy(device, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  void download() {
    EXPECT_EQ(cudaMemcpy(values.data(), device, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  }
  T* on_device() const { return static_cast<T*>(device); }

  std::vector<T> values;

private:
  std::size_t bytes() const { return values.size() * sizeof(T); }

  void* device = nullptr;
};

/// Runs a kernel of one argument or two on the CPU and on the device, over numbers of all sizes, and compares
/// all bits; one NaN is like another.
template <typename T, typename Kernel, typename OnDevice>
void compare(const std::string& name, Kernel kernel, OnDevice on_device, bool takes_two = false) {
  Line<T> x(piece);
  Line<T> y(piece);
  Line<T> result(piece);
  std::vector<T> expected(x.values.size());
  const std::int64_t extent[] = {piece};
  const std::int64_t stride[] = {1};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> usual(-1.0, 1.0);
  const bool is_float = sizeof(T) == 4;
  const std::int64_t count = is_float ? floats : doubles;
  const std::uint64_t step = (std::uint64_t{1} << 32U) / static_cast<std::uint64_t>(floats);
  std::uint64_t digest = 14695981039346656037U; // FNV-1a over words
  std::int64_t differences = 0;
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t place = (static_cast<std::uint64_t>(begin) + i) * step;
      const std::uint64_t word = is_float ? place : random();
      const bool is_usual = !is_float && i % 2 == 0; // half of the doubles of a size that has a result
      x.values[i] =
          is_usual ? static_cast<T>(700.0 * usual(random)) : std::bit_cast<T>(static_cast<Word<T>>(word));
      if (takes_two) y.values[i] = static_cast<T>(20.0 * usual(random));
    }
    x.upload();
    y.upload();
    ASSERT_EQ(kernel(x.values.data(), y.values.data(), expected.data(), extent, stride), 0);
    ASSERT_EQ(on_device(x.on_device(), y.on_device(), result.on_device(), extent, stride), 0);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    result.download();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool is_nan = expected[i] != expected[i];
      const auto bits = is_nan ? Word<T>{0} : std::bit_cast<Word<T>>(expected[i]);
      const bool same =
          is_nan ? result.values[i] != result.values[i] : std::bit_cast<Word<T>>(result.values[i]) == bits;
      digest = (digest ^ bits) * 1099511628211U;
      if (!same && ++differences < 4)
        ADD_FAILURE() << name << " of " << std::hexfloat << x.values[i] << ", " << y.values[i] << " is "
                      << expected[i] << " on the CPU and " << result.values[i] << " on the device";
    }
  }
  EXPECT_EQ(differences, 0) << name;
  std::printf("%s: %lld values, digest %016llx\n", name.c_str(), static_cast<long long>(count),
              static_cast<unsigned long long>(digest));
}

/// A function of one number, by the entries of its kernels.
template <typename T, typename Kernel, typename OnDevice>
void compare_function(const std::string& name, Kernel kernel, OnDevice on_device) {
  compare<T>(
      name,
      [kernel](const T* x, const T*, T* to, const auto* extent, const auto* stride) {
        return kernel(x, extent, stride, to, extent, stride);
      },
      [on_device](const T* x, const T*, T* to, const auto* extent, const auto* stride) {
        return on_device(x, extent, stride, to, extent, stride, nullptr);
      });
}

/// One of two numbers.
template <typename T, typename Kernel, typename OnDevice>
void compare_power(const std::string& name, Kernel kernel, OnDevice on_device) {
  compare<T>(
      name,
      [kernel](const T* x, const T* y, T* to, const auto* extent, const auto* stride) {
        return kernel(x, extent, stride, y, extent, stride, to, extent, stride);
      },
      [on_device](const T* x, const T* y, T* to, const auto* extent, const auto* stride) {
        return on_device(x, extent, stride, y, extent, stride, to, extent, stride, nullptr);
      },
      true);
}

TEST(Mathematics, CbrtIsTheSame) {
  compare_function<double>("cbrt_f64", mathematics_of_cbrt_f64, mathematics_of_cbrt_f64_cuda);
  compare_function<float>("cbrt_f32", mathematics_of_cbrt_f32, mathematics_of_cbrt_f32_cuda);
}

TEST(Mathematics, CosIsTheSame) {
  compare_function<double>("cos_f64", mathematics_of_cos_f64, mathematics_of_cos_f64_cuda);
  compare_function<float>("cos_f32", mathematics_of_cos_f32, mathematics_of_cos_f32_cuda);
}

TEST(Mathematics, ExpIsTheSame) {
  compare_function<double>("exp_f64", mathematics_of_exp_f64, mathematics_of_exp_f64_cuda);
  compare_function<float>("exp_f32", mathematics_of_exp_f32, mathematics_of_exp_f32_cuda);
}

TEST(Mathematics, Exp2IsTheSame) {
  compare_function<double>("exp2_f64", mathematics_of_exp2_f64, mathematics_of_exp2_f64_cuda);
  compare_function<float>("exp2_f32", mathematics_of_exp2_f32, mathematics_of_exp2_f32_cuda);
}

TEST(Mathematics, LogIsTheSame) {
  compare_function<double>("log_f64", mathematics_of_log_f64, mathematics_of_log_f64_cuda);
  compare_function<float>("log_f32", mathematics_of_log_f32, mathematics_of_log_f32_cuda);
}

TEST(Mathematics, Log2IsTheSame) {
  compare_function<double>("log2_f64", mathematics_of_log2_f64, mathematics_of_log2_f64_cuda);
  compare_function<float>("log2_f32", mathematics_of_log2_f32, mathematics_of_log2_f32_cuda);
}

TEST(Mathematics, PowIsTheSame) {
  compare_power<double>("pow_f64", mathematics_of_pow_f64, mathematics_of_pow_f64_cuda);
  compare_power<float>("pow_f32", mathematics_of_pow_f32, mathematics_of_pow_f32_cuda);
}

TEST(Mathematics, SinIsTheSame) {
  compare_function<double>("sin_f64", mathematics_of_sin_f64, mathematics_of_sin_f64_cuda);
  compare_function<float>("sin_f32", mathematics_of_sin_f32, mathematics_of_sin_f32_cuda);
}

TEST(Mathematics, TanhIsTheSame) {
  compare_function<double>("tanh_f64", mathematics_of_tanh_f64, mathematics_of_tanh_f64_cuda);
  compare_function<float>("tanh_f32", mathematics_of_tanh_f32, mathematics_of_tanh_f32_cuda);
}

} // namespace
