// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_OUTPUT_SERIES_HPP
#define HEDDLE_SRC_IO_OUTPUT_SERIES_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A step that a .pvd names.
struct SeriesStep {
  std::int64_t step;
  double time;
  std::string file; // in the folder of the .pvd
};

/// A text as XML has it within quotes, printable().
[[nodiscard]] std::string escaped(std::string_view text);

/// What stands around a text about a series, in a line of its own.
constexpr const char* comment_begin = "<!-- ";
constexpr const char* comment_end = " -->\n";

/// A text as it may stand in a comment: printable(), in one line, without two hyphens side by side.
[[nodiscard]] std::string comment(std::string_view text);

/// All of a file; empty where it cannot be read.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// What a .pvd says about its series, empty for nothing.
[[nodiscard]] std::string series_about(const std::filesystem::path& file);

/// Whether that is what a run says of itself (OutputOptions::about).
[[nodiscard]] bool is_of_run(const std::filesystem::path& file, std::string_view about);

/// The files of a step begin so: name_00000042.
[[nodiscard]] std::string stem_of(std::string_view name, std::int64_t step);

/// The steps that folder/name.pvd names, as far as their files have names that Output gives; none where there
/// is no such file.
[[nodiscard]] std::vector<SeriesStep> read_series(const std::filesystem::path& folder, std::string_view name);

/// The names of all files of a step, of which `file` is the one that a .pvd names: itself and the pieces that
/// it names, as far as they have names that Output gives.
[[nodiscard]] std::vector<std::string> files_of_step(const std::filesystem::path& folder,
                                                     const std::string& file);

/// The names of files that the series folder/name.pvd names and that one in another folder does not.
[[nodiscard]] std::vector<std::string> obsolete_files(const std::filesystem::path& folder,
                                                      const std::filesystem::path& newer,
                                                      std::string_view name);

/// Those that are there. Throws Error, on behalf of `user`, where one cannot be removed.
void remove_files(const std::filesystem::path& folder, const std::vector<std::string>& names,
                  const std::string& user);

} // namespace heddle

#endif
