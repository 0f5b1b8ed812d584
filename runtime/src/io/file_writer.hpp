// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SRC_IO_FILE_WRITER_HPP
#define HEDDLE_SRC_IO_FILE_WRITER_HPP

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace heddle {

/// Writes a file beside its place and moves it there when it is complete and on the disk. Whoever reads the
/// place sees the old file or the new one, never a part, also after the power has failed; without commit()
/// nothing of the new one is left. The file beside it is always a new one: a link of that name is replaced,
/// not followed.
class FileWriter {
public:
  /// user: who writes, for messages. Throws Error when the file cannot be made.
  explicit FileWriter(std::filesystem::path place, std::string user = "Output");
  ~FileWriter();
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Throws Error when not everything can be written, with the system's reason.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// Waits until the file is on the disk and closes it; it is complete but not in its place yet. Throws Error
  /// when the system reports a late failure.
  void close();
  /// Moves the file, closed or not, to its place. The move is on the disk after sync_folder().
  void commit();

private:
  [[noreturn]] void fail(int reason) const;

  std::filesystem::path place_;
  std::filesystem::path beside_; // empty: nothing to remove
  std::string user_;
  int file_ = -1;
};

/// Waits until the names in a folder, or the bytes of a file that somebody else wrote, are on the disk.
/// Throws Error, on behalf of `user`, when the system says that they are not; file systems that do not offer
/// it for folders are let be.
void sync_folder(const std::filesystem::path& folder, const std::string& user);
void sync_file(const std::filesystem::path& file, const std::string& user);

} // namespace heddle

#endif
