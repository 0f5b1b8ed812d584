// SPDX-License-Identifier: Apache-2.0
#include "heddle/graph/task_graph.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

#include "capture_decision.hpp"
#include "device_schedule.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/gpu/calls.hpp"
#include "heddle/core/parallel.hpp"
#include "missing_exchange.hpp"
#include "overlap_autotuner.hpp"

namespace heddle {

/// What is run; made by the first run and forgotten when a task is added.
struct TaskGraph::Plan {
  std::vector<TaskStep> steps;
  // Of a device graph: streams, events and, with Capture::on, the recorded graph.
  std::unique_ptr<DeviceSchedule> schedule;
  std::unique_ptr<DeviceSchedule> recorded; // with Capture::automatic for one run, with Capture::once for all
  bool warm = false; // has run: what its tasks do the first time they need not do in a capture
};

/// So many plans of so many iterations, one after the other.
struct TaskGraph::Repetition {
  std::int64_t iterations = 1;
  std::int64_t times = 1;
  std::int64_t in_run = 0;      // times, those of other repetitions of the same plan in this run too
  std::vector<bool> left_out{}; // see PlanOptions
  bool triggers = false;        // there are tasks that do something else each time
};

/// With overlap or without, of one iteration or of several, and what is known of the better way.
struct TaskGraph::Plans {
  struct Way {
    std::unique_ptr<Plan> one;
    std::unique_ptr<Plan> unrolled;
    std::map<std::vector<bool>, std::unique_ptr<Plan>> triggers; // by the tasks that are left out
  };
  std::array<Way, 2> ways;
  OverlapAutotuner trial;
  std::optional<bool> measures;             // whether ways are compared
  std::optional<MissingExchange> exchanges; // once a run has looked for them
  int vain_recordings = 0;
  std::string vain;                   // why the last one was
  std::vector<DeviceSchedule*> begun; // by this run, and not waited for; the last one last

  void forget_recordings() noexcept {
    for (Way& way : ways) {
      for (Plan* plan : {way.one.get(), way.unrolled.get()}) {
        if (plan != nullptr) plan->recorded.reset();
      }
    }
  }
};

namespace {

/// A graph that is launched less often is not worth being recorded.
constexpr std::int64_t fewest_launches = 4;
/// What fails the first time may work the second: a task may have made by then what it could not in a
/// capture.
constexpr int most_vain_recordings = 2;

/// For each step those that wait for it.
std::vector<std::vector<std::size_t>> successors_of(const std::vector<TaskStep>& steps) {
  std::vector<std::vector<std::size_t>> successors(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const std::size_t p : steps[i].predecessors)
      successors[p].push_back(i);
  }
  return successors;
}

} // namespace

TaskGraph::TaskGraph(TaskGraphOptions options) : options_(std::move(options)) {
  if (options_.threads < 1)
    throw Error("TaskGraph", std::to_string(options_.threads) + " threads are not valid", "use at least 1");
  if (options_.unroll < 0)
    throw Error("TaskGraph", std::to_string(options_.unroll) + " unrolled iterations are not valid",
                "use 0 or more");
  if (options_.interior_tiles < 0)
    throw Error("TaskGraph", std::to_string(options_.interior_tiles) + " interior tiles are not valid",
                "use 0 or more");
  if (options_.shuffle != 0 && (options_.memory == Memory::device || options_.threads > 1))
    throw Error("TaskGraph", "shuffle needs a graph on one host thread", "use threads = 1 and host memory");
  if (options_.memory == Memory::device) {
    if (options_.threads > 1)
      throw Error("TaskGraph", "a device graph runs in streams and cannot use several threads",
                  "use threads = 1");
    if (!built_with_cuda()) {
      throw Error("TaskGraph", "this heddle::runtime was built without CUDA",
                  "configure with -DHEDDLE_CUDA=ON");
    }
  }
}

TaskGraph::~TaskGraph() = default;
TaskGraph::TaskGraph(TaskGraph&&) noexcept = default;
TaskGraph& TaskGraph::operator=(TaskGraph&&) noexcept = default;

void TaskGraph::check(std::size_t task, const char* where) const {
  if (task < nodes_.size()) return;
  throw Error(where, "task " + std::to_string(task) + " does not exist; there are " +
                         std::to_string(nodes_.size()) + " tasks");
}

void TaskGraph::refuse_itself(const TaskGraph& task) const {
  if (&task == this)
    throw Error("TaskGraph::add", "graph '" + options_.name + "' cannot contain itself", "add another graph");
}

std::size_t TaskGraph::add(std::string name, const std::vector<FieldAccess>& accesses,
                           std::function<void(Stream&)> function, Memory memory) {
  if (!function)
    throw Error("TaskGraph::add", "task '" + name + "' has no function", "pass a callable object");
  TaskNode node;
  node.name = std::move(name);
  node.function = std::move(function);
  node.memory = memory;
  node.takes_versions = [] { return false; };
  node.arguments = [] { return std::string(); };
  if (options_.memory == Memory::device) node.device = gpu::current_device();
  for (const FieldAccess& access : accesses) {
    if (access.object == nullptr) {
      throw Error("TaskGraph::add",
                  "task '" + node.name + "' accesses '" + std::string(access.name) +
                      "', whose address is null",
                  "pass the address of an existing object");
    }
    node.accesses.push_back({access.object, std::string(access.name), access.mode, access.reach,
                             access.cells(), access.object.kind(), access.object.halo()});
    if (access.object.lifetime() != nullptr)
      node.accesses.back().lifetime = access.object.lifetime()->watch();
  }
  // Back to the last task that writes the same object: what came before that one follows through it.
  for (const TaskNode::Access& access : node.accesses) {
    for (std::size_t j = nodes_.size(); j-- > 0;) {
      bool reads = false;
      bool writes = false;
      for (const TaskNode::Access& other : nodes_[j].accesses) {
        if (other.object != access.object) continue;
        (other.mode == AccessMode::write ? writes : reads) = true;
      }
      if (writes || (reads && access.mode == AccessMode::write)) node.predecessors.push_back(j);
      if (writes) break;
    }
  }
  std::sort(node.predecessors.begin(), node.predecessors.end());
  node.predecessors.erase(std::unique(node.predecessors.begin(), node.predecessors.end()),
                          node.predecessors.end());
  nodes_.push_back(std::move(node));
  forget_plans();
  return nodes_.size() - 1;
}

void TaskGraph::order(std::size_t earlier, std::size_t later) {
  check(earlier, "TaskGraph::order");
  check(later, "TaskGraph::order");
  std::vector<std::size_t>& before = nodes_[later].predecessors;
  const auto place = std::lower_bound(before.begin(), before.end(), earlier);
  if (place == before.end() || *place != earlier) before.insert(place, earlier);
  nodes_[later].ordered.push_back(earlier);
  forget_plans();
}

std::vector<std::size_t> TaskGraph::predecessors(std::size_t task) const {
  check(task, "TaskGraph::predecessors");
  return nodes_[task].predecessors;
}

std::vector<std::size_t> TaskGraph::sequence() const {
  std::vector<std::size_t> missing(nodes_.size());
  std::vector<std::vector<std::size_t>> successors(nodes_.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    missing[i] = nodes_[i].predecessors.size();
    for (const std::size_t p : nodes_[i].predecessors)
      successors[p].push_back(i);
    if (missing[i] == 0) ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const std::size_t s : successors[i]) {
      if (--missing[s] == 0) ready.push(s);
    }
  }
  if (order.size() == nodes_.size()) return order;

  // Every task left waits for another one left: walking from one to such a predecessor ends in a cycle.
  std::size_t at = 0;
  while (missing[at] == 0)
    ++at;
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    const std::vector<std::size_t>& before = nodes_[at].predecessors;
    at = *std::find_if(before.begin(), before.end(), [&](std::size_t p) { return missing[p] > 0; });
  }
  std::string names = "'" + nodes_[at].name + "'";
  for (auto i = path.rbegin(); *i != at; ++i)
    names += " -> '" + nodes_[*i].name + "'";
  throw Error("TaskGraph",
              "the dependences of the tasks form a cycle: " + names + " -> '" + nodes_[at].name + "'",
              "remove the order() that contradicts the declared accesses");
}

std::vector<std::vector<std::size_t>> TaskGraph::reduced(const std::vector<std::size_t>& sequence) const {
  std::vector<std::vector<bool>> behind(nodes_.size(),
                                        std::vector<bool>(nodes_.size(), false)); // all ancestors
  std::vector<std::vector<std::size_t>> direct(nodes_.size());
  for (const std::size_t i : sequence) {
    for (const std::size_t p : nodes_[i].predecessors) {
      for (std::size_t a = 0; a < nodes_.size(); ++a) {
        if (behind[p][a]) behind[i][a] = true;
      }
    }
    for (const std::size_t p : nodes_[i].predecessors) {
      if (!behind[i][p]) direct[i].push_back(p);
    }
    for (const std::size_t p : nodes_[i].predecessors)
      behind[i][p] = true;
  }
  return direct;
}

void TaskGraph::forget_plans() noexcept {
  plans_.reset();
}

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

/// Throws Error for a task or an object that the graph keeps by reference and that has ended.
void TaskGraph::require_alive() const {
  const auto ended = [](const std::optional<std::weak_ptr<const void>>& lifetime) {
    return lifetime && lifetime->expired();
  };
  for (const TaskNode& node : nodes_) {
    if (ended(node.lifetime)) {
      throw Error("TaskGraph",
                  "task '" + node.name + "' of graph '" + options_.name +
                      "' has ended: the graph "
                      "keeps what has a name by reference",
                  "let it live as long as the graph, or hand it over: graph.add(std::move(task))");
    }
    for (const auto& [what, lifetime] : node.uses) {
      if (!lifetime.expired()) continue;
      throw Error("TaskGraph",
                  what + " that task '" + node.name + "' of graph '" + options_.name + "' uses has ended",
                  "let it live as long as the sweeps and graphs that use it");
    }
    for (const TaskNode::Access& access : node.accesses) {
      if (!ended(access.lifetime)) continue;
      throw Error("TaskGraph",
                  "'" + access.name + "', which task '" + node.name + "' of graph '" + options_.name +
                      "' accesses, has ended",
                  "let fields, tables and results live as long as the sweeps and graphs that use them");
    }
  }
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

/// In an order in which they may run; those of a graph in its place.
std::vector<const TaskNode*> TaskGraph::tasks() const {
  std::vector<const TaskNode*> all;
  for (const std::size_t i : sequence()) {
    if (!nodes_[i].tasks) {
      all.push_back(&nodes_[i]);
      continue;
    }
    const std::vector<const TaskNode*> within = nodes_[i].tasks();
    all.insert(all.end(), within.begin(), within.end());
  }
  return all;
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

std::string TaskGraph::to_dot() const {
  const auto quoted = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + "\"";
  };
  std::string dot = "digraph " + quoted(options_.name) + " {\n";
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::string reads;
    std::string writes;
    for (const TaskNode::Access& access : nodes_[i].accesses) {
      (access.mode == AccessMode::read ? reads : writes) += " " + access.name;
    }
    std::string label = nodes_[i].name;
    if (nodes_[i].periodic()) label += " every " + std::to_string(nodes_[i].period.every);
    if (nodes_[i].lagged) label += ", lag 1";
    if (!reads.empty()) label += "; reads" + reads;
    if (!writes.empty()) label += "; writes" + writes;
    dot += "  t" + std::to_string(i) + " [label=" + quoted(label) + "];\n";
  }
  const std::vector<std::vector<std::size_t>> direct = reduced(sequence());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const std::size_t p : direct[i]) {
      dot += "  t" + std::to_string(p) + " -> t" + std::to_string(i) + ";\n";
    }
  }
  return dot + "}\n";
}

Memory TaskGraph::memory() const noexcept {
  const bool device = !nodes_.empty() && std::all_of(nodes_.begin(), nodes_.end(), [](const TaskNode& node) {
    return node.memory == Memory::device && !node.periodic();
  });
  return device ? Memory::device : Memory::host;
}

std::vector<FieldAccess> TaskGraph::accesses() const {
  std::vector<FieldAccess> all;
  for (const TaskNode& node : nodes_) {
    for (const TaskNode::Access& access : node.accesses) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const FieldAccess& other) {
        return other.object == access.object && other.mode == access.mode;
      });
      if (!known) all.push_back({{access.object, access.kind, access.halo}, access.name, access.mode});
    }
  }
  return all;
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
