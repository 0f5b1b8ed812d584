// SPDX-License-Identifier: Apache-2.0
// How a TaskGraph runs: which plan, recorded or not, on one thread, on several, or on a device.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <queue>
#include <system_error>
#include <thread>

#include "capture_decision.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/parallel.hpp"
#include "heddle/graph/task_graph.hpp"
#include "task_graph_plans.hpp"

namespace heddle {

namespace {

/// A graph that is launched less often is not worth being recorded.
constexpr std::int64_t fewest_launches = 4;
/// What fails the first time may work the second: a task may have made by then what it could not in a
/// capture.
constexpr int most_vain_recordings = 2;

} // namespace

/// Whether it is to be found out which way is faster: without messages they are the same.
bool TaskGraph::measures() const noexcept {
  if (options_.overlap != Overlap::automatic) return false;
  if (plans_ && plans_->measures) return *plans_->measures;
  const bool found = std::any_of(nodes_.begin(), nodes_.end(),
                                 [](const TaskNode& node) { return node.halo && node.halo().messages; });
  if (plans_) plans_->measures = found;
  return found;
}

OverlapDecision TaskGraph::overlap() const {
  if (options_.overlap != Overlap::automatic) return {options_.overlap == Overlap::on, "asked for"};
  if (!measures()) return {false, "no exchange sends messages"};
  return plans_ ? plans_->trial.choice() : OverlapAutotuner().choice();
}

/// Whatever recordings have been made in vain, so that all ranks plan and count the same.
CaptureDecision TaskGraph::intended_capture() const {
  return decide_capture(options_.capture, options_.memory, options_.trace != nullptr, nodes_);
}

CaptureDecision TaskGraph::capture() const {
  CaptureDecision choice = intended_capture();
  if (choice.capture && plans_ && plans_->vain_recordings > 0)
    return {false, "recording failed: " + plans_->vain};
  return choice;
}

int TaskGraph::unroll() const {
  if (options_.unroll > 0) return options_.unroll;
  return intended_capture().capture ? 4 : 1;
}

double TaskGraph::recorded_nodes() const noexcept {
  if (!plans_) return 0;
  for (const Plans::Way& way : plans_->ways) {
    for (const auto& [plan, iterations] : {std::pair(way.unrolled.get(), unroll()), {way.one.get(), 1}}) {
      if (plan == nullptr) continue;
      for (const DeviceSchedule* schedule : {plan->recorded.get(), plan->schedule.get()})
        if (schedule != nullptr && schedule->nodes() > 0)
          return static_cast<double>(schedule->nodes()) / iterations;
    }
  }
  return 0;
}

TaskGraph::Plan& TaskGraph::plan(const Repetition& what) {
  if (!plans_) plans_ = std::make_unique<Plans>();
  // What nobody exchanges need not be tried both ways.
  const bool chosen = options_.overlap == Overlap::automatic && measures();
  const bool overlapping = chosen ? plans_->trial.overlap() : options_.overlap != Overlap::off;
  Plans::Way& way = plans_->ways[overlapping];
  std::unique_ptr<Plan>& plan = what.triggers          ? way.triggers[what.left_out]
                                : what.iterations == 1 ? way.one
                                                       : way.unrolled;
  if (!plan) {
    static_cast<void>(sequence()); // throws for a cycle
    plan = std::make_unique<Plan>();
    const bool shuffled = options_.shuffle != 0;
    const bool fine = intended_capture().capture && !what.triggers;
    plan->steps =
        plan_tasks(nodes_, {overlapping, options_.memory == Memory::device || shuffled, what.iterations,
                            fine || shuffled, options_.interior_tiles, what.left_out});
  }
  return *plan;
}

std::vector<std::string> TaskGraph::steps() const {
  std::vector<std::string> names;
  for (const TaskStep& step : plan_tasks(nodes_, {overlap().overlap, options_.memory == Memory::device, 1}))
    names.push_back(step.name);
  return names;
}

void TaskGraph::run(std::int64_t n) {
  if (n < 0) throw Error("TaskGraph::run", "cannot run " + std::to_string(n) + " times", "use 0 or more");
  if (n == 0 || nodes_.empty()) return;
  check_run(n);
  run_iterations(n);
  plans_->exchanges->settle();
}

/// Throws Error for what has ended, and for exchanges that are missing in the next n iterations.
void TaskGraph::check_run(std::int64_t n) {
  require_alive();
  if (!plans_) plans_ = std::make_unique<Plans>();
  if (!plans_->exchanges) plans_->exchanges.emplace(options_.name, tasks());
  plans_->exchanges->check(iterations_, n);
}

/// What run() does after its checks.
void TaskGraph::run_iterations(std::int64_t n) {
  if (nodes_.empty()) return;
  if (failed_) {
    throw Error("TaskGraph", "a run of '" + options_.name + "' failed and left its fields between two steps",
                "start again from a checkpoint, with new transports");
  }
  try {
    if (periodic()) {
      run_periods(n);
    } else {
      const std::int64_t left = n - measure(n);
      repeat({unroll(), left / unroll(), left / unroll()});
      repeat({1, left % unroll(), left % unroll()});
      iterations_ += n;
    }
  } catch (...) {
    if (plans_) {
      plans_->begun.clear();
      plans_->forget_recordings();
    }
    throw;
  }
  if (options_.capture != Capture::once) plans_->forget_recordings();
}

/// Between triggers, iterations are alike and may be captured; one with triggers is planned by itself.
void TaskGraph::run_periods(std::int64_t n) {
  const std::int64_t end = iterations_ + n;
  const int unrolled = unroll();
  Repetition several{.iterations = unrolled, .left_out = left_out(-1)};
  Repetition single{.left_out = several.left_out};
  for (std::int64_t at = iterations_; at < end;) {
    const std::int64_t next = std::min(next_trigger(at), end);
    several.in_run += (next - at) / unrolled;
    single.in_run += (next - at) % unrolled;
    at = next + 1;
  }
  while (iterations_ < end) {
    const std::int64_t quiet = std::min(next_trigger(iterations_), end) - iterations_;
    if (quiet == 0) {
      repeat({.left_out = left_out(iterations_), .triggers = true});
      ++iterations_;
      continue;
    }
    const std::int64_t left = quiet - measure(quiet);
    several.times = left / unrolled;
    single.times = left % unrolled;
    repeat(several);
    repeat(single);
    several.in_run -= several.times;
    single.in_run -= single.times;
    iterations_ += quiet;
  }
  finish_launches();
}

void TaskGraph::repeat(const Repetition& what) {
  if (what.times == 0) return;
  Plan& planned = plan(what);
  if (options_.memory == Memory::device) return launch(planned, what);
  if (options_.threads > 1) return run_threads(planned, what.times);
  if (options_.shuffle != 0) {
    for (std::int64_t i = 0; i < what.times; ++i)
      run_shuffled(planned);
    return;
  }
  Stream stream;
  const int all = thread_count();
  for (std::int64_t i = 0; i < what.times; ++i) {
    const ThreadLimit limit(computing_threads(all));
    run_serial(stream, planned);
  }
}

/// The same order for the same seed, another one each time.
void TaskGraph::run_shuffled(const Plan& planned) {
  const std::vector<TaskStep>& steps = planned.steps;
  const std::vector<std::vector<std::size_t>> successors = successors_of(steps);
  std::vector<std::size_t> missing(steps.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    missing[i] = steps[i].predecessors.size();
    if (missing[i] == 0) ready.push_back(i);
  }
  Stream stream;
  while (!ready.empty()) {
    options_.shuffle = options_.shuffle * 6364136223846793005U + 1442695040888963407U; // Knuth, MMIX
    std::swap(ready[static_cast<std::size_t>(options_.shuffle >> 33) % ready.size()], ready.back());
    const std::size_t next = ready.back();
    ready.pop_back();
    const double began = Trace::now();
    steps[next].run(stream);
    note(steps[next].name, "steps", began);
    for (const std::size_t s : successors[next]) {
      if (--missing[s] == 0) ready.push_back(s);
    }
  }
}

void TaskGraph::launch(Plan& planned, const Repetition& what) {
  const bool always = options_.capture == Capture::on && !what.triggers;
  const bool now =
      !always && !what.triggers && (planned.recorded || what.in_run >= fewest_launches) && record(planned);
  if (!now && !planned.schedule) {
    auto schedule = std::make_unique<DeviceSchedule>(planned.steps, always, options_.trace);
    if (always) schedule->run(0); // records; when that fails, nothing has run
    planned.schedule = std::move(schedule);
  }
  if (!now && !always) {
    const bool to_record =
        !what.triggers && !planned.warm && what.in_run > fewest_launches && capture().capture;
    const std::int64_t uncaptured = to_record ? 1 : what.times;
    put(*planned.schedule, uncaptured);
    planned.warm = true;
    Repetition rest = what;
    rest.times -= uncaptured;
    rest.in_run -= uncaptured;
    return rest.times > 0 ? launch(planned, rest) : void();
  }
  try {
    put(now ? *planned.recorded : *planned.schedule, what.times);
  } catch (...) {
    failed_ = true;
    throw;
  }
}

/// Waits for it, if each iteration is like the others. Where tasks have periods, schedules follow each other
/// without the host.
void TaskGraph::put(DeviceSchedule& schedule, std::int64_t times) {
  if (!periodic()) return schedule.run(times);
  std::vector<DeviceSchedule*>& begun = plans_->begun;
  DeviceSchedule* const before = begun.empty() || begun.back() == &schedule ? nullptr : begun.back();
  std::erase(begun, &schedule);
  begun.push_back(&schedule);
  schedule.put(times, before);
}

void TaskGraph::finish_launches() {
  if (!plans_) return;
  for (DeviceSchedule* schedule : plans_->begun)
    schedule->finish();
  plans_->begun.clear();
}

/// Whether there is a recording for this run, with the parameters that the tasks have in it.
bool TaskGraph::record(Plan& planned) {
  if (planned.recorded) return true;
  const bool asked = options_.capture == Capture::automatic || options_.capture == Capture::once;
  if (!asked || !intended_capture().capture || !planned.warm ||
      plans_->vain_recordings >= most_vain_recordings)
    return false;
  try {
    auto schedule = std::make_unique<DeviceSchedule>(planned.steps, true, nullptr);
    schedule->run(0); // records; nothing has run when that fails
    planned.recorded = std::move(schedule);
    plans_->vain_recordings = 0;
  } catch (const Error& error) {
    ++plans_->vain_recordings;
    plans_->vain = error.what();
  }
  return planned.recorded != nullptr;
}

/// Turns of the trial of both ways, while there are any left and as many as n iterations have room for; how
/// many iterations these were.
std::int64_t TaskGraph::measure(std::int64_t n) {
  const std::int64_t turn = OverlapAutotuner::launches * std::int64_t{unroll()};
  std::int64_t done = 0;
  if (!measures()) return done;
  if (!plans_) plans_ = std::make_unique<Plans>();
  OverlapAutotuner& trial = plans_->trial;
  const auto now = options_.clock != nullptr ? options_.clock : Trace::now;
  while (trial.open() && n - done >= turn) {
    Repetition what{unroll(), OverlapAutotuner::launches, OverlapAutotuner::launches};
    if (periodic()) what.left_out = left_out(-1);
    Plan& planned = plan(what);
    finish_launches();
    if (planned.warm) static_cast<void>(record(planned)); // not while the clock runs
    const double began = now();
    repeat(what);
    finish_launches();
    trial.note((now() - began) / static_cast<double>(turn));
    done += turn;
    if (!trial.open()) plans_->ways[!trial.overlap()] = {};
  }
  return done;
}

IterationResult TaskGraph::repeat_until(const std::function<bool()>& condition, std::int64_t every,
                                        std::int64_t max) {
  if (every < 1)
    throw Error("TaskGraph::repeat_until",
                "cannot test the condition every " + std::to_string(every) + " runs", "use at least 1");
  if (max < 0)
    throw Error("TaskGraph::repeat_until", "cannot run " + std::to_string(max) + " times", "use 0 or more");
  if (!condition) throw Error("TaskGraph::repeat_until", "the condition is empty", "pass a callable object");
  IterationResult done;
  while (!done.met && done.iterations < max) {
    const std::int64_t n = std::min(every, max - done.iterations);
    run(n);
    done.iterations += n;
    done.met = condition();
  }
  return done;
}

/// In the trace, if there is one: what began then and has just ended.
void TaskGraph::note(const std::string& step, const std::string& row, double began) const {
  if (options_.trace != nullptr)
    options_.trace->add({step, options_.trace_process, row, began, Trace::now()});
}

void TaskGraph::run_serial(Stream& stream, Plan& planned) {
  std::map<std::size_t, double> sent; // when an exchange began
  for (const TaskStep& step : planned.steps) {
    const bool waits = stream.device() && step.waits;
    const double began = Trace::now();
    if (waits) stream.synchronise();
    step.run(stream);
    if (waits) stream.synchronise();
    if (options_.trace == nullptr) continue;
    const double ended = Trace::now();
    options_.trace->add({step.name, options_.trace_process, "steps", began, ended});
    if (step.kind == TaskStep::Kind::start) sent[step.exchange] = ended;
    if (step.kind == TaskStep::Kind::finish)
      options_.trace->add(
          {"messages until " + step.name, options_.trace_process, "messages", sent[step.exchange], ended});
  }
}

void TaskGraph::run_threads(const Plan& planned, std::int64_t n) {
  const std::vector<TaskStep>& steps = planned.steps; // one is chosen before those that follow it here
  const std::vector<std::vector<std::size_t>> successors = successors_of(steps);

  std::mutex mutex; // guards all that follows
  std::condition_variable change;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  std::vector<std::size_t> missing(steps.size());
  std::size_t finished = 0;
  std::int64_t left = n;
  std::exception_ptr failure;

  const auto start_iteration = [&] {
    finished = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      missing[i] = steps[i].predecessors.size();
      if (missing[i] == 0) ready.push(i);
    }
  };
  start_iteration();

  const auto work = [&](std::size_t thread) {
    const std::string row = "thread " + std::to_string(thread);
    Stream stream;
    std::unique_lock lock(mutex);
    while (true) {
      change.wait(lock, [&] { return !ready.empty() || left == 0; });
      if (left == 0) return;
      const std::size_t task = ready.top();
      ready.pop();
      lock.unlock();
      std::exception_ptr caught;
      try {
        const double began = Trace::now();
        steps[task].run(stream);
        note(steps[task].name, row, began);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      if (caught) {
        if (!failure) failure = caught;
        left = 0;
      }
      if (left == 0) {
        change.notify_all();
        return;
      }
      for (const std::size_t s : successors[task]) {
        if (--missing[s] == 0) ready.push(s);
      }
      if (++finished == steps.size() && --left > 0) start_iteration();
      change.notify_all();
    }
  };

  std::vector<std::thread> threads;
  const auto join = [&] {
    for (std::thread& thread : threads)
      thread.join();
  };
  const std::size_t count = std::min(static_cast<std::size_t>(options_.threads), steps.size());
  try {
    for (std::size_t t = 1; t < count; ++t)
      threads.emplace_back(work, t);
  } catch (const std::system_error&) {
    // Fewer threads than wished for do the same work.
  }
  work(0);
  join();
  if (failure) std::rethrow_exception(failure);
}

void TaskGraph::operator()(Stream& stream) {
  if (nodes_.empty()) return;
  check_run(1);
  in_graph(stream);
  plans_->exchanges->settle();
}

void TaskGraph::in_graph(Stream& stream) {
  if (stream.versions() != nullptr) { // a part of a lagged task
    for (const std::size_t i : sequence())
      nodes_[i].function(stream);
  } else if (!stream.device()) {
    run_iterations(1);
  } else {
    Repetition what;
    if (periodic()) {
      what.left_out = left_out(iterations_);
      what.triggers = next_trigger(iterations_) == iterations_;
    }
    run_serial(stream, plan(what));
    ++iterations_;
  }
}

} // namespace heddle
