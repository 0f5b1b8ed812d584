// SPDX-License-Identifier: Apache-2.0
#include "output_series.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "heddle/core/error.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/printable.hpp"

namespace heddle {

namespace fs = std::filesystem;

namespace {

/// The values of an attribute, as they stand in the text, one a line at most: Output writes an element a
/// line.
std::vector<std::pair<std::string_view, std::string_view>> lines_with(std::string_view text,
                                                                      std::string_view attribute) {
  std::vector<std::pair<std::string_view, std::string_view>> found; // the value, its line
  const std::string key = " " + std::string(attribute) + "=\"";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t begin = line.find(key);
    if (begin == std::string_view::npos) continue;
    const std::string_view value = line.substr(begin + key.size());
    found.emplace_back(value.substr(0, value.find('"')), line);
  }
  return found;
}

/// The number between what a text begins and ends with; nothing where it is another text.
std::optional<std::int64_t> number_between(std::string_view text, std::string_view begin,
                                           std::string_view end) {
  if (!text.starts_with(begin) || !text.ends_with(end) || text.size() <= begin.size() + end.size()) return {};
  text = text.substr(begin.size(), text.size() - begin.size() - end.size());
  const auto number = number_of<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

constexpr std::array<std::string_view, 3> endings{".vti", ".pvti", ".vtm"};

} // namespace

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string comment(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  std::string result;
  for (const char c : printable(line)) {
    if (c == '-' && result.ends_with('-')) result += ' ';
    result += c;
  }
  return result;
}

std::string series_about(const fs::path& file) {
  const std::string text = text_of(file);
  const std::size_t begin = text.find(comment_begin);
  const std::size_t end = text.find(comment_end, begin);
  if (end == std::string::npos) return {};
  const std::size_t first = begin + std::string_view(comment_begin).size();
  return text.substr(first, end - first);
}

bool is_of_run(const fs::path& file, std::string_view about) {
  return series_about(file) == comment(about);
}

std::string stem_of(std::string_view name, std::int64_t step) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "_%08lld", static_cast<long long>(step));
  return std::string(name) + digits.data();
}

std::vector<SeriesStep> read_series(const fs::path& folder, std::string_view name) {
  std::vector<SeriesStep> steps;
  const std::string text = text_of(folder / (std::string(name) + ".pvd"));
  for (const auto& [file, line] : lines_with(text, "file")) {
    for (const std::string_view ending : endings) {
      const std::optional<std::int64_t> step = number_between(file, escaped(std::string(name)) + "_", ending);
      if (!step || file != escaped(stem_of(name, *step)) + std::string(ending)) continue;
      const auto times = lines_with(line, "timestep");
      double time = 0;
      if (!times.empty())
        std::from_chars(times[0].first.data(), times[0].first.data() + times[0].first.size(), time);
      steps.push_back({*step, time, stem_of(name, *step) + std::string(ending)});
    }
  }
  return steps;
}

std::vector<std::string> files_of_step(const fs::path& folder, const std::string& file) {
  std::vector<std::string> files{file};
  const std::string stem = fs::path(file).stem().string();
  const bool parallel = file.ends_with(".pvti");
  if (!parallel && !file.ends_with(".vtm")) return files;
  const std::string text = text_of(folder / file);
  for (const auto& [piece, line] : lines_with(text, parallel ? "Source" : "file")) {
    const std::optional<std::int64_t> block = number_between(piece, escaped(stem) + "_", ".vti");
    if (block) files.push_back(stem + "_" + std::to_string(*block) + ".vti");
  }
  return files;
}

std::vector<std::string> obsolete_files(const fs::path& folder, const fs::path& newer,
                                        std::string_view name) {
  std::vector<std::string> files;
  for (const SeriesStep& step : read_series(folder, name)) {
    for (std::string& file : files_of_step(folder, step.file))
      files.push_back(std::move(file));
  }
  for (const SeriesStep& step : read_series(newer, name)) {
    // A step that was taken over has its files in the folder, a new one beside the newer series.
    const fs::path& place = fs::exists(newer / step.file) ? newer : folder;
    for (const std::string& file : files_of_step(place, step.file))
      std::erase(files, file);
  }
  return files;
}

void remove_files(const fs::path& folder, const std::vector<std::string>& names, const std::string& user) {
  for (const std::string& name : names) {
    std::error_code problem;
    fs::remove(folder / name, problem);
    if (problem)
      throw Error(user,
                  "cannot remove " + (folder / name).string() + " of an earlier run: " + problem.message(),
                  "the new results are complete; remove it by hand, or choose another folder");
  }
}

} // namespace heddle
