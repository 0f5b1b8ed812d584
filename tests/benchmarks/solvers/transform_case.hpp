// SPDX-License-Identifier: Apache-2.0
// Transforms of planes, forward and back: each beside another way to do the same, in turns.
#ifndef HEDDLE_BENCHMARKS_TRANSFORM_CASE_HPP
#define HEDDLE_BENCHMARKS_TRANSFORM_CASE_HPP

#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/poisson/plane_transform.hpp"
#include "measure.hpp"

namespace bench {

/// A field with its transform, and the two of them in one call.
template <class Real> class Transformed {
public:
  Transformed(const heddle::PlaneShape& shape, std::int64_t planes, heddle::Memory memory,
              heddle::TransformBackEnd back_end)
      : planes_(planes), transform_(heddle::make_plane_transform<Real>(shape, memory, back_end)),
        plane_pitch_(transform_->row_pitch() * transform_->rows()), field_(plane_pitch_ * planes, memory) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Real> values(static_cast<std::size_t>(field_.size()));
    for (Real& value : values)
      value = static_cast<Real>(uniform(generator));
    heddle::copy_bytes(field_.data(), memory, values.data(), heddle::Memory::host, field_.bytes());
  }

  void there_and_back(heddle::Stream& stream) {
    transform_->forward(field_.data(), planes_, plane_pitch_, stream);
    transform_->inverse(field_.data(), planes_, plane_pitch_, stream);
  }

  Real* data() { return field_.data(); }
  std::size_t bytes() const { return field_.bytes(); }

private:
  std::int64_t planes_;
  std::unique_ptr<heddle::PlaneTransform<Real>> transform_;
  std::int64_t plane_pitch_;
  heddle::Buffer<Real> field_;
};

inline std::string shape_name(const heddle::PlaneShape& shape, std::int64_t planes) {
  return std::to_string(shape.nx) + "x" + std::to_string(shape.ny) + "x" + std::to_string(planes) + "/" +
         to_string(shape.kind_x) + "," + to_string(shape.kind_y);
}

/// Registers planes/<name>: milliseconds of `own`, of `other`, their ratio, and the speed in the usual count
/// of 2.5 n log2 n operations for a real line of n numbers and way. make: returns the two, timed.
inline void add_transform(const std::string& name, const heddle::PlaneShape& shape, std::int64_t planes,
                          int rounds, const char* other, std::function<std::pair<Timed, Timed>()> make) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 const auto [own, beside] = make();
                                 own();
                                 beside();
                                 std::vector<double> seconds, limit;
                                 for (auto _ : state) {
                                   limit.push_back(beside());
                                   seconds.push_back(own());
                                   state.SetIterationTime(seconds.back());
                                 }
                                 const double cells = static_cast<double>(shape.nx * shape.ny * planes);
                                 const double operations =
                                     5 * cells * std::log2(static_cast<double>(shape.nx * shape.ny));
                                 state.counters["ms"] = 1e3 * median(seconds);
                                 state.counters[std::string(other) + "_ms"] = 1e3 * median(limit);
                                 state.counters["ratio"] = median(seconds) / median(limit);
                                 state.counters["Gflop/s"] = operations / median(seconds) / 1e9;
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(rounds);
}

} // namespace bench

#endif
