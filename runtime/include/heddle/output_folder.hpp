// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_OUTPUT_FOLDER_HPP
#define HEDDLE_OUTPUT_FOLDER_HPP

#include <filesystem>
#include <memory>

#include "heddle/transport.hpp"

namespace heddle {

class Collective;

/// The folder of a run's results. Everything is written into a folder of its own inside it and moved out when
/// all is complete: a run that fails leaves the results of the run before as they were.
class OutputFolder {
public:
  /// Throws Error where the folder cannot be made or has less than `bytes` free.
  OutputFolder(std::filesystem::path folder, double bytes);
  /// The same folder for all ranks of a transport, which must outlive this: they construct it and publish
  /// together, and throw the same Error.
  OutputFolder(std::filesystem::path folder, double bytes, Transport& transport);
  /// Removes what was not published.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where to write; on any rank.
  [[nodiscard]] const std::filesystem::path& unfinished() const { return unfinished_; }
  /// For a resumed run, before it makes the Output `name` with OutputOptions::goes_on: takes the steps of the
  /// series that is in the folder over into the new one. All ranks.
  void keep_series(const std::string& name);
  /// Moves all files into the folder, in place of older ones of the same name. Of a series (.pvd) that is
  /// replaced, the files that the new one does not name are removed, and no other file. Throws Error where
  /// that fails.
  void publish();

private:
  OutputFolder(std::filesystem::path folder, double bytes, Transport* transport);
  void make(double bytes) const;
  void move_files() const;

  std::unique_ptr<Collective> ranks_;
  std::filesystem::path folder_;
  std::filesystem::path unfinished_;
};

} // namespace heddle

#endif
