// SPDX-License-Identifier: Apache-2.0
// Under mpirun: a projection whose levels lie on the ranks leaves no divergence and gives the velocity of one
// rank.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "flow.hpp"
#include "heddle/mpi/transport.hpp"
#include "heddle/slab_projection.hpp"

namespace {

using heddle::SideKind;
using heddle::SlabMethod;

/// The levels of this rank, projected on the ranks of `transport`; whole: what they are before, on all
/// levels.
std::vector<double> projected(heddle::StaggeredGrid grid, heddle::Transport& transport,
                              test::Flow<double>& whole, SlabMethod method, std::int64_t first,
                              std::int64_t last) {
  heddle::SlabProjection<double> projection(grid, transport, method);
  const auto level = static_cast<std::size_t>(grid.cells[0] * grid.cells[1]);
  const auto below = static_cast<std::size_t>(projection.first_level());
  grid.cells[2] = projection.last_level() - projection.first_level();
  test::Flow<double> flow(grid);
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> values = whole[axis].read();
    flow[axis].write(0, 0,
                     std::span<const double>(values).subspan(
                         below * level, static_cast<std::size_t>(grid.cells[2]) * level));
  }
  projection(flow.velocity(), 0.1);
  std::vector<double> result;
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> values = flow[axis].read();
    const auto from =
        values.begin() + (first - static_cast<std::int64_t>(below)) * static_cast<std::int64_t>(level);
    result.insert(result.end(), from, from + (last - first) * static_cast<std::int64_t>(level));
  }
  return result;
}

} // namespace

int main(int argc, char** argv) {
  const heddle::mpi::Session session(argc, argv);
  const heddle::TransportChoice choice =
      heddle::choose_transport({heddle::mpi::offer(), heddle::local_offer()});
  heddle::Transport& transport = *choice.transport;
  const int expected = argc > 1 ? std::stoi(argv[1]) : transport.ranks();
  if (transport.ranks() != expected) {
    std::cerr << transport.ranks() << " ranks, not " << expected << '\n';
    return 1;
  }
  heddle::StaggeredGrid grid =
      test::make_grid({16, 12, 13}, {SideKind::periodic, SideKind::no_slip, SideKind::no_slip},
                      {SideKind::periodic, SideKind::no_slip, SideKind::open});
  test::stretch(grid);
  test::Flow<double> whole(grid);
  whole.fill_with_noise();
  int status = 0;
  for (const SlabMethod method : {SlabMethod::transposed, SlabMethod::partitioned}) {
    const std::int64_t first = grid.cells[2] * transport.rank() / transport.ranks();
    const std::int64_t last = grid.cells[2] * (transport.rank() + 1) / transport.ranks();
    const std::vector<double> several = projected(grid, transport, whole, method, first, last);
    heddle::LocalTransport alone;
    const std::vector<double> one = projected(grid, alone, whole, SlabMethod::transposed, first, last);
    double most = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
      most = std::max(most, std::abs(one[i] - several[i]));
    const double bound = method == SlabMethod::transposed ? 0 : 60 * std::numeric_limits<double>::epsilon();
    const char* const name = method == SlabMethod::transposed ? "transposed" : "partitioned";
    if (!(most <= bound)) {
      std::cerr << "rank " << transport.rank() << ", " << name << ": velocities differ by " << most << '\n';
      status = 1;
    } else if (transport.rank() == 0) {
      std::cout << name << ": differs by " << most << '\n';
    }
  }
  return status;
}
