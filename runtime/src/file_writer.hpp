// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_FILE_WRITER_HPP
#define HEDDLE_FILE_WRITER_HPP

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace heddle {

/// Writes a file beside its place and moves it there when it is complete. Whoever reads the place sees the
/// old file or the new one, never a part; without commit() nothing of the new one is left.
class FileWriter {
public:
  /// Throws Error when the file cannot be made.
  explicit FileWriter(std::filesystem::path place);
  ~FileWriter();
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Throws Error when not everything can be written, with the system's reason.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Closes the file, which is complete but not in its place yet. Throws Error when the system reports a late
  /// failure.
  void close();
  /// Moves the file, closed or not, to its place.
  void commit();

private:
  [[noreturn]] void fail(int reason) const;

  std::filesystem::path place_;
  std::filesystem::path beside_; // empty: nothing to remove
  int file_ = -1;
};

} // namespace heddle

#endif
