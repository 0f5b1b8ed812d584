// SPDX-License-Identifier: Apache-2.0
// All runs of the table on the cores of one machine.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "heddle/core/device_scope.hpp"
#include "report.hpp"

namespace validation {
namespace {

struct Job {
  std::size_t of_case;
  const Run* run;
  int threads;
  bool on_device;
  Outcome outcome;
  std::exception_ptr failure;

  [[nodiscard]] double duration() const { return on_device ? run->device_seconds : run->seconds / threads; }
};

/// Cores beside each device: for the start of a flow and what is measured on the host.
constexpr int beside_device = 4;

/// What devices compute, and what the cores do that are left.
struct Jobs {
  std::vector<Job> cores, devices;
  int free_cores, free_devices;
};

/// Cores that are free, lent to one job at a time.
class Cores {
public:
  explicit Cores(int count) : free_(count) {}

  /// Waits until so many are free, in the order of the calls: a run on many threads is not put off by those
  /// on few.
  void take(int threads) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return threads <= free_; });
    free_ -= threads;
  }
  void give_back(int threads) {
    const std::lock_guard lock(mutex_);
    free_ += threads;
    given_back_.notify_one();
  }

private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int free_;
};

constexpr double short_run = 8; // seconds

/// All runs that are not done yet: the short ones, which are most of the table, so that nobody waits for them
/// or loses them to a limit; then those that take longest first.
Jobs in_order(const std::vector<Case>& cases, const Machine& machine, const Record& record) {
  Jobs jobs{{}, {}, std::max(1, machine.cores - beside_device * machine.devices), machine.devices};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const Run& run : cases[i].runs) {
      if (record.find(cases[i], run) != nullptr) continue;
      if (machine.devices > 0 && run.device_seconds > 0)
        jobs.devices.push_back({i, &run, std::min(beside_device, machine.cores), true, {}, nullptr});
      else
        jobs.cores.push_back({i, &run, std::min(run.threads, jobs.free_cores), false, {}, nullptr});
    }
  }
  for (std::vector<Job>* const queue : {&jobs.cores, &jobs.devices}) {
    std::ranges::stable_sort(*queue, std::ranges::greater{}, &Job::duration);
    std::ranges::stable_partition(*queue, [](const Job& job) { return job.duration() <= short_run; });
  }
  return jobs;
}

/// When each job of a queue begins, none before the one in front of it. places: cores, of which a job takes
/// its threads, as Cores::take gives them out, or devices, of which it takes one.
std::vector<double> beginnings(const std::vector<Job>& jobs, int places) {
  std::vector<double> free(static_cast<std::size_t>(places), 0); // when each place is, in order
  std::vector<double> found;
  double latest = 0;
  for (const Job& job : jobs) {
    const auto taken = static_cast<std::size_t>(job.on_device ? 1 : job.threads);
    latest = std::max(latest, free[taken - 1]);
    found.push_back(latest);
    std::fill_n(free.begin(), taken, latest + job.duration());
    std::ranges::sort(free);
  }
  return found;
}

/// When the last job of a queue ends.
double end_of(const std::vector<Job>& jobs, int places) {
  const std::vector<double> begin = beginnings(jobs, places);
  double end = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    end = std::max(end, begin[i] + jobs[i].duration());
  return end;
}

std::string where(const Job& job) {
  return job.on_device ? "a device" : std::to_string(job.threads) + " threads";
}

void print_left_out(const Case& one, const Job& job) {
  std::printf("left out: %s, %s (%.0f s on %s)\n", one.name.c_str(), name_of(job.run->precision),
              job.duration(), where(job).c_str());
}

/// The jobs that end in time: those that cost most are left out first.
Jobs fitting(const std::vector<Case>& cases, const Machine& machine, double limit, const Record& record) {
  Jobs jobs = in_order(cases, machine, record);
  const auto shorten = [limit](std::vector<Job>& queue, int places) {
    while (!queue.empty() && end_of(queue, places) > limit) {
      const auto dearest =
          std::ranges::max_element(queue, {}, [](const Job& job) { return job.duration() * job.threads; });
      queue.erase(dearest);
    }
  };
  shorten(jobs.cores, jobs.free_cores);
  shorten(jobs.devices, jobs.free_devices);
  return jobs;
}

void work(Job& job, const std::string& name) {
#ifdef _OPENMP
  omp_set_num_threads(job.threads);
#endif
  const auto begin = std::chrono::steady_clock::now();
  try {
    job.outcome = job.run->compute(job.on_device ? heddle::Memory::device : heddle::Memory::host);
  } catch (...) {
    job.failure = std::current_exception();
    return;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::string text;
  char line[160];
  for (const Quantity& quantity : job.outcome.quantities) {
    std::snprintf(line, sizeof line, "    %-60s %.8g (%.8g)\n", quantity.name.c_str(), quantity.value,
                  quantity.reference);
    text += line;
  }
  std::printf("%s, %s: %.1f s on %s (about %.0f expected)\n%s", name.c_str(), name_of(job.run->precision),
              spent.count(), where(job).c_str(), job.duration(), text.c_str());
  std::fflush(stdout);
}

/// Points of curves with the same name, in graphs with the same title, belong together.
void merge(std::vector<Graph>& graphs, const Graph& more) {
  const auto graph = std::ranges::find(graphs, more.title, &Graph::title);
  if (graph == graphs.end()) {
    graphs.push_back(more);
    return;
  }
  for (const Curve& curve : more.curves) {
    const auto same = std::ranges::find(graph->curves, curve.name, &Curve::name);
    if (same == graph->curves.end()) {
      graph->curves.push_back(curve);
    } else {
      same->x.insert(same->x.end(), curve.x.begin(), curve.x.end());
      same->y.insert(same->y.end(), curve.y.begin(), curve.y.end());
    }
  }
}

/// What the runs that are done gave, in the order of the cases.
std::vector<Entry> entries_of(const std::vector<Case>& cases, const Record& record) {
  std::vector<Entry> entries;
  for (const Case& one : cases) {
    Entry entry{one, {}, {}};
    for (const Run& run : one.runs) {
      const Outcome* outcome = record.find(one, run);
      if (outcome == nullptr) continue;
      auto& quantities = entry.quantities[run.precision];
      quantities.insert(quantities.end(), outcome->quantities.begin(), outcome->quantities.end());
      for (const Graph& graph : outcome->graphs)
        merge(entry.graphs, graph);
    }
    entries.push_back(entry);
  }
  return entries;
}

} // namespace

void print_plan(const std::vector<Case>& cases, const Machine& machine, double limit, const Record& record) {
  const Jobs jobs = fitting(cases, machine, limit, record);
  const auto print = [&](const std::vector<Job>& queue, int places) {
    const std::vector<double> begin = beginnings(queue, places);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Job& job = queue[i];
      std::printf("%6.0f to %6.0f s, %s: %s, %s\n", begin[i], begin[i] + job.duration(), where(job).c_str(),
                  cases[job.of_case].name.c_str(), name_of(job.run->precision));
    }
  };
  print(jobs.cores, jobs.free_cores);
  print(jobs.devices, jobs.free_devices);
  const Jobs all = in_order(cases, machine, record);
  for (const auto& [queue, kept] : {std::pair(&all.cores, &jobs.cores), {&all.devices, &jobs.devices}}) {
    for (const Job& job : *queue) {
      if (std::ranges::find(*kept, job.run, &Job::run) == kept->end())
        print_left_out(cases[job.of_case], job);
    }
  }
  std::printf("%zu runs on %d cores: %.0f s expected", jobs.cores.size(), jobs.free_cores,
              end_of(jobs.cores, jobs.free_cores));
  if (!jobs.devices.empty())
    std::printf("; %zu on %d devices: %.0f s", jobs.devices.size(), jobs.free_devices,
                end_of(jobs.devices, jobs.free_devices));
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<Entry> compute(const std::vector<Case>& cases, const Machine& machine, double limit,
                           Record& record, const std::function<void(const std::vector<Entry>&)>& report) {
  const auto begin = std::chrono::steady_clock::now();
  Jobs jobs = fitting(cases, machine, limit, record);
  std::mutex reporting;
  const auto in_time = [&](const Job& job) { // the others may have taken longer than expected
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (now + job.duration() <= limit) return true;
    print_left_out(cases[job.of_case], job);
    return false;
  };
  const auto finish = [&](Job& job) {
    work(job, cases[job.of_case].name);
    const std::lock_guard lock(reporting);
    if (!job.failure) record.add(cases[job.of_case], *job.run, job.outcome);
    report(entries_of(cases, record));
  };
  std::vector<std::thread> threads;
  std::atomic<std::size_t> next = 0;
  for (int device = 0; device < machine.devices; ++device) {
    threads.emplace_back([&, device] {
      const heddle::DeviceScope scope(device);
      for (std::size_t i = next++; i < jobs.devices.size(); i = next++) {
        if (in_time(jobs.devices[i])) finish(jobs.devices[i]);
      }
    });
  }
  Cores free(jobs.free_cores);
  for (Job& job : jobs.cores) {
    free.take(job.threads);
    if (!in_time(job)) {
      free.give_back(job.threads);
      continue;
    }
    threads.emplace_back([&, one = &job] {
      finish(*one);
      free.give_back(one->threads);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::vector<Job>* const queue : {&jobs.cores, &jobs.devices}) {
    for (const Job& job : *queue) {
      if (job.failure) std::rethrow_exception(job.failure);
    }
  }
  return entries_of(cases, record);
}

} // namespace validation
