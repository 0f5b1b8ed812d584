// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <unistd.h>

#include "heddle/core/error.hpp"

namespace fuzz {
namespace {

std::map<std::string, void (*)(Bytes)>& readers() {
  static std::map<std::string, void (*)(Bytes)> all;
  return all;
}

void (*chosen)(Bytes) = nullptr;

class Folder {
public:
  Folder() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    path_ = (memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/heddle-fuzz-XXXXXX";
    require(mkdtemp(path_.data()) != nullptr, "a folder for the files");
  }
  ~Folder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

Reader::Reader(const char* name, void (*read)(Bytes)) {
  readers()[name] = read;
}

const std::string& folder() {
  static const Folder here;
  return here.path();
}

std::string write(const std::string& name, Bytes bytes) {
  std::string path = folder() + "/" + name;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), "the file of the harness is written");
  return path;
}

CommandLine::CommandLine(const char* program, Bytes bytes) : words_{program} {
  std::istringstream text(std::string(bytes.begin(), bytes.end()));
  for (std::string line; std::getline(text, line);)
    words_.push_back(line);
  arguments_.reserve(words_.size());
  for (const std::string& word : words_)
    arguments_.push_back(word.c_str());
}

void require(bool whole, const char* what) {
  if (whole) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

void choose(const std::string& name) {
  const auto found = readers().find(name);
  if (found == readers().end()) {
    std::fprintf(stderr, "there is no harness '%s'; there are", name.c_str());
    for (const auto& [known, read] : readers())
      std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  setenv("HEDDLE_MEMORY_LIMIT", "0.05", 1); // GB: what is allowed must be done within seconds
  chosen = found->second;
}

bool read(Bytes bytes) {
  try {
    chosen(bytes);
    return true;
  } catch (const heddle::Error& error) {
    require(error.what()[0] != '\0', "a refusal says why");
    return false;
  }
}

} // namespace fuzz
