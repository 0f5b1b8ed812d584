// SPDX-License-Identifier: Apache-2.0
#include "heddle/io/output_folder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "file_writer.hpp"
#include "folder_lock.hpp"
#include "heddle/core/error.hpp"
#include "heddle/transport/collective.hpp"
#include "output_series.hpp"

namespace heddle {

namespace fs = std::filesystem;

namespace {

/// Bytes of the files in a folder.
double bytes_in(const fs::path& folder) {
  double bytes = 0;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    const std::uintmax_t size = file.file_size(ignored);
    if (!ignored) bytes += static_cast<double>(size);
  }
  return bytes;
}

/// Files come after those that they name.
int place_in_order(const fs::path& file) {
  if (file.extension() == ".pvd") return 2;
  return file.extension() == ".pvti" || file.extension() == ".vtm" ? 1 : 0;
}

} // namespace

OutputFolder::OutputFolder(fs::path folder, double bytes, OutputFolderOptions options)
    : OutputFolder(std::move(folder), bytes, nullptr, std::move(options)) {}

OutputFolder::OutputFolder(fs::path folder, double bytes, Transport& transport, OutputFolderOptions options)
    : OutputFolder(std::move(folder), bytes, &transport, std::move(options)) {}

OutputFolder::OutputFolder(fs::path folder, double bytes, Transport* transport, OutputFolderOptions options)
    : ranks_(std::make_unique<Collective>(transport, "output folder")), options_(std::move(options)),
      folder_(std::move(folder)), unfinished_(folder_ / options_.unfinished) {
  ranks_->collectively([&] {
    if (ranks_->rank() == 0) make(bytes);
  });
  if (ranks_->ranks() > 1) require_shared();
}

/// Throws unless all ranks see in their folder what rank 0 puts into it: files of one run, some here and some
/// there, are of use to nobody.
void OutputFolder::require_shared() const {
  std::string mark; // a name that nobody has looked for: file systems remember what was not there
  ranks_->collectively([&] {
    if (ranks_->rank() != 0) return;
    mark = "shared-" + std::to_string(std::random_device()());
    FileWriter(unfinished_ / mark, where()).commit();
  });
  mark = ranks_->broadcast(mark);
  const std::vector<std::string> seen = ranks_->gather(fs::exists(unfinished_ / mark) ? "seen" : "");
  ranks_->collectively([&] { // on rank 0 alone there is something to look at
    const auto blind = std::ranges::find(seen, "");
    std::error_code ignored;
    if (ranks_->rank() == 0) fs::remove(unfinished_ / mark, ignored);
    if (blind == seen.end()) return;
    if (!options_.stays) fs::remove_all(unfinished_, ignored);
    throw Error(where(),
                "rank " + std::to_string(blind - seen.begin()) + " does not see what rank 0 writes there",
                "give all ranks the same folder, on a file system that they share");
  });
}

std::string OutputFolder::where() const {
  return "output folder '" + folder_.string() + "'";
}

void OutputFolder::make(double bytes) {
  std::error_code status;
  fs::create_directories(folder_, status);
  if (status) throw Error(where(), "it cannot be created: " + status.message(), "choose another one");
  lock_ = std::make_unique<FolderLock>(folder_);
  if (!lock_->taken())
    throw Error(where(), "another run is writing to it", "wait until it has ended, or choose another folder");
  if (!options_.resume) fs::remove_all(unfinished_, status);
  if (status)
    throw Error(where(), "'" + unfinished_.string() + "' cannot be removed: " + status.message(),
                "check its permissions");
  require_space(bytes);
  fs::create_directories(unfinished_, status);
  if (status) throw Error(where(), "it cannot be written: " + status.message(), "check its permissions");
  sync_folder(folder_, where()); // checkpoints may come into a folder that was made here
  if (options_.resume) take_over();
}

void OutputFolder::require_space(double bytes) const {
  std::error_code status;
  const fs::space_info space = fs::space(folder_, status);
  const double needed = bytes - bytes_in(unfinished_);
  if (status || static_cast<double>(space.available) >= needed) return;
  throw Error(where(),
              "the disk is full: " + std::to_string(std::llround(needed / 1e6)) + " MB are needed, " +
                  std::to_string(space.available / 1'000'000) + " MB are free",
              "free some space, or choose another folder");
}

/// Removes what no series names: files of a step that was not complete, and of other kinds, which the run
/// that goes on makes again.
void OutputFolder::take_over() const {
  std::set<std::string> named;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(unfinished_)) {
    files.push_back(entry.path());
    if (entry.path().extension() != ".pvd") continue;
    named.insert(entry.path().filename().string());
    for (const SeriesStep& step : read_series(unfinished_, entry.path().stem().string()))
      for (std::string& file : files_of_step(unfinished_, step.file))
        named.insert(std::move(file));
  }
  for (const fs::path& file : files) {
    std::error_code status;
    if (!named.contains(file.filename().string())) fs::remove_all(file, status);
    if (status)
      throw Error(where(), "'" + file.string() + "' cannot be removed: " + status.message(),
                  "check its permissions");
  }
}

OutputFolder::~OutputFolder() {
  if (ranks_->rank() != 0 || options_.stays) return;
  std::error_code ignored;
  fs::remove_all(unfinished_, ignored);
}

bool OutputFolder::keep_series(const std::string& name, std::int64_t steps, const std::string& about) {
  bool there = false;
  ranks_->collectively([&] {
    if (ranks_->rank() == 0) there = find_series(name, steps, about);
  });
  return ranks_->broadcast(there ? "there" : "") == "there";
}

bool OutputFolder::find_series(const std::string& name, std::int64_t steps, const std::string& about) const {
  const std::string file = name + ".pvd";
  std::string wrong;
  for (const fs::path& place : {unfinished_, folder_}) {
    if (!fs::exists(place / file)) continue;
    std::set<std::int64_t> named;
    for (const SeriesStep& step : read_series(place, name)) {
      if (step.step < steps) named.insert(step.step);
    }
    if (!is_of_run(place / file, about)) {
      wrong = (place / file).string() + " is of another run: '" + series_about(place / file) + "'";
    } else if (std::cmp_less(named.size(), steps)) {
      wrong = (place / file).string() + " lacks some of the " + std::to_string(steps) +
              " steps that were written";
    } else {
      if (place == folder_) {
        FileWriter copy(unfinished_ / file, where());
        copy.write(text_of(place / file));
        copy.commit();
      }
      return true;
    }
  }
  if (wrong.empty()) return false;
  throw Error(where(), wrong,
              "continue from an older checkpoint, or move that file away and lose these steps");
}

void OutputFolder::publish() {
  ranks_->collectively([&] {
    if (ranks_->rank() != 0) return;
    move_files();
    std::error_code ignored;
    fs::remove_all(unfinished_, ignored);
  });
}

void OutputFolder::move_files() const {
  const auto move = [&](auto first, auto last) {
    for (; first != last; ++first) {
      std::error_code status;
      fs::rename(*first, folder_ / first->filename(), status);
      if (status)
        throw Error(where(),
                    "'" + first->filename().string() +
                        "' cannot be moved to its final name: " + status.message(),
                    "check the permissions of the folder");
    }
  };
  std::vector<fs::path> files;
  for (const fs::directory_entry& file : fs::directory_iterator(unfinished_))
    files.push_back(file.path());
  // Whatever stops this, no file has moved before those that it names.
  std::ranges::stable_sort(files, {}, place_in_order);
  std::vector<std::string> obsolete; // of an earlier run
  for (const fs::path& file : files) {
    if (file.extension() != ".pvd") continue;
    for (std::string& old : obsolete_files(folder_, unfinished_, file.stem().string()))
      obsolete.push_back(std::move(old));
  }
  for (const fs::path& file : files)
    sync_file(file, where()); // all before the first is moved: whatever happens then, no file is half there
  const auto index =
      std::ranges::find_if(files, [](const fs::path& file) { return place_in_order(file) > 0; });
  move(files.begin(), index);
  // Without the older files that name others nobody knows what they named: a run that can publish again
  // removes that first.
  if (options_.stays) remove_files(folder_, obsolete, where());
  move(index, files.end());
  if (!options_.stays) remove_files(folder_, obsolete, where());
  sync_folder(folder_, where());
}

} // namespace heddle
