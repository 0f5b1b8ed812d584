// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_COLUMN_PHYSICS_OUTPUT_HPP
#define HEDDLE_COLUMN_PHYSICS_OUTPUT_HPP

#include <filesystem>
#include <memory>
#include <vector>

#include "options.hpp"
#include "solver.hpp"
#include "weather.hpp"

namespace front {

/// What a time of the output holds, on the whole domain, x fastest; on rank 0, elsewhere all is empty.
struct Snapshot {
  double time = 0;               // s
  std::vector<float> rain, snow; // planes, mm since the start
  std::vector<float> theta, vapour, cloud, water, w, heating;
  std::vector<std::vector<float>> more; // further tracers: ice and snow of WSM5, passive ones
};

/// All ranks together.
[[nodiscard]] Snapshot snapshot(const Solver& solver, const Options& options, double time);

/// front.nc: CF conventions, accumulated rain and the air at some times. On rank 0.
class File {
public:
  /// Throws heddle::Error where the file cannot be made, or the program was built without NetCDF.
  File(const std::filesystem::path& file, const Options& options, const Levels& levels);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] static bool available();
  void write(const Snapshot& snapshot);
  /// Nothing can be written afterwards.
  void close();

private:
  struct Netcdf;
  std::unique_ptr<Netcdf> netcdf_;
};

} // namespace front

#endif
