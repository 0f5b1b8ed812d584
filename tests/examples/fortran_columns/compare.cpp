// SPDX-License-Identifier: Apache-2.0
// The model of examples/fortran_columns once more, with the C++ wrappers of the kernels, the whole domain at
// once and height as the fastest axis: reads the state before from a file of the Fortran program, computes,
// and compares every bit with the state after.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "wrf_columns.hpp"

namespace {

constexpr int ghosts = 4;

struct Cells {
  std::int64_t nx, ny, nz;
  std::int64_t step[3]; // of x, y, z

  explicit Cells(const std::int32_t* n) : nx(n[0]), ny(n[1]), nz(n[2]), step{} {
    step[2] = 1;
    step[1] = nz + 2 * ghosts;
    step[0] = step[1] * (ny + 2 * ghosts);
  }
  std::int64_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (x + ghosts) * step[0] + (y + ghosts) * step[1] + z + ghosts;
  }
  std::size_t size() const { return static_cast<std::size_t>(step[0] * (nx + 2 * ghosts)); }
};

/// A field or a plane; what wrappers ask of a view.
struct View {
  float* first;
  std::int64_t extents[3], strides[3];
  float* data() const { return first; }
  std::int64_t extent(std::size_t d) const { return extents[d]; }
  std::int64_t stride(std::size_t d) const { return strides[d]; }
};

class Field {
public:
  Field(const Cells& cells, float value) : cells_(cells), values_(cells.size(), value) {}
  float& operator()(std::int64_t x, std::int64_t y, std::int64_t z) {
    return values_[static_cast<std::size_t>(cells_.at(x, y, z))];
  }
  View view() {
    return {&(*this)(0, 0, 0), {cells_.nx, cells_.ny, cells_.nz}, {cells_.step[0], cells_.step[1], 1}};
  }
  View plane() { return {&(*this)(0, 0, 0), {cells_.nx, cells_.ny, 0}, {cells_.step[0], cells_.step[1], 0}}; }
  void periodic() {
    for (std::int64_t x = 0; x < ghosts; ++x)
      for (std::int64_t y = -ghosts; y < cells_.ny + ghosts; ++y)
        for (std::int64_t z = -ghosts; z < cells_.nz + ghosts; ++z) {
          (*this)(cells_.nx + x, y, z) = (*this)(x, y, z);
          (*this)(-1 - x, y, z) = (*this)(cells_.nx - 1 - x, y, z);
        }
  }

private:
  Cells cells_;
  std::vector<float> values_;
};

class File {
public:
  explicit File(const char* path) : stream_(path, std::ios::binary) { read(head, sizeof head); }
  std::int32_t head[5] = {}; // nx, ny, nz, layers, steps
  /// An array (ims:ime, kms:kme, jms:jme), or a plane of it.
  Field field(const Cells& cells, bool plane = false) {
    const std::int64_t layers = head[3], levels = plane ? 1 : cells.nz + 1, row = cells.nx + 2 * layers;
    std::vector<float> values(static_cast<std::size_t>(row * levels * (cells.ny + 2 * layers)));
    read(values.data(), values.size() * sizeof(float));
    Field result(cells, 0);
    std::size_t number = 0;
    for (std::int64_t y = -layers; y < cells.ny + layers; ++y)
      for (std::int64_t z = 0; z < levels; ++z)
        for (std::int64_t x = -layers; x < cells.nx + layers; ++x)
          result(x, y, z) = values[number++];
    return result;
  }
  void read(void* to, std::size_t bytes) {
    if (!stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      throw std::runtime_error("the file of fortran_columns is too short");
  }

private:
  std::ifstream stream_;
};

/// One value for each cell along an axis, and one before and behind.
std::vector<float> profile(std::int64_t cells, float value) {
  return std::vector<float>(static_cast<std::size_t>(cells + 2), value);
}

/// Orders of the lower faces of cells -1 to n between closed ends.
std::vector<float> orders(std::int64_t cells, float order) {
  std::vector<float> result = profile(cells, order);
  const auto n = static_cast<std::size_t>(cells);
  result[0] = result[1] = result[n + 1] = 0;
  result[2] = result[n] = 2;
  result[3] = result[n - 1] = 3;
  return result;
}

std::int64_t differing(Field& a, Field& b, const Cells& cells, std::int64_t levels) {
  std::int64_t count = 0;
  for (std::int64_t x = 0; x < cells.nx; ++x)
    for (std::int64_t y = 0; y < cells.ny; ++y)
      for (std::int64_t z = 0; z < levels; ++z)
        count += a(x, y, z) != b(x, y, z);
  return count;
}

std::int64_t run(const char* path) {
  File file(path);
  const Cells cells(file.head);
  std::vector<Field> state, flow, moved;
  for (int n = 0; n < 9; ++n)
    state.push_back(file.field(cells)); // th q qci qrs w den pii p delz
  for (int n = 0; n < 3; ++n)
    flow.push_back(file.field(cells));
  std::vector<float> rdzw(static_cast<std::size_t>(cells.nz + 1));
  file.read(rdzw.data(), rdzw.size() * sizeof(float));
  float numbers[3]; // dx, dt, mass
  file.read(numbers, sizeof numbers);
  const float per_dx = 1 / numbers[0], dt = numbers[1], mass = numbers[2];

  Field keep(cells, 1), tendency(cells, 0), planes(cells, mass), one(cells, 1), rain(cells, 0),
      snow(cells, 0), sr(cells, 0), fell(cells, 0), frozen(cells, 0);
  std::vector<Field> scratch(4, Field(cells, 0));
  const auto c1 = profile(cells.nz, 1), c2 = profile(cells.nz, 0), half = profile(cells.nz, 0.5F),
             thickness = profile(cells.nz, rdzw[0]), order_x = profile(cells.nx, 5);
  const auto order_y = orders(cells.ny, 5), order_z = orders(cells.nz, 3);
  for (std::int32_t step = 0; step < file.head[4]; ++step) {
    for (std::size_t tracer = 1; tracer < 4; ++tracer) {
      Field& q = state[tracer];
      q.periodic();
      Field old = q;
      for (int stage = 3; stage > 0; --stage) {
        const float part = dt / static_cast<float>(stage);
        tendency = Field(cells, 0);
        wrf_columns::scale(flow[0].view(), flow[1].view(), flow[2].view(), planes.plane(), planes.plane(),
                           one.plane(), q.view(), old.view(), keep.view(), &c1[1], &c2[1], &thickness[1],
                           &half[1], &half[1], &order_x[1], &order_y[1], &order_z[1], part, per_dx, per_dx);
        keep.periodic();
        wrf_columns::limited_tendency(flow[0].view(), flow[1].view(), flow[2].view(), planes.plane(),
                                      one.plane(), q.view(), old.view(), keep.view(), tendency.view(), &c1[1],
                                      &c2[1], &thickness[1], &half[1], &half[1], &order_x[1], &order_y[1],
                                      &order_z[1], part, per_dx, per_dx);
        for (std::int64_t x = 0; x < cells.nx; ++x)
          for (std::int64_t y = 0; y < cells.ny; ++y)
            for (std::int64_t z = 0; z < cells.nz; ++z)
              q(x, y, z) = (mass * old(x, y, z) + part * tendency(x, y, z)) / mass;
        q.periodic();
      }
    }
    fell = Field(cells, 0);
    frozen = Field(cells, 0);
    wrf_columns::wsm3(state[0].view(), state[1].view(), state[2].view(), state[3].view(), state[4].view(),
                      state[5].view(), state[6].view(), state[7].view(), state[8].view(), scratch[0].view(),
                      scratch[1].view(), scratch[2].view(), scratch[3].view(), fell.plane(), frozen.plane(),
                      sr.plane(), dt);
    for (std::int64_t x = 0; x < cells.nx; ++x)
      for (std::int64_t y = 0; y < cells.ny; ++y) {
        rain(x, y, 0) += fell(x, y, 0);
        snow(x, y, 0) += frozen(x, y, 0);
      }
  }
  std::int64_t wrong = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    Field after = file.field(cells);
    wrong += differing(state[n], after, cells, cells.nz);
  }
  Field after_rain = file.field(cells, true), after_snow = file.field(cells, true);
  return wrong + differing(rain, after_rain, cells, 1) + differing(snow, after_snow, cells, 1);
}

} // namespace

int main(int argc, char** argv) {
  try {
    const std::int64_t wrong = argc > 1 ? run(argv[1]) : -1;
    std::printf("%lld differing values\n", static_cast<long long>(wrong));
    return wrong != 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
