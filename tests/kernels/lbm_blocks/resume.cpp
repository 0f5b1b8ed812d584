// SPDX-License-Identifier: Apache-2.0
// AA on blocks under mpirun, with checkpoints, for kill_and_resume.sh:
//   lbm_blocks_resume FOLDER STEPS EVERY            a run of STEPS steps, a checkpoint after each EVERY (both
//   even) lbm_blocks_resume FOLDER STEPS EVERY resume     the same from the newest checkpoint on
//   lbm_blocks_resume FOLDER STEPS EVERY kill|hang|throw RANK STEP   a rank that ends, stops or fails before
//   that step lbm_blocks_resume same FOLDER FOLDER            whether the newest checkpoints hold the same
//   bits
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "blocks.hpp"
#include "heddle/core/error.hpp"
#include "heddle/io/checkpoint.hpp"
#include "heddle/mpi/program.hpp"

namespace {

using Field = blocks::Field<double>;

void misbehave(const std::string& how) {
  if (how == "kill") std::raise(SIGKILL);
  if (how == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  throw heddle::Error("test", "it gives up");
}

void run(const std::vector<std::string>& arguments, heddle::Transport& transport) {
  const std::int64_t steps = std::stoll(arguments[1]);
  const std::int64_t every = std::stoll(arguments[2]);
  const std::string mode = arguments.size() > 3 ? arguments[3] : "";
  const heddle::BlockGrid grid(blocks::domain, {3, 2, 1}, {true, true, true}, transport.ranks());
  Field f = blocks::field<double>(grid, transport.rank());
  test::ExchangedStep even(lbm_blocks::AaEven<double>(f, {.omega = blocks::omega}), transport);
  test::ExchangedStep odd(lbm_blocks::AaOdd<double>(f, {.omega = blocks::omega}), transport);
  heddle::TaskGraph pair;
  even.add_to(pair);
  odd.add_to(pair);

  std::int64_t step = 0;
  heddle::Checkpoint checkpoint(arguments[0], "run", transport);
  checkpoint.add(f);
  checkpoint.add("step", step);
  if (mode == "resume") {
    checkpoint.read();
    if (transport.rank() == 0) std::printf("goes on from step %lld\n", static_cast<long long>(step));
  }
  while (step < steps) {
    if (arguments.size() == 6 && transport.rank() == std::stoi(arguments[4]) &&
        step == std::stoll(arguments[5]))
      misbehave(mode);
    pair.run();
    step += 2;
    if (step % every == 0 || step == steps) checkpoint.write(step);
  }
  if (transport.rank() == 0) std::printf("done at step %lld\n", static_cast<long long>(step));
}

/// What the newest checkpoint holds.
std::vector<double> state(const std::string& folder, std::int64_t& step) {
  Field f = blocks::field<double>(heddle::BlockGrid(blocks::domain, {1, 1, 1}, {true, true, true}), 0);
  heddle::Checkpoint checkpoint(folder, "run");
  checkpoint.add(f);
  checkpoint.add("step", step);
  checkpoint.read();
  return blocks::values(f);
}

int compare(const std::vector<std::string>& arguments) {
  std::int64_t step_a = 0;
  std::int64_t step_b = 0;
  const std::vector<double> a = state(arguments[1], step_a);
  const std::vector<double> b = state(arguments[2], step_b);
  const bool same = step_a == step_b && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
  std::printf("steps %lld and %lld: %s\n", static_cast<long long>(step_a), static_cast<long long>(step_b),
              same ? "the same bits" : "other bits");
  return same ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  return heddle::mpi::run(argc, argv, [&](heddle::Transport& transport) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 3) throw heddle::Error("lbm_blocks_resume", "too few arguments", "see resume.cpp");
    if (arguments[0] == "same") return compare(arguments);
    run(arguments, transport);
    return 0;
  });
}
