// SPDX-License-Identifier: Apache-2.0
// Every ghost cell that a stencil reads is filled, and no other; the pack kernels of all targets agree.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "../../support/device_memory.hpp"
#include "halo_sweeps.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/halo_exchange.hpp"

namespace {

const heddle::BlockGrid grid(heddle::Box{{0, 0, 0}, {11, 9, 10}}, {2, 2, 2}, {true, true, true});

/// A bit pattern for each value, the same whether T is a number or the bits of a half: small whole numbers.
template <class T> T number(std::int64_t x, std::int64_t y, std::int64_t z, int c) {
  const auto value = static_cast<int>((x + 11 * y + 99 * z + 990 * c) % 1009);
  return static_cast<T>(value);
}

template <class T> struct Fields {
  heddle::Field<T> u{grid, {.components = 2, .ghost_layers = 2, .memory = test::device_memory, .name = "u"}};
  heddle::Field<T> v{grid, {.ghost_layers = 2, .memory = test::device_memory, .name = "v"}};
  heddle::Field<T> w{grid, {.ghost_layers = 2, .memory = test::device_memory, .name = "w"}};

  Fields() {
    for (heddle::Field<T>* field : {&u, &v}) {
      field->fill(static_cast<T>(1010));
      field->fill([](auto x, auto y, auto z, int c) { return number<T>(x, y, z, c); });
    }
  }
};

/// Whether a kernel reads the cell (x, y, z), counted from the first interior one, of a component.
using Offsets = std::vector<std::array<std::int64_t, 3>>;

bool read(const Offsets& offsets, const std::array<std::int64_t, 4>& extent, std::int64_t x, std::int64_t y,
          std::int64_t z) {
  for (const auto& [dx, dy, dz] : offsets) {
    if (x >= dx && x < extent[0] + dx && y >= dy && y < extent[1] + dy && z >= dz && z < extent[2] + dz)
      return true;
  }
  return false;
}

/// Ghost cells at the offsets hold what their owners do, all others what they held.
template <class T> void expect_filled(const heddle::Field<T>& field, int component, const Offsets& offsets) {
  for (int b = 0; b < field.blocks(); ++b) {
    const std::array<std::int64_t, 3>& lower = field.box(b).lower;
    field.inspect(b, [&](heddle::FieldView<const T> view) {
      for (std::int64_t z = -2; z < view.extent(2) + 2; ++z) {
        for (std::int64_t y = -2; y < view.extent(1) + 2; ++y) {
          for (std::int64_t x = -2; x < view.extent(0) + 2; ++x) {
            const bool interior = read({{0, 0, 0}}, view.extents(), x, y, z);
            const T owner = number<T>((x + lower[0] + 11) % 11, (y + lower[1] + 9) % 9,
                                      (z + lower[2] + 10) % 10, component);
            const bool filled = interior || read(offsets, view.extents(), x, y, z);
            ASSERT_EQ(view(x, y, z, component), filled ? owner : static_cast<T>(1010))
                << field.name() << " " << x << " " << y << " " << z;
          }
        }
      }
    });
  }
}

template <class T> void expect_mixed(const Fields<T>& fields) {
  expect_filled(fields.u, 0, {{1, 1, 0}, {1, 0, 1}});
  expect_filled(fields.u, 1, {{-2, 0, 0}, {0, -1, -1}});
  expect_filled(fields.v, 0, {{0, 2, 0}, {1, 1, 1}});
}

template <class T> class Halo : public testing::Test {};
using Precisions = testing::Types<double, float, std::uint16_t>;
TYPED_TEST_SUITE(Halo, Precisions);

TYPED_TEST(Halo, FillsWhatIsReadAndNothingElse) {
  for (const bool together :
       {false, true}) { // on a host; the blocks of a device are packed together in any case
    Fields<TypeParam> fields;
    heddle::HaloExchange exchange(halo::Mix<TypeParam>(fields.u, fields.v, fields.w).before(),
                                  {.as_on_device = together});
    heddle::Stream stream(test::device_memory);
    exchange(stream);
    stream.synchronise();
    expect_mixed(fields);
    EXPECT_EQ(exchange.memory(), test::device_memory);
  }
}

TEST(Narrow, RoundsInMessages) {
  heddle::Field<double> v(grid, {.ghost_layers = 2, .memory = test::device_memory});
  heddle::Field<double> w(grid, {.ghost_layers = 2, .memory = test::device_memory});
  v.fill(1.0 + 0x1p-30);
  heddle::HaloExchange exchange(halo::Smooth<double>(v, w).before());
  heddle::Stream stream(test::device_memory);
  exchange(stream);
  stream.synchronise();
  v.inspect(0, [](heddle::FieldView<const double> view) {
    EXPECT_EQ(view(-1, 0, 0), 1.0);
    EXPECT_EQ(view(view.extent(0), 0, 0), 1.0);
    EXPECT_EQ(view(0, 0, 0), 1.0 + 0x1p-30);
    EXPECT_EQ(view(0, -1, 0), 1.0 + 0x1p-30);
  });
  const std::size_t values = 4 * 9 * 10; // two blocks along x, two faces each
  EXPECT_EQ(exchange.local_bytes(), values * 2);
}

#ifndef HEDDLE_ON_DEVICE
TYPED_TEST(Halo, TheCudaTextDoesTheSame) {
  using T = TypeParam;
  Fields<T> fields;
  heddle::DenseExchange exchange = halo::Mix<T>(fields.u, fields.v, fields.w).before();
  exchange.pack = [&](int block, const heddle::MessageBoxes& boxes, void* buffer, heddle::Stream&) {
    halo::halo_pack_cuda(fields.u.view(block), fields.v.view(block), boxes.rows, static_cast<T*>(buffer),
                         boxes.count, boxes.longest, nullptr);
  };
  exchange.unpack = [&](int block, const heddle::MessageBoxes& boxes, const void* buffer, heddle::Stream&) {
    halo::halo_unpack_cuda(fields.u.view(block), fields.v.view(block), boxes.rows,
                           static_cast<const T*>(buffer), boxes.count, boxes.longest, nullptr);
  };
  heddle::HaloExchange halo(std::move(exchange), {.as_on_device = true});
  heddle::Stream stream;
  halo(stream);
  expect_mixed(fields);
}

TEST(Reference, DoesTheSameAndFindsIndicesOutside) {
  Fields<double> fields;
  heddle::DenseExchange exchange = halo::Mix<double>(fields.u, fields.v, fields.w).before();
  const auto call = [&](auto entry, int block, const heddle::MessageBoxes& boxes, auto* buffer) {
    const heddle::FieldView<double> u = fields.u.view(block);
    const heddle::FieldView<double> v = fields.v.view(block);
    return entry(u.data(), u.extents().data(), u.strides().data(), v.data(), v.extents().data(),
                 v.strides().data(), boxes.rows, buffer, boxes.count, boxes.longest);
  };
  exchange.pack = [&](int block, const heddle::MessageBoxes& boxes, void* buffer, heddle::Stream&) {
    EXPECT_EQ(call(halo_halo_pack_f64_reference, block, boxes, static_cast<double*>(buffer)), 0);
  };
  exchange.unpack = [&](int block, const heddle::MessageBoxes& boxes, const void* buffer, heddle::Stream&) {
    EXPECT_EQ(call(halo_halo_unpack_f64_reference, block, boxes, static_cast<const double*>(buffer)), 0);
  };
  heddle::HaloExchange halo(std::move(exchange));
  heddle::Stream stream;
  halo(stream);
  expect_mixed(fields);

  const std::array<std::int32_t, 9> outside{0, 0, -3, 0, 0, 1, 1, 1, 0}; // two ghost layers, and the third
  double value = 0;
  EXPECT_EQ(call(halo_halo_pack_f64_reference, 0, heddle::MessageBoxes{outside.data(), 1, 1}, &value), -5);
  EXPECT_EQ(call(halo_halo_pack_f64, 0, heddle::MessageBoxes{outside.data(), -1, 1}, &value), -2);
  EXPECT_EQ(call(halo_halo_pack_f64, 0, heddle::MessageBoxes{nullptr, 1, 1}, &value), -1);
}
#endif

} // namespace
