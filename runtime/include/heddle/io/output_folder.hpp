// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_IO_OUTPUT_FOLDER_HPP
#define HEDDLE_IO_OUTPUT_FOLDER_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "heddle/transport/transport.hpp"

namespace heddle {

class Collective;
class FolderLock;

/// Where an OutputFolder prepares files, and what becomes of those that are there.
struct OutputFolderOptions {
  /// Inside the folder of the results: where files are until they are published. Runs with checkpoints and
  /// runs without have different ones, so that neither removes what the other one left.
  std::filesystem::path unfinished = "unfinished";
  /// For a run with checkpoints: what is not published when it ends stays there, for the run that goes on.
  bool stays = false;
  /// For that run: takes over the steps that the series (.pvd) there name. Anything else there is removed.
  bool resume = false;
};

/// The folder of a run's results. Everything is written into a folder of its own inside it and moved out when
/// all is complete: a run that fails leaves the results of the run before as they were.
class OutputFolder {
public:
  /// Throws Error where the folder cannot be made, has less than `bytes` free (with what is taken over), or
  /// another run is at work in it: file systems without locks do not show that.
  OutputFolder(std::filesystem::path folder, double bytes, OutputFolderOptions options = {});
  /// The same folder for all ranks of a transport, which must outlive this: they construct it and publish
  /// together, and throw the same Error, also where a rank does not see what rank 0 writes there.
  OutputFolder(std::filesystem::path folder, double bytes, Transport& transport,
               OutputFolderOptions options = {});
  /// Removes what was not published, unless it stays.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Where to write; on any rank.
  [[nodiscard]] const std::filesystem::path& unfinished() const { return unfinished_; }
  /// For a resumed run that wrote the steps 0, 1, ..., steps - 1 of a series before, before it makes the
  /// Output `name` with OutputOptions::resume: the series that goes on is the one that was taken over or,
  /// where that lacks a step, the one that is published in the folder. Returns whether there is one; all
  /// ranks. Throws Error where there are some, and each lacks a step or is of another run (another
  /// OutputOptions::about).
  bool keep_series(const std::string& name, std::int64_t steps, const std::string& about);
  /// Moves all files into the folder, in place of older ones of the same name. Of a series (.pvd) that is
  /// replaced, the files that the new one does not name are removed, and no other file. Once, at the end: the
  /// folder for unfinished files is gone then. Throws Error where that fails. A run that is killed meanwhile
  /// leaves some files of each run; one with checkpoints goes on and publishes the rest.
  void publish();

private:
  OutputFolder(std::filesystem::path folder, double bytes, Transport* transport, OutputFolderOptions options);
  void make(double bytes);
  void require_shared() const;
  void require_space(double bytes) const;
  void take_over() const;
  void move_files() const;
  [[nodiscard]] bool find_series(const std::string& name, std::int64_t steps, const std::string& about) const;
  [[nodiscard]] std::string where() const;

  std::unique_ptr<Collective> ranks_;
  OutputFolderOptions options_;
  std::filesystem::path folder_;
  std::filesystem::path unfinished_;
  std::unique_ptr<FolderLock> lock_; // of rank 0
};

} // namespace heddle

#endif
