// SPDX-License-Identifier: Apache-2.0
// Writes the files that read_with_vtk.py compares: write_sample FOLDER

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "../../support/sample.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/io/output.hpp"
#include "heddle/transport/thread_group.hpp"

namespace {

using heddle::BlockGrid;
using heddle::Box;
using heddle::Output;

const Box domain{{0, 0, 0}, {11, 7, 5}};
const heddle::OutputOptions options{.origin = {100.5, -20.0, 3.0}, .spacing = {74.6, 92.5, 0.1}};

void write_fields(const std::filesystem::path& folder, const char* name, const std::array<int, 3>& blocks) {
  const BlockGrid grid(domain, blocks);
  heddle::Field<double> velocity(grid, {.components = 3, .name = "velocity"});
  heddle::Field<float> density(grid, {.ghost_layers = 2, .name = "rho <&\">"});
  velocity.fill(-1.0); // ghosts must not be written
  velocity.fill(sample::value);
  density.fill([](std::int64_t x, std::int64_t y, std::int64_t z, int) { return sample::value(x, y, z, 1); });
  Output output(folder, name, grid, options);
  output.add(velocity);
  output.add(density);
  output.add<std::int32_t>("block", 1,
                           [](int b, std::int64_t, std::int64_t, std::int64_t, int) { return b; });
  output.write(0, 0.0);
  velocity.fill(
      [](std::int64_t x, std::int64_t y, std::int64_t z, int c) { return 2.0 * sample::value(x, y, z, c); });
  output.write(25, 0.1);
}

/// The same from ranks that share the blocks; without the blocks at z = 4 if `holes`.
void write_shared(const std::filesystem::path& folder, const char* name, bool holes) {
  heddle::ThreadGroup network(3);
  network.run([&](heddle::Transport& transport) {
    std::vector<std::int64_t> weights(12, 1);
    if (holes) std::fill(weights.begin() + 6, weights.end(), 0);
    const BlockGrid grid = BlockGrid::balanced(domain, {2, 3, 2}, {false, false, false}, 3, weights);
    heddle::Field<double> velocity(grid, {.components = 3, .name = "velocity", .rank = transport.rank()});
    heddle::Field<float> density(grid, {.name = "rho <&\">", .rank = transport.rank()});
    velocity.fill(sample::value);
    density.fill(
        [](std::int64_t x, std::int64_t y, std::int64_t z, int) { return sample::value(x, y, z, 1); });
    Output output(folder, name, grid, transport, options);
    output.add(velocity);
    output.add(density);
    output.add<std::int32_t>(
        "block", 1, [&](int b, std::int64_t, std::int64_t, std::int64_t, int) { return velocity.number(b); });
    output.write(0, 0.0);
  });
}

const std::vector<heddle::Link> links{{1, {-1, 0, 0}, 2}};

std::vector<std::uint8_t> listed_cells() {
  std::vector<std::uint8_t> flags;
  for (std::int64_t z = 0; z < 5; ++z) {
    for (std::int64_t y = 0; y < 7; ++y) {
      for (std::int64_t x = 0; x < 11; ++x)
        flags.push_back(sample::listed(x, y, z) ? 1 : 0);
    }
  }
  return flags;
}

void write_list(const std::filesystem::path& folder) {
  const std::vector<std::uint8_t> flags = listed_cells();
  const heddle::IndexList list(domain, flags, {false, false, false}, links, heddle::Memory::host,
                               {true, true, true, true, true, true});
  heddle::SparseField<double> field(list, 2, heddle::Memory::host, "sparse");
  field.fill(sample::value);
  Output output(folder, "list", BlockGrid(domain), options);
  output.add(field);
  output.write(3, 1.5);
}

/// The same from ranks with several blocks each.
void write_merged_lists(const std::filesystem::path& folder) {
  const std::vector<std::uint8_t> flags = listed_cells();
  heddle::ThreadGroup network(3);
  network.run([&](heddle::Transport& transport) {
    const BlockGrid grid(domain, {2, 3, 2}, {false, false, false}, 3);
    const heddle::IndexList list(grid, transport.rank(), heddle::flags_in_memory(flags, domain, {}), links);
    heddle::SparseField<double> field(list, 2, heddle::Memory::host, "sparse");
    field.fill(sample::value);
    Output output(folder, "merged", grid, transport, options);
    output.add(field);
    output.write(3, 1.5);
  });
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: write_sample FOLDER\n", stderr);
    return 2;
  }
  try {
    write_fields(arguments[1], "one", {1, 1, 1});
    write_fields(arguments[1], "many", {2, 3, 2});
    write_shared(arguments[1], "shared", false);
    write_shared(arguments[1], "holes", true);
    write_list(arguments[1]);
    write_merged_lists(arguments[1]);
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
