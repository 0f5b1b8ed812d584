// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_RESULTS_HPP
#define HEDDLE_RESULTS_HPP

#include <filesystem>

namespace terrain_wind {

/// The folder of the results. Everything is written into a folder of its own inside it and moved out when all
/// is complete: a run that fails leaves the results of the run before as they were.
class Results {
public:
  /// Throws heddle::Error where the folder cannot be made or has less than `bytes` free.
  Results(std::filesystem::path folder, double bytes);
  /// Removes what was not published.
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& unfinished() const { return unfinished_; }
  /// Moves all files into the folder, in place of older ones of the same name. Throws heddle::Error where
  /// that fails.
  void publish();

private:
  std::filesystem::path folder_;
  std::filesystem::path unfinished_;
};

} // namespace terrain_wind

#endif
