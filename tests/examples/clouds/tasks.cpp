// SPDX-License-Identifier: Apache-2.0
// What ghost cells hold already is not brought again, and what has changed is.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../support/packing.hpp"
#include "clock.hpp"
#include "heddle/transport/transport.hpp"

namespace clouds {
namespace {

/// What a kernel that reads `layers` cells to all sides asks for.
struct Reader {
  heddle::Field<double>* field;
  std::vector<heddle::HaloRegion> regions;
  Reader(heddle::Field<double>& of, int layers)
      : field(&of), regions(heddle::ghost_shell(1, {layers, layers, 0})) {}
  [[nodiscard]] heddle::DenseExchange before() const {
    return packing::exchange(*field, regions, heddle::Direction::owner_to_ghost);
  }
};

/// Sets a field, and says that it changes another one, or that one.
struct Setter {
  heddle::Field<double>* field;
  const heddle::Field<double>* declared;
  double value;
  [[nodiscard]] static std::string_view name() { return "setter"; }
  [[nodiscard]] std::vector<heddle::FieldAccess> accesses() const {
    return {{field, "set", heddle::AccessMode::read}, {declared, "declared", heddle::AccessMode::write}};
  }
  void operator()(heddle::Stream&) const {
    field->fill([&](auto, auto, auto, int) { return value; });
  }
};

TEST(Tasks, LeaveOutWhatGhostCellsHold) {
  heddle::LocalTransport alone;
  const heddle::BlockGrid grid({{0, 0, 0}, {8, 8, 4}}, {1, 1, 1}, {true, true, false});
  heddle::Field<double> field(grid, {.ghost_layers = reach, .name = "field"});
  heddle::Field<double> other(grid, {.ghost_layers = reach, .name = "other"});
  const Reader near(field, 1), far(field, reach);
  // Ghost cells at a distance of 1 and 3 after a graph that begins with the field at 1.
  const auto after = [&](const auto& add) {
    field.fill_ghosts(0);
    Tasks tasks({.name = "test"}, alone, true);
    tasks.put(Setter{&field, &field, 1});
    add(tasks);
    tasks.run(1);
    return std::array{field.view(0)(-1, 2, 2), field.view(0)(2, -3, 2)};
  };
  using Ghosts = std::array<double, 2>;
  const auto change = [&](Tasks& tasks, double value) { tasks.put(Setter{&field, &field, value}); };
  const auto change_unsaid = [&](Tasks& tasks, double value) { tasks.put(Setter{&field, &other, value}); };

  EXPECT_EQ(after([&](Tasks& t) { t.exchange_for(near); }), (Ghosts{1, 0}));
  EXPECT_EQ(after([&](Tasks& t) { // known: not brought again
              t.exchange_for(far);
              change_unsaid(t, 2);
              t.exchange_for(near);
            }),
            (Ghosts{1, 1}));
  EXPECT_EQ(after([&](Tasks& t) { // the second one reaches further
              t.exchange_for(near);
              change_unsaid(t, 2);
              t.exchange_for(far);
            }),
            (Ghosts{2, 2}));
  EXPECT_EQ(after([&](Tasks& t) { // changed: brought again
              t.exchange_for(far);
              change(t, 2);
              t.exchange_for(near);
            }),
            (Ghosts{2, 1}));
  EXPECT_EQ(after([&](Tasks& t) { // a task has filled them
              t.filled_beside(&field);
              change_unsaid(t, 2);
              t.exchange_for(far);
            }),
            (Ghosts{0, 0}));
}

} // namespace
} // namespace clouds
