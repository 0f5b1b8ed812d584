// SPDX-License-Identifier: Apache-2.0
// Under mpirun: projections whose levels lie on the ranks give the velocity of one rank, around topography
// with as many iterations.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "city.hpp"
#include "heddle/mpi/transport.hpp"
#include "heddle/projection/masked_projection.hpp"
#include "heddle/projection/slab_projection.hpp"
#include "slabs.hpp"

namespace {

using heddle::SideKind;
using heddle::SlabMethod;
using heddle::StaggeredGrid;
using test::Flow;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// What this rank found wrong.
class Verdict {
public:
  explicit Verdict(int rank) : rank_(rank) {}
  void check(const std::string& what, double value, double bound) {
    if (rank_ == 0) std::cout << what << ": " << value << '\n';
    if (value <= bound) return;
    std::cerr << "rank " << rank_ << ", " << what << ": " << value << " > " << bound << '\n';
    status_ = 1;
  }
  [[nodiscard]] int status() const { return status_; }

private:
  int rank_;
  int status_ = 0;
};

/// Levels first <= k < last of what one rank makes of the noise with `project`.
template <class Project>
std::vector<double> part_of_one_rank(const StaggeredGrid& grid, std::int64_t first, std::int64_t last,
                                     Project&& project) {
  Flow<double> flow = test::slab_of_noise<double>(grid, 0, grid.cells[2]);
  project(flow);
  const std::int64_t level = grid.cells[0] * grid.cells[1];
  std::vector<double> part;
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<double> values = flow[axis].read();
    part.insert(part.end(), values.begin() + first * level, values.begin() + last * level);
  }
  return part;
}

void boxes(heddle::Transport& transport, Verdict& verdict) {
  StaggeredGrid walls =
      test::make_grid({16, 12, 13}, {SideKind::periodic, SideKind::no_slip, SideKind::no_slip},
                      {SideKind::periodic, SideKind::no_slip, SideKind::open});
  test::stretch(walls);
  walls.upper[2].pressure = 0.5;
  const StaggeredGrid round = test::make_grid({12, 10, 13}, {}, {});
  heddle::LocalTransport alone;
  for (const auto& [name, grid] : {std::pair{"walls", walls}, std::pair{"periodic", round}}) {
    for (const SlabMethod method : {SlabMethod::transposed, SlabMethod::partitioned}) {
      heddle::SlabProjection<double> projection(grid, transport, heddle::Memory::host, method);
      Flow<double> flow =
          test::slab_of_noise<double>(grid, projection.first_level(), projection.last_level());
      projection(flow.velocity(), 0.1);
      const auto one =
          part_of_one_rank(grid, projection.first_level(), projection.last_level(), [&](Flow<double>& whole) {
            heddle::SlabProjection<double>(grid, alone)(whole.velocity(), 0.1);
          });
      const bool exact = method == SlabMethod::transposed;
      verdict.check(std::string(name) + (exact ? ", transposed" : ", partitioned") + ": velocities differ by",
                    test::largest_difference(test::values_of(flow), one), exact ? 0 : 60 * epsilon);
    }
  }
}

void city(heddle::Transport& transport, Verdict& verdict) {
  const StaggeredGrid grid =
      test::make_grid({24, 16, 16}, {SideKind::periodic, SideKind::periodic, SideKind::no_slip},
                      {SideKind::periodic, SideKind::periodic, SideKind::no_slip});
  const std::vector<std::uint8_t> solid = test::City{4, 2, 9}.solid(grid.cells);
  const heddle::MaskedOptions options{.tolerance = 1e-12};
  heddle::MaskedProjection<double> projection(grid, solid, transport, heddle::Memory::host, options);
  Flow<double> flow = test::slab_of_noise<double>(grid, projection.first_level(), projection.last_level());
  const heddle::Solution solution = projection(flow.velocity(), 0.5);
  heddle::Solution alone;
  const auto one =
      part_of_one_rank(grid, projection.first_level(), projection.last_level(), [&](Flow<double>& whole) {
        alone = heddle::MaskedProjection<double>(grid, solid, heddle::Memory::host, options)(whole.velocity(),
                                                                                             0.5);
      });
  verdict.check("city: velocities differ by", test::largest_difference(test::values_of(flow), one), 1e-11);
  verdict.check("city: iterations differ by", std::abs(static_cast<double>(solution.cycles - alone.cycles)),
                0);
  verdict.check("city: largest divergence left", projection.norms(flow.velocity()).largest, 1e-10);
}

} // namespace

int main(int argc, char** argv) {
  const heddle::mpi::Session session(argc, argv);
  const heddle::TransportChoice choice =
      heddle::select_transport({heddle::mpi::candidate(), heddle::local_candidate()});
  heddle::Transport& transport = *choice.transport;
  const int expected = argc > 1 ? std::stoi(argv[1]) : transport.ranks();
  if (transport.ranks() != expected) {
    std::cerr << transport.ranks() << " ranks, not " << expected << '\n';
    return 1;
  }
  Verdict verdict(transport.rank());
  boxes(transport, verdict);
  city(transport, verdict);
  return verdict.status();
}
