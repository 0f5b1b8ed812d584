// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_folder.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "file_writer.hpp"
#include "heddle/core/error.hpp"

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr const char* checkpoint_place = "Checkpoint";
constexpr const char* suffix = ".checkpoint";

std::vector<std::string> files_of(const fs::path& folder, const std::string& start) {
  std::vector<std::string> files;
  std::error_code problem;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) {
    std::string file = entry.path().filename().string();
    if (file.starts_with(start)) files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The step in "40.checkpoint", "00000040.0.3.part"; -1 for other files.
std::int64_t leading_step(const std::string& text) {
  std::int64_t step = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), step);
  const bool stands_alone = status == std::errc{} && end != text.data() + text.size() && *end == '.';
  return stands_alone && text.front() != '-' ? step : -1;
}

std::string stem_of(const std::string& name, std::int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < 8) digits.insert(0, 8 - digits.size(), '0');
  return name + "_" + digits;
}

void remove_file(const fs::path& file) {
  std::error_code ignored;
  fs::remove(file, ignored);
}

} // namespace

CheckpointFolder::CheckpointFolder(fs::path folder, std::string called)
    : path(std::move(folder)), name(std::move(called)) {
  if (name.empty() || name.find('/') != std::string::npos)
    throw Error(checkpoint_place, "'" + name + "' is not a valid file name",
                "use a name that is not empty and has no slash");
}

void CheckpointFolder::make() const {
  std::error_code problem;
  const bool made = fs::create_directories(path, problem);
  if (problem) {
    throw Error(checkpoint_place, "cannot create the folder " + path.string() + ": " + problem.message(),
                "check that no file has this name, and that you may write there");
  }
  if (made) sync_folder(fs::absolute(path).parent_path(), checkpoint_place);
}

fs::path CheckpointFolder::manifest(std::int64_t step) const {
  return path / (stem_of(name, step) + suffix);
}

std::vector<std::int64_t> CheckpointFolder::steps() const {
  std::vector<std::int64_t> found;
  for (const std::string& file : files_of(path, name + "_")) {
    const std::int64_t step = leading_step(file.substr(name.size() + 1));
    if (step >= 0 && file == manifest(step).filename()) found.push_back(step);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string CheckpointFolder::unused_stem(std::int64_t step) const {
  for (int attempt = 0;; ++attempt) {
    std::string stem = stem_of(name, step) + "." + std::to_string(attempt);
    if (files_of(path, stem + ".").empty()) return stem;
  }
}

std::string CheckpointFolder::text(std::int64_t step) const {
  const fs::path place = manifest(step);
  std::error_code unknown;
  if (fs::is_directory(place, unknown))
    throw Error(checkpoint_place,
                place.string() + " is a folder, where the manifest of a checkpoint should be");
  const auto unreadable = [&] { return Error(checkpoint_place, "cannot read " + place.string()); };
  try {
    std::ifstream file(place, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw unreadable();
    return content;
  } catch (const std::ios_base::failure&) { // the disk gave up
    throw unreadable();
  }
}

void CheckpointFolder::require_part(const std::string& file, std::int64_t step) const {
  if (file.starts_with(stem_of(name, step) + ".") && file.ends_with(".part") &&
      file.find('/') == std::string::npos)
    return;
  throw Error(checkpoint_place, "its file '" + file + "' is no part of this checkpoint");
}

CheckpointManifest CheckpointFolder::load(std::int64_t step) const {
  try {
    CheckpointManifest found = CheckpointManifest::parse(text(step), checkpoint_place);
    if (found.name == name && found.step == step) {
      for (const CheckpointManifest::Part& part : found.parts)
        require_part(part.file, step);
      return found;
    }
  } catch (const Error& error) {
    throw Error(checkpoint_place, manifest(step).string() + ": " + error.reason(), error.hint());
  }
  throw Error(checkpoint_place, manifest(step).string() + ": it belongs to a different name or step");
}

void CheckpointFolder::remove(std::int64_t step) const {
  remove_file(manifest(step));
  for (const std::string& file : files_of(path, stem_of(name, step) + "."))
    remove_file(path / file);
}

void CheckpointFolder::remove_parts(const std::string& stem) const {
  for (const std::string& file : files_of(path, stem + "."))
    remove_file(path / file);
}

void CheckpointFolder::remove_unnamed_parts() const {
  std::set<std::string> named;
  std::set<std::int64_t> unknown;
  for (const std::int64_t step : steps()) {
    try {
      for (const CheckpointManifest::Part& part : load(step).parts)
        named.insert(part.file);
    } catch (const Error&) {
      unknown.insert(step);
    }
  }
  for (const std::string& file : files_of(path, name + "_")) {
    const std::int64_t step = leading_step(file.substr(name.size() + 1));
    const bool ours = step >= 0 && file.starts_with(stem_of(name, step) + ".") &&
                      (file.ends_with(".part") || file.find(".partial-") != std::string::npos);
    if (ours && !named.contains(file) && !unknown.contains(step)) remove_file(path / file);
  }
}

} // namespace heddle
