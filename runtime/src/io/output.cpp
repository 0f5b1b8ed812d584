// SPDX-License-Identifier: Apache-2.0
// Own code: for VTK's writers Debian installs 164 more packages; the tests read the files with VTK
// (decision 0143).
#include "heddle/io/output.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <system_error>

#include "file_writer.hpp"
#include "heddle/core/number_text.hpp"
#include "heddle/core/printable.hpp"
#include "heddle/transport/collective.hpp"
#include "output_series.hpp"

namespace heddle {

static_assert(std::endian::native == std::endian::little,
              "Output writes the bytes of memory as little endian");

namespace {

std::string triple(const std::array<double, 3>& values) {
  return number_text(values[0]) + " " + number_text(values[1]) + " " + number_text(values[2]);
}

constexpr std::string_view prologue = "<?xml version=\"1.0\"?>\n";

} // namespace

Output::Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, OutputOptions options)
    : Output(std::move(folder), std::move(name), grid, nullptr, std::move(options)) {}

Output::Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, Transport& transport,
               OutputOptions options)
    : Output(std::move(folder), std::move(name), grid, &transport, std::move(options)) {}

Output::Output(std::filesystem::path folder, std::string name, const BlockGrid& grid, Transport* transport,
               OutputOptions options)
    : folder_(std::move(folder)), name_(std::move(name)), grid_(grid), options_(std::move(options)),
      ranks_(std::make_unique<Collective>(transport, "output " + name_)) {
  if (transport == nullptr) require_one_rank("Output", grid);
  if (grid.ranks() != ranks_->ranks()) {
    throw Error("Output",
                "the grid is made for " + std::to_string(grid.ranks()) + " ranks, but there are " +
                    std::to_string(ranks_->ranks()),
                "construct BlockGrid(..., transport.ranks())");
  }
  first_ = grid.first_block(ranks_->rank());
  if (name_.empty() || name_.find('/') != std::string::npos || printable(name_) != name_) {
    throw Error("Output", "'" + name_ + "' is not a valid file name",
                "use a name that is not empty, in UTF-8, without a slash and control characters");
  }
  for (const double spacing : options_.spacing) {
    if (!(spacing > 0.0) || std::isinf(spacing)) {
      throw Error("Output", "the spacing " + number_text(spacing) + " is not positive",
                  "give the edge lengths of a cell");
    }
  }
  if (options_.resume) {
    ranks_->collectively([&] {
      if (ranks_->rank() == 0) require_same_run();
    });
  }
}

Output::~Output() = default;

std::filesystem::path Output::series() const {
  return folder_ / (name_ + ".pvd");
}

void Output::require_domain(const Box& domain, const std::array<int, 3>& blocks,
                            std::string_view name) const {
  if (domain == grid_.domain() && blocks == grid_.blocks()) return;
  throw Error("Output::add", "'" + std::string(name) + "' does not have the blocks of the output's grid",
              "its domain is " + to_string(domain) + ", the output's " + to_string(grid_.domain()));
}

void Output::require_list(const IndexList& list, std::string_view name) const {
  if (list.grid() == grid_ && list.rank() == ranks_->rank()) return;
  if (grid_.ranks() == 1 && list.grid().size() == 1 && list.box() == grid_.domain()) return;
  throw Error("Output::add",
              "the list of '" + std::string(name) +
                  "' does not have the blocks of the output's grid: its domain is " +
                  to_string(list.grid().domain()) + " in " + std::to_string(list.grid().size()) +
                  " blocks, the output's " + to_string(grid_.domain()) + " in " +
                  std::to_string(grid_.size()),
              "construct the list and the output with the same grid and rank");
}

void Output::require_blocks(std::size_t count, std::string_view name) const {
  const int here = grid_.first_block(ranks_->rank() + 1) - first_;
  if (count == static_cast<std::size_t>(here) && count > 0) return;
  throw Error("Output::add", "'" + std::string(name) + "' has " + std::to_string(count) +
                                 " blocks on this rank, but the grid has " + std::to_string(here));
}

void Output::require_box(int block, const Box& box, std::string_view name) const {
  if (box == grid_.block(first_ + block)) return;
  throw Error("Output::add", "'" + std::string(name) + "' has the box " + to_string(box) +
                                 " instead of block " + to_string(grid_.block(first_ + block)));
}

void Output::add(Array array) {
  if (array.name.empty()) throw Error("Output::add", "an array has no name", "give each array a name");
  if (array.components < 1) {
    throw Error("Output::add",
                "'" + array.name + "' has " + std::to_string(array.components) + " components");
  }
  for (const Array& other : arrays_) {
    if (other.name == array.name)
      throw Error("Output::add", "there are two arrays '" + array.name + "'", "give each array its own name");
  }
  arrays_.push_back(std::move(array));
}

std::string Output::extent_text(const Box& cells) const {
  std::string text; // points, inclusive: one more than cells
  for (std::size_t d = 0; d < 3; ++d) {
    if (d > 0) text += " ";
    text += std::to_string(cells.lower[d]) + " " + std::to_string(cells.upper[d]);
  }
  return text;
}

std::string Output::grid_text() const {
  return "Origin=\"" + triple(options_.origin) + "\" Spacing=\"" + triple(options_.spacing) + "\"";
}

std::string Output::header(int block) const {
  const Box& cells = grid_.block(block);
  std::string text(prologue);
  text += "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
  text += "  <ImageData WholeExtent=\"" + extent_text(cells) + "\" " + grid_text() + ">\n";
  text += "    <Piece Extent=\"" + extent_text(cells) + "\">\n      <CellData>\n";
  std::size_t offset = 0;
  for (const Array& array : arrays_) {
    text += "        <DataArray type=\"" + array.type + "\" Name=\"" + escaped(array.name) +
            "\" NumberOfComponents=\"" + std::to_string(array.components) +
            "\" format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
    offset += sizeof(std::uint64_t) +
              static_cast<std::size_t>(cells.volume() * array.components) * array.value_bytes;
  }
  text += "      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_";
  return text;
}

std::string Output::parallel_header(const std::string& stem) const {
  std::string text(prologue);
  text +=
      "<VTKFile type=\"PImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
  text += "  <PImageData WholeExtent=\"" + extent_text(grid_.domain()) + "\" GhostLevel=\"0\" " +
          grid_text() + ">\n    <PCellData>\n";
  for (const Array& array : arrays_) {
    text += "      <PDataArray type=\"" + array.type + "\" Name=\"" + escaped(array.name) +
            "\" NumberOfComponents=\"" + std::to_string(array.components) + "\"/>\n";
  }
  text += "    </PCellData>\n";
  for (int b = 0; b < grid_.size(); ++b) {
    text += "    <Piece Extent=\"" + extent_text(grid_.block(b)) + "\" Source=\"" + escaped(piece(stem, b)) +
            "\"/>\n";
  }
  return text + "  </PImageData>\n</VTKFile>\n";
}

std::string Output::piece(const std::string& stem, int block) const {
  return stem + "_" + std::to_string(block) + ".vti";
}

/// Blocks that do not cover the domain, which the pieces of a .pvti have to.
std::string Output::blocks_text(const std::string& stem) const {
  std::string text(prologue);
  text += "<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt64\">\n  <vtkMultiBlockDataSet>\n";
  for (int b = 0; b < grid_.size(); ++b) {
    text += "    <DataSet index=\"" + std::to_string(b) + "\" name=\"block " + std::to_string(b) +
            "\" file=\"" + escaped(piece(stem, b)) + "\"/>\n";
  }
  return text + "  </vtkMultiBlockDataSet>\n</VTKFile>\n";
}

std::string Output::main_file(const std::string& stem) const {
  if (grid_.places() == 1) return stem + ".vti";
  return stem + (grid_.size() == grid_.places() ? ".pvti" : ".vtm");
}

std::vector<std::string> Output::replaced_by(std::int64_t first_step, std::vector<SeriesStep>& steps) const {
  std::vector<std::string> obsolete;
  for (SeriesStep& old : read_series(folder_, name_)) {
    if (options_.resume && old.step < first_step) {
      steps.push_back(std::move(old));
      continue;
    }
    for (std::string& file : files_of_step(folder_, old.file))
      obsolete.push_back(std::move(file));
  }
  return obsolete;
}

void Output::require_same_run() const {
  if (!std::filesystem::exists(series()) || is_of_run(series(), options_.about)) return;
  throw Error("Output",
              series().string() + " belongs to another run and cannot be continued: it is about '" +
                  series_about(series()) + "', this run '" + comment(options_.about) + "'",
              "move it away, or continue with the options of the run that wrote it");
}

std::string Output::series_text(const std::vector<SeriesStep>& steps) const {
  std::string text(prologue);
  if (!options_.about.empty()) text += comment_begin + comment(options_.about) + comment_end;
  text +=
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
  text += "  <Collection>\n";
  for (const SeriesStep& step : steps) {
    text += "    <DataSet timestep=\"" + number_text(step.time) + "\" group=\"\" part=\"0\" file=\"" +
            escaped(step.file) + "\"/>\n";
  }
  return text + "  </Collection>\n</VTKFile>\n";
}

/// That all ranks write the same.
void Output::require_alike(std::int64_t step, double time) {
  std::string mine = "step " + std::to_string(step) + ", time " + number_text(time);
  for (const Array& array : arrays_)
    mine += ", " + std::to_string(array.components) + " " + array.type + " of '" + array.name + "'";
  const std::string first = ranks_->broadcast(mine);
  ranks_->collectively([&] {
    if (arrays_.empty())
      throw Error("Output::write", "there is nothing to write", "call add() with a field first");
    if (step < 0)
      throw Error("Output::write", "step " + std::to_string(step) + " is negative", "use 0 or more");
    if (mine == first) return;
    throw Error("Output::write",
                "the arrays of '" + name_ + "' differ from those of rank 0: " + mine + "; on rank 0 " + first,
                "add the same arrays in the same order on all ranks, and write them together");
  });
}

/// Throws unless rank 0 sees the pieces of all ranks: no file must name what lies in another folder.
void Output::require_pieces(const std::string& stem) const {
  for (int b = 0; b < grid_.size() && grid_.places() > 1; ++b) {
    const std::filesystem::path file = folder_ / piece(stem, b);
    if (std::filesystem::exists(file)) continue;
    throw Error("Output", file.string() + " was written, but rank 0 finds no such file",
                "give all ranks the same folder, on a file system that they share");
  }
}

std::filesystem::path Output::write(std::int64_t step, double time) {
  require_alike(step, time);
  const std::string stem = stem_of(name_, step);
  const bool one = grid_.places() == 1;
  std::vector<FileWriter> files; // in the order in which they are moved to their places
  ranks_->collectively([&] {
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) {
      throw Error("Output", "cannot create the folder " + folder_.string() + ": " + problem.message(),
                  "check that no file has this name, and that you may write there");
    }
    std::vector<Reader> read;
    for (const Array& array : arrays_)
      read.push_back(array.open());
    const int blocks = grid_.first_block(ranks_->rank() + 1) - first_;
    for (int b = 0; b < blocks; ++b) {
      FileWriter& file = files.emplace_back(folder_ / (one ? stem + ".vti" : piece(stem, first_ + b)));
      file.write(header(first_ + b));
      for (std::size_t a = 0; a < arrays_.size(); ++a) {
        const std::uint64_t bytes =
            static_cast<std::uint64_t>(grid_.block(first_ + b).volume() * arrays_[a].components) *
            static_cast<std::uint64_t>(arrays_[a].value_bytes);
        file.write(&bytes, sizeof bytes);
        read[a](b, [&file](const void* data, std::size_t size) { file.write(data, size); });
      }
      file.write("\n  </AppendedData>\n</VTKFile>\n");
      file.close();
    }
  });
  std::vector<SeriesStep> steps = steps_;
  std::vector<std::string> obsolete;
  if (!written_ && ranks_->rank() == 0) obsolete = replaced_by(step, steps);
  std::erase_if(steps, [&](const SeriesStep& other) { return other.step == step; });
  steps.push_back({step, time, main_file(stem)});
  std::ranges::sort(steps, {}, &SeriesStep::step);
  std::vector<FileWriter> index; // that name the others
  ranks_->collectively([&] {
    if (ranks_->rank() != 0) return;
    if (!one) {
      FileWriter& file = index.emplace_back(folder_ / main_file(stem));
      file.write(grid_.size() == grid_.places() ? parallel_header(stem) : blocks_text(stem));
      file.close();
    }
    FileWriter& file = index.emplace_back(series());
    file.write(series_text(steps));
    file.close();
  });

  for (std::vector<FileWriter>* group : {&files, &index}) {
    ranks_->collectively([&] {
      if (group == &index && ranks_->rank() == 0) require_pieces(stem);
      for (FileWriter& complete : *group)
        complete.commit();
      sync_folder(folder_, "Output");
    });
  }
  steps_ = std::move(steps);
  written_ = true;
  std::erase(obsolete, main_file(stem));
  for (int b = 0; b < grid_.size() && !one; ++b)
    std::erase(obsolete, piece(stem, b));
  ranks_->collectively([&] { remove_files(folder_, obsolete, "Output"); });
  return folder_ / main_file(stem);
}

} // namespace heddle
