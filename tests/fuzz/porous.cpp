// SPDX-License-Identifier: Apache-2.0
// What porous reads: a command line, and voxel images.
#include <cstdint>

#include "heddle/core/size.hpp"
#include "options.hpp"
#include "reader.hpp"
#include "voxels.hpp"

namespace {

void image(const char* name, fuzz::Bytes bytes) {
  porous::Voxels voxels = porous::read_image(fuzz::write(name, bytes), {.array = {}, .size = {4, 3, 2}});
  fuzz::require(heddle::checked_product(voxels.extent) == static_cast<std::int64_t>(voxels.pore.size()),
                "an image has all its voxels");
  (void)porous::close_dead_ends(voxels, 2);
  const porous::Voxels longer = porous::in_a_duct(voxels, 0, 2);
  fuzz::require(longer.extent[0] == voxels.extent[0] + 4, "open layers at both ends");
}

const fuzz::Reader raw("raw", [](fuzz::Bytes bytes) { image("a.raw", bytes); });
const fuzz::Reader vtk("vtk", [](fuzz::Bytes bytes) { image("a.vtk", bytes); });
const fuzz::Reader vti("vti", [](fuzz::Bytes bytes) { image("a.vti", bytes); });
const fuzz::Reader npz("image_npz", [](fuzz::Bytes bytes) { image("a.npz", bytes); });

const fuzz::Reader command_line("porous_options", [](fuzz::Bytes bytes) {
  const fuzz::CommandLine line("porous", bytes);
  const auto options = porous::parse_options(line.count(), line.arguments());
  fuzz::require(!options || options->layers >= 0, "layers are counted");
});

} // namespace
