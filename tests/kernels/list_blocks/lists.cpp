// SPDX-License-Identifier: Apache-2.0
#include "lists.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "esoteric_lists.hpp"
#include "heddle/transport/peer_group.hpp"
#include "heddle/transport/ranks.hpp"
#include "list_blocks_eso_pull_sweeps.hpp"
#include "list_blocks_narrow_sweeps.hpp"
#include "list_blocks_pull_sweeps.hpp"
#include "list_blocks_push_sweeps.hpp"
#include "list_blocks_sweeps.hpp"
#include "list_blocks_twist_sweeps.hpp"
#include "plain_patterns.hpp"

namespace lists {

namespace {

template <class T> void add_methods(std::vector<Method>& all, const std::string& type) {
  namespace aa = list_blocks;
  namespace pull = list_blocks_pull;
  namespace push = list_blocks_push;
  namespace twist = list_blocks_twist;
  namespace eso = list_blocks_eso_pull;
  using test::eso_pull_shift;
  using test::twist_shift;
  all.push_back(method<InPlace<T, aa::StepEven<T>, aa::StepOdd<T>>>("AA " + type, aa::links));
  all.push_back(method<TwoArrays<T, pull::Step<T>>>("pull " + type, pull::links));
  all.push_back(method<TwoArrays<T, push::Step<T>>>("push " + type, push::links));
  all.push_back(esoteric<T, twist::FullEven<T>, twist::FullOdd<T>>("EsoTwist full-way " + type, twist::links,
                                                                   twist_shift));
  all.push_back(esoteric<T, twist::HalfEven<T>, twist::HalfOdd<T>>("EsoTwist half-way " + type, twist::links,
                                                                   twist_shift));
  all.push_back(
      esoteric<T, eso::FullEven<T>, eso::FullOdd<T>>("EsoPull full-way " + type, eso::links, eso_pull_shift));
  all.push_back(
      esoteric<T, eso::HalfEven<T>, eso::HalfOdd<T>>("EsoPull half-way " + type, eso::links, eso_pull_shift));
}

} // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> found;
    add_methods<double>(found, "f64");
    add_methods<float>(found, "f32");
    add_methods<std::uint16_t>(found, "f16");
    return found;
  }();
  return all;
}

const Method& method_named(std::string_view name) {
  return *std::ranges::find(methods(), name, &Method::name);
}

Method narrow() {
  namespace model = list_blocks_narrow;
  return esoteric<double, model::StepEven<double>, model::StepOdd<double>>("narrow", model::links,
                                                                           test::twist_shift);
}

std::vector<double> alone(const Method& method, const Medium& medium) {
  heddle::LocalTransport local;
  const std::unique_ptr<Rank> rank = method.make(medium.whole(method.links), local);
  run(*rank, pairs, {}, false);
  return rank->values();
}

std::int64_t differences(const std::vector<double>& expected, const std::vector<double>& found,
                         const heddle::BlockGrid& grid, int rank) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) return -1;
    const auto cell = static_cast<std::int64_t>(i);
    const std::array<std::int64_t, 3> at{cell % extent[0] - 2, cell / extent[0] % extent[1],
                                         cell / extent[0] / extent[1] % extent[2] + 3};
    const int block = grid.owner(at);
    if (block >= 0 && grid.rank(block) == rank && found[i] != expected[i]) ++count;
  }
  return count;
}

std::int64_t differences(const Method& method, const Medium& medium, const std::vector<double>& expected,
                         const std::array<int, 3>& blocks, heddle::Transport& transport, const How& how,
                         heddle::Memory memory) {
  const std::unique_ptr<Rank> rank =
      method.make(medium.part(blocks, transport, method.links, memory), transport);
  run(*rank, pairs, how.options, how.poisoned);
  return differences(expected, rank->values(),
                     heddle::BlockGrid(domain, blocks, medium.periodic, transport.ranks()), transport.rank());
}

Medium with_an_empty_corner(const std::array<bool, 3>& periodic, const std::array<bool, 6>& slips) {
  Medium medium(0.3, periodic, slips);
  for (std::size_t i = 0; i < medium.flags.size(); ++i) {
    const std::size_t x = i % 12;
    const std::size_t y = i / 12 % 9;
    const std::size_t z = i / 108;
    if (x < 6 && y < 6 && z >= 4) medium.flags[i] = 0;
  }
  return medium;
}

heddle::BlockGrid balanced(const Medium& medium, const std::array<int, 3>& blocks, int ranks) {
  const heddle::BlockChoice choice =
      heddle::choose_blocks(domain, blocks, heddle::flags_in_memory(medium.flags, domain, medium.periodic));
  return heddle::BlockGrid::balanced(domain, blocks, medium.periodic, ranks, choice.cells);
}

std::int64_t differences(const Method& method, const Medium& medium, const std::vector<double>& expected,
                         const Peers& run) {
  const heddle::Memory memory = run.options.memory;
  std::optional<heddle::PeerGroup> group; // one device is no group
  if (run.ranks > 1) group.emplace(run.ranks, heddle::PeerOptions{memory, run.stores});
  heddle::Ranks ranks = group ? heddle::Ranks(*group) : heddle::Ranks();
  heddle::TaskGraph loop(run.options);
  heddle::TaskGraph last({.memory = memory});
  std::vector<std::unique_ptr<Rank>> parts;
  ranks.each([&](heddle::Transport& transport) {
    parts.push_back(method.make(medium.part(run.blocks, transport, method.links, memory), transport));
    parts.back()->add_to(loop, false);
    parts.back()->add_last(last);
  });
  loop.run(pairs);
  last.run(1);
  const heddle::BlockGrid grid(domain, run.blocks, medium.periodic, run.ranks);
  std::int64_t count = 0;
  for (int rank = 0; rank < run.ranks; ++rank)
    count += differences(expected, parts[static_cast<std::size_t>(rank)]->values(), grid, rank);
  return count;
}

} // namespace lists
