// SPDX-License-Identifier: Apache-2.0
#include "heddle/output_folder.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>
#include <vector>

#include "collective.hpp"
#include "file_writer.hpp"
#include "heddle/error.hpp"
#include "output_series.hpp"

namespace heddle {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(fs::path folder, double bytes) : OutputFolder(std::move(folder), bytes, nullptr) {}

OutputFolder::OutputFolder(fs::path folder, double bytes, Transport& transport)
    : OutputFolder(std::move(folder), bytes, &transport) {}

OutputFolder::OutputFolder(fs::path folder, double bytes, Transport* transport)
    : ranks_(std::make_unique<Collective>(transport, "output folder")), folder_(std::move(folder)),
      unfinished_(folder_ / "unfinished") {
  ranks_->together([&] {
    if (ranks_->rank() == 0) make(bytes);
  });
}

void OutputFolder::make(double bytes) const {
  const std::string where = "output folder '" + folder_.string() + "'";
  std::error_code status;
  fs::create_directories(folder_, status);
  if (status) throw Error(where, "it cannot be made: " + status.message(), "choose another one");
  const fs::space_info space = fs::space(folder_, status);
  if (!status && static_cast<double>(space.available) < bytes)
    throw Error(where,
                "the disk is full: " + std::to_string(std::llround(bytes / 1e6)) + " MB are needed, " +
                    std::to_string(space.available / 1'000'000) + " MB are free",
                "free some space, or choose another folder");
  fs::remove_all(unfinished_, status);
  fs::create_directory(unfinished_, status);
  if (status) throw Error(where, "it cannot be written: " + status.message(), "check its permissions");
}

OutputFolder::~OutputFolder() {
  if (ranks_->rank() != 0) return;
  std::error_code ignored;
  fs::remove_all(unfinished_, ignored);
}

void OutputFolder::keep_series(const std::string& name) {
  ranks_->together([&] {
    const fs::path series = folder_ / (name + ".pvd");
    if (ranks_->rank() != 0 || !fs::exists(series)) return;
    fs::copy_file(series, unfinished_ / series.filename(), fs::copy_options::overwrite_existing);
  });
}

void OutputFolder::publish() {
  ranks_->together([&] {
    if (ranks_->rank() == 0) move_files();
  });
}

void OutputFolder::move_files() const {
  std::vector<fs::path> files;
  for (const fs::directory_entry& file : fs::directory_iterator(unfinished_))
    files.push_back(file.path());
  // What names other files comes last.
  std::stable_partition(files.begin(), files.end(),
                        [](const fs::path& file) { return file.extension() != ".pvd"; });
  const std::string where = "output folder '" + folder_.string() + "'";
  std::vector<std::string> obsolete; // of an earlier run
  for (const fs::path& file : files) {
    if (file.extension() != ".pvd") continue;
    for (std::string& old : obsolete_files(folder_, unfinished_, file.stem().string()))
      obsolete.push_back(std::move(old));
  }
  for (const fs::path& file : files)
    sync_file(file, where); // all before the first is moved: whatever happens then, no file is half there
  for (const fs::path& file : files) {
    std::error_code status;
    fs::rename(file, folder_ / file.filename(), status);
    if (status)
      throw Error(where, "'" + file.filename().string() + "' cannot be put in place: " + status.message(),
                  "check the permissions of the folder");
  }
  remove_files(folder_, obsolete, where);
  sync_folder(folder_, where);
}

} // namespace heddle
