// SPDX-License-Identifier: Apache-2.0
// Wind over real terrain. The kernels are generated from model.py; see README.md.
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "domain.hpp"
#include "flow.hpp"
#include "heddle/environment.hpp"
#include "heddle/error.hpp"
#include "heddle/output.hpp"
#include "heddle/output_folder.hpp"
#include "heddle/progress.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "roofline.hpp"
#include "solver.hpp"
#include "units.hpp"

namespace terrain_wind {
namespace {

constexpr double spin_up = 0.5;             // of the time, before the mean begins
constexpr std::int64_t steps_a_sample = 20; // even
constexpr double passage_height = 300;      // its wind defines one passage of the air, m

class Clock {
public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::int64_t count_steps(const Options& options, const Domain& domain, const LogProfile& wind,
                         const Units& units) {
  const double passage = static_cast<double>(domain.nx) * domain.cell / wind(passage_height);
  const double steps = options.steps ? static_cast<double>(*options.steps)
                                     : std::ceil(options.duration.value_or(passage) / units.step);
  return 2 * static_cast<std::int64_t>(std::ceil(steps / 2));
}

/// The field on the whole box, metres a second; cells in the ground hold 0.
std::array<std::vector<float>, 3> on_the_box(const heddle::SparseField<float>& velocity, const Domain& domain,
                                             const Units& units) {
  std::array<std::vector<float>, 3> box;
  const auto speed = static_cast<float>(units.speed());
  velocity.inspect([&](heddle::SparseView<const float> u) {
    for (int c = 0; c < 3; ++c) {
      std::vector<float>& component = box[static_cast<std::size_t>(c)];
      component.assign(domain.fluid.size(), 0);
      for (std::int64_t k = 0; k < domain.nz; ++k)
        for (std::int64_t j = 0; j < domain.ny; ++j)
          velocity.list().for_row(j, k, [&](std::int64_t n, std::int64_t i) {
            component[domain.index(i, j, k)] = speed * u(n, c);
          });
    }
  });
  return box;
}

/// Volume flow of the mean wind in at the inlet, and out at outlet and top, m^3/s.
struct Balance {
  double in = 0;
  double outlet = 0;
  double top = 0;
};

Balance balance(const std::array<std::vector<float>, 3>& velocity, const Domain& domain) {
  Balance sums;
  const double area = domain.cell * domain.cell;
  for (std::int64_t j = 0; j < domain.ny; ++j) {
    for (std::int64_t k = 0; k < domain.nz; ++k) {
      sums.in += area * static_cast<double>(velocity[0][domain.index(0, j, k)]);
      sums.outlet += area * static_cast<double>(velocity[0][domain.index(domain.nx - 1, j, k)]);
    }
    for (std::int64_t i = 1; i + 1 < domain.nx; ++i)
      sums.top += area * static_cast<double>(velocity[2][domain.index(i, j, domain.nz - 1)]);
  }
  return sums;
}

void require_stable(const Solver& solver, const Units& units, std::int64_t step) {
  const double highest = solver.highest_speed();
  if (highest < broken_speed) return;
  throw heddle::Error(
      "step " + std::to_string(step),
      std::isfinite(highest)
          ? "the flow became unstable: " + std::to_string(std::lround(highest * units.speed())) + " m/s"
          : "the flow became unstable: values that are not finite",
      "choose a shorter --time-step than " + std::to_string(units.step) + " s, or a larger --height");
}

std::string compass(double degrees) {
  static const std::array<const char*, 8> names{"north", "north-east", "east", "south-east",
                                                "south", "south-west", "west", "north-west"};
  const double turns = degrees / 360 - std::floor(degrees / 360);
  return names[static_cast<std::size_t>(std::lround(turns * 8)) % 8];
}

/// The checkpoints of a run, and what must be the same in the run that goes on from one.
class Saves {
public:
  Saves(const Options& options, const Units& units, std::int64_t steps, Solver& solver)
      : checkpoint_(options.out / "checkpoint", "wind"), every_(options.checkpoint_every),
        run_{options.wind, options.reference, options.roughness, units.step, static_cast<double>(steps)} {
    solver.add_to(checkpoint_);
    checkpoint_.add("step", step_);
    checkpoint_.add("frame", frame_);
    for (std::size_t i = 0; i < run_.size(); ++i)
      checkpoint_.add(names[i], run_[i]);
    if (!options.resume && every_ > 0 && !checkpoint_.steps().empty()) {
      throw heddle::Error("folder '" + (options.out / "checkpoint").string() + "'",
                          "it has checkpoints of another run",
                          "go on from it with --resume last, choose another --out, or remove them");
    }
  }

  /// Reads a checkpoint: the step and the number of frames that were written until then.
  void read(std::int64_t wanted, std::int64_t& step, std::int64_t& frame) {
    const std::array<double, 5> ours = run_;
    if (wanted < 0) {
      checkpoint_.read();
    } else {
      checkpoint_.read(wanted);
    }
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (run_[i] != ours[i])
        throw heddle::Error("--resume",
                            "the checkpoint has the " + std::string(names[i]) + " " +
                                std::to_string(run_[i]) + ", this run " + std::to_string(ours[i]),
                            "give the options of the run that wrote it");
    }
    step = step_;
    frame = frame_;
  }

  /// Writes one when it is time for it.
  void update(std::int64_t step, std::int64_t frame) {
    if (every_ == 0 || step / every_ == step_ / every_) return;
    step_ = step;
    frame_ = frame;
    checkpoint_.write(step);
  }

private:
  static constexpr std::array<const char*, 5> names{"wind", "reference", "roughness", "time step", "steps"};

  heddle::Checkpoint checkpoint_;
  std::int64_t every_;
  std::array<double, 5> run_;
  std::int64_t step_ = 0; // of the last checkpoint
  std::int64_t frame_ = 0;
};

void run(const Options& options) {
  const Clock clock;
  heddle::Environment environment({.threads = options.threads.value_or(0)});
  const Domain domain = make_domain(options);
  const LogProfile wind(options.wind, options.reference, options.roughness);
  const double fastest = wind(domain.top() - domain.base);
  const Units units = choose_units(domain.cell, fastest, options.time_step.value_or(0));
  const std::int64_t steps = count_steps(options, domain, wind, units);
  const std::int64_t cells = domain.fluid_cells();

  constexpr double bytes_per_cell = 3 * sizeof(float) + 1;
  heddle::OutputFolder results(options.out,
                               static_cast<double>((options.frames + 1) * domain.nx * domain.ny * domain.nz) *
                                   bytes_per_cell);

  std::printf("terrain   %s\n", domain.title.c_str());
  std::printf("domain    %lld x %lld x %lld cells of %g m, %.2f million of air, height %.0f to %.0f m\n",
              static_cast<long long>(domain.nx), static_cast<long long>(domain.ny),
              static_cast<long long>(domain.nz), domain.cell, static_cast<double>(cells) / 1e6, domain.bottom,
              domain.top());
  std::printf("wind      %s, %g m/s at %g m, %.1f m/s aloft\n", compass(options.direction).c_str(),
              options.wind, options.reference, fastest);
  std::printf("time      %lld steps of %.4g s: %.0f s\n", static_cast<long long>(steps), units.step,
              static_cast<double>(steps) * units.step);
  std::fputs(environment.describe().c_str(), stdout);

  const heddle::Memory memory = options.gpu ? heddle::Memory::device : heddle::Memory::host;
  const double bandwidth = options.gpu ? 0 : stream_bandwidth(std::min<std::int64_t>(cells, 4'000'000));
  Solver solver(domain, wind, units, memory);
  Saves saves(options, units, steps, solver);

  const heddle::BlockGrid grid(solver.list().box(), {1, 1, 1}, {false, true, false});
  const heddle::OutputOptions place{.origin = {0, 0, domain.bottom},
                                    .spacing = {domain.cell, domain.cell, domain.cell}};
  heddle::Output output(results.unfinished(), "wind", grid, place);
  heddle::Output mean_output(results.unfinished(), "mean", grid, place);
  std::array<std::vector<float>, 3> velocity;
  for (heddle::Output* files : {&output, &mean_output}) {
    files->add<float>("velocity", 3, [&](int, std::int64_t i, std::int64_t j, std::int64_t k, int c) {
      return velocity[static_cast<std::size_t>(c)][domain.index(i, j, k)];
    });
    files->add<std::uint8_t>("air", 1, [&](int, std::int64_t i, std::int64_t j, std::int64_t k, int) {
      return domain.fluid[domain.index(i, j, k)];
    });
  }

  heddle::Progress progress("wind", steps, {.work = static_cast<double>(cells) / 1e6, .unit = "M updates"});
  double in_steps = 0;
  std::int64_t frame = 0;
  std::int64_t first = 0;
  if (options.resume) {
    saves.read(*options.resume, first, frame);
    std::printf("resumed   at step %lld\n", static_cast<long long>(first));
  }
  for (std::int64_t step = first; step < steps;) {
    const std::int64_t next = std::min(step + steps_a_sample, steps);
    const Clock stretch;
    solver.run((next - step) / 2);
    in_steps += stretch.seconds();
    step = next;
    const bool sampled = static_cast<double>(step) >= spin_up * static_cast<double>(steps) || step == steps;
    const bool writes = step * options.frames >= (frame + 1) * steps;
    if (sampled || writes || step % (10 * steps_a_sample) == 0) {
      solver.measure();
      require_stable(solver, units, step);
    }
    if (sampled) solver.sample();
    if (writes) {
      velocity = on_the_box(solver.velocity(), domain, units);
      output.write(frame, static_cast<double>(step) * units.step);
      ++frame;
    }
    saves.update(step, frame);
    progress.update(step);
  }
  progress.finish();

  velocity = on_the_box(solver.mean(), domain, units);
  mean_output.write(0, static_cast<double>(steps) * units.step);
  const Balance mass = balance(velocity, domain);
  const double updates = static_cast<double>(steps - first) * static_cast<double>(cells);
  std::printf("mass      million m^3/s: in %.1f, out %.1f and %.1f through the top, left over %.2f %%\n",
              mass.in / 1e6, mass.outlet / 1e6, mass.top / 1e6,
              100 * (mass.in - mass.outlet - mass.top) / mass.in);
  std::printf("%s\n", roofline_line(updates, in_steps, bandwidth).c_str());

  char subtitle[256];
  std::snprintf(subtitle, sizeof subtitle,
                "Wind from the %s, %g m/s at %g m. Large-eddy simulation, D3Q19, %.1f million cells of %g m, "
                "%.0f minutes "
                "of wind in %.0f s, kernels generated by Heddle.",
                compass(options.direction).c_str(), options.wind, options.reference,
                static_cast<double>(cells) / 1e6, domain.cell, static_cast<double>(steps) * units.step / 60,
                clock.seconds());
  const Flow flow(domain, std::move(velocity));
  draw_picture(flow, options, {"Wind over the " + domain.title, subtitle}, results.unfinished() / "wind.png");
  results.publish();
  std::printf("written   %s, %s (%.0f s in all)\n", (options.out / "wind.pvd").string().c_str(),
              (options.out / "wind.png").string().c_str(), clock.seconds());
}

} // namespace
} // namespace terrain_wind

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12); // lines appear as they are printed, in a file too
#ifdef SIGXFSZ
  std::signal(SIGXFSZ,
              SIG_IGN); // a file above the limit is an error that is reported, not the end of the process
#endif
  try {
    const terrain_wind::Options options = terrain_wind::parse_options(argc, argv);
    if (options.help)
      std::fputs(terrain_wind::help_text().c_str(), stdout);
    else
      terrain_wind::run(options);
    return 0;
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "terrain_wind: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fputs("terrain_wind: not enough memory. Hint: choose larger cells with --cell-size\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "terrain_wind: %s\n", error.what());
  }
  return 1;
}
