// SPDX-License-Identifier: Apache-2.0
// All runs of the table on the cores of one machine.
#include <algorithm>
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

#include "report.hpp"

namespace validation {
namespace {

struct Job {
  std::size_t of_case;
  const Run* run;
  int threads;
  Outcome outcome;
  std::exception_ptr failure;

  [[nodiscard]] double duration() const { return run->seconds / threads; }
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
std::vector<Job> in_order(const std::vector<Case>& cases, int cores, const Record& record) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const Run& run : cases[i].runs) {
      if (record.find(cases[i], run) == nullptr)
        jobs.push_back({i, &run, std::min(run.threads, cores), {}, nullptr});
    }
  }
  std::ranges::stable_sort(jobs, std::ranges::greater{}, &Job::duration);
  std::ranges::stable_partition(jobs, [](const Job& job) { return job.duration() <= short_run; });
  return jobs;
}

/// When each job begins, as Cores::take gives out cores: none before the one in front of it.
std::vector<double> beginnings(const std::vector<Job>& jobs, int cores) {
  std::vector<double> free(static_cast<std::size_t>(cores), 0); // when each core is, in order
  std::vector<double> found;
  double latest = 0;
  for (const Job& job : jobs) {
    const auto taken = static_cast<std::size_t>(job.threads);
    latest = std::max(latest, free[taken - 1]);
    found.push_back(latest);
    std::fill_n(free.begin(), taken, latest + job.duration());
    std::ranges::sort(free);
  }
  return found;
}

/// When the last job ends.
double end_of(const std::vector<Job>& jobs, int cores) {
  const std::vector<double> begin = beginnings(jobs, cores);
  double end = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    end = std::max(end, begin[i] + jobs[i].duration());
  return end;
}

void print_left_out(const Case& one, const Job& job) {
  std::printf("left out: %s, %s (%.0f s on %d threads)\n", one.name.c_str(), name_of(job.run->precision),
              job.duration(), job.threads);
}

/// The jobs that end in time: those that cost most are left out first.
std::vector<Job> fitting(const std::vector<Case>& cases, int cores, double limit, const Record& record) {
  std::vector<Job> jobs = in_order(cases, cores, record);
  while (!jobs.empty() && end_of(jobs, cores) > limit) {
    const auto dearest = std::ranges::max_element(jobs, {}, [](const Job& job) { return job.run->seconds; });
    jobs.erase(dearest);
  }
  return jobs;
}

void work(Job& job, const std::string& name) {
#ifdef _OPENMP
  omp_set_num_threads(job.threads);
#endif
  const auto begin = std::chrono::steady_clock::now();
  try {
    job.outcome = job.run->compute();
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
  std::printf("%s, %s: %.1f s on %d threads (about %.0f expected)\n%s", name.c_str(),
              name_of(job.run->precision), spent.count(), job.threads, job.duration(), text.c_str());
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

void print_plan(const std::vector<Case>& cases, int cores, double limit, const Record& record) {
  const std::vector<Job> jobs = fitting(cases, cores, limit, record);
  const std::vector<double> begin = beginnings(jobs, cores);
  double all = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Job& job = jobs[i];
    std::printf("%6.0f to %6.0f s, %2d threads: %s, %s\n", begin[i], begin[i] + job.duration(), job.threads,
                cases[job.of_case].name.c_str(), name_of(job.run->precision));
    all += job.run->seconds;
  }
  for (const Job& job : in_order(cases, cores, record)) {
    if (std::ranges::find(jobs, job.run, &Job::run) == jobs.end()) print_left_out(cases[job.of_case], job);
  }
  std::printf("%zu runs on %d cores: %.0f s expected, %.0f s if all cores were busy all the time\n",
              jobs.size(), cores, end_of(jobs, cores), all / cores);
  std::fflush(stdout);
}

std::vector<Entry> compute(const std::vector<Case>& cases, int cores, double limit, Record& record,
                           const std::function<void(const std::vector<Entry>&)>& report) {
  const auto begin = std::chrono::steady_clock::now();
  const auto now = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<Job> jobs = fitting(cases, cores, limit, record);
  Cores free(cores);
  std::mutex reporting;
  std::vector<std::thread> threads;
  for (Job& job : jobs) {
    free.take(job.threads);
    if (now() + job.duration() > limit) { // the others took longer than expected
      print_left_out(cases[job.of_case], job);
      free.give_back(job.threads);
      continue;
    }
    threads.emplace_back([&, one = &job] {
      work(*one, cases[one->of_case].name);
      {
        const std::lock_guard lock(reporting);
        if (!one->failure) record.add(cases[one->of_case], *one->run, one->outcome);
        report(entries_of(cases, record));
      }
      free.give_back(one->threads);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const Job& job : jobs) {
    if (job.failure) std::rethrow_exception(job.failure);
  }
  return entries_of(cases, record);
}

} // namespace validation
