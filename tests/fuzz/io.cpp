// SPDX-License-Identifier: Apache-2.0
// What a run finds in its folder: manifests of checkpoints, and the series of an earlier run.
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "heddle/core/hash.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "io/checkpoint_manifest.hpp"
#include "io/output_series.hpp"
#include "reader.hpp"

namespace {

/// A field of all cells, one of listed cells and a number, with a checkpoint of them.
class Run {
public:
  Run()
      : grid_(heddle::Box{{0, 0, 0}, {5, 4, 3}}, {1, 1, 1}, {false, false, false}),
        dense_(grid_, {.components = 2, .ghost_layers = 1, .name = "u"}),
        list_(grid_.block(0), flags(), {false, false, false}, links()), sparse_(list_, 2),
        checkpoint_(fuzz::folder() + "/checkpoint", "run") {
    checkpoint_.add(dense_);
    checkpoint_.add(sparse_, grid_.block(0));
    checkpoint_.add("time", time_);
    checkpoint_.require("wind", 12.5);
    checkpoint_.write(40);
  }

  void read() { checkpoint_.read(40); }
  static std::string manifest() { return fuzz::folder() + "/checkpoint/run_00000040.checkpoint"; }

private:
  static std::vector<std::uint8_t> flags() {
    std::vector<std::uint8_t> all(60, 1);
    for (std::size_t i = 0; i < all.size(); i += 3)
      all[i] = 0;
    return all;
  }
  static std::vector<heddle::Link> links() { return {{1, {-1, 0, 0}, 2}}; }

  heddle::BlockGrid grid_;
  heddle::Field<double> dense_;
  heddle::IndexList list_;
  heddle::SparseField<float> sparse_;
  double time_ = 3.5;
  heddle::Checkpoint checkpoint_;
};

/// The lines with the checksum that they need: without it nothing would be read of what is changed.
std::string sealed(const std::string& text) {
  heddle::Hash hash;
  hash.add(reinterpret_cast<const std::byte*>(text.data()), text.size());
  std::array<char, 22> end{};
  std::snprintf(end.data(), end.size(), "end %016llx\n", static_cast<unsigned long long>(hash.value()));
  return text + end.data();
}

const fuzz::Reader manifest("manifest", [](fuzz::Bytes bytes) {
  static Run run;
  const std::string text = sealed({bytes.begin(), bytes.end()});
  const auto parsed = heddle::CheckpointManifest::parse(text, "the manifest");
  const std::string again = parsed.text();
  fuzz::require(heddle::CheckpointManifest::parse(again, "its text").text() == again,
                "a manifest that was read is written as it is read");
  std::ofstream(Run::manifest(), std::ios::binary) << text;
  run.read();
});

const fuzz::Reader series("series", [](fuzz::Bytes bytes) {
  (void)fuzz::write("a.pvd", bytes);
  (void)fuzz::write("a_00000001.pvti", bytes);
  (void)fuzz::write("a_00000002.vtm", bytes);
  (void)heddle::series_about(fuzz::folder() + "/a.pvd");
  const std::string elsewhere = fuzz::folder() + "/elsewhere";
  for (const std::string& name : heddle::obsolete_files(fuzz::folder(), elsewhere, "a"))
    fuzz::require(name.starts_with("a_") && name.find('/') == std::string::npos,
                  "a run removes none but files of its series");
});

} // namespace
