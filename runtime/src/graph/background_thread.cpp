// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "background.hpp"
#include "heddle/core/parallel.hpp"

namespace heddle {

namespace {

class BackgroundThread final : public Background {
public:
  BackgroundThread(Place place, int threads)
      : place_(std::move(place)), threads_(threads), thread_([this] { serve(); }) {}

  ~BackgroundThread() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    change_.notify_all();
    thread_.join();
    if (failure_) say_lost(failure_);
  }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  BackgroundThread(BackgroundThread&&) = delete;
  BackgroundThread& operator=(BackgroundThread&&) = delete;

  void launch(Job job, const Versions& versions, Stream&) override {
    {
      const std::lock_guard lock(mutex_);
      job_ = std::move(job);
      versions_ = &versions;
    }
    change_.notify_all();
  }

  void join(Stream&) override {
    const double began = Trace::now();
    std::unique_lock lock(mutex_);
    if (job_) {
      change_.wait(lock, [this] { return !job_; });
      const double ended = Trace::now();
      ++waits_;
      waited_ += ended - began;
      if (place_.trace != nullptr)
        place_.trace->add({"waits for " + place_.name, place_.process, "waits", began, ended});
    }
    rethrow();
  }

  void finish() override {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [this] { return !job_; });
    rethrow();
  }

  [[nodiscard]] int busy_threads() const noexcept override {
    const std::lock_guard lock(mutex_);
    return job_ ? threads_ : 0;
  }

  void add_waits(LaggedReport& report) override {
    report.waits += waits_;
    report.waited_seconds += waited_;
  }

private:
  void serve() {
    const ThreadLimit limit(threads_);
    std::unique_lock lock(mutex_);
    while (true) {
      change_.wait(lock, [this] { return job_ || closing_; });
      if (!job_) return;
      Stream stream;
      stream.use(versions_);
      lock.unlock();
      std::exception_ptr caught;
      const double began = Trace::now();
      try {
        job_(stream);
      } catch (...) {
        caught = std::current_exception();
      }
      if (place_.trace != nullptr)
        place_.trace->add({place_.name, place_.process, "background: " + place_.name, began, Trace::now()});
      lock.lock();
      job_ = nullptr;
      failure_ = caught;
      change_.notify_all();
    }
  }

  void rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  /// A destructor cannot throw, and nobody has asked.
  void say_lost(const std::exception_ptr& failure) const noexcept {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "heddle: lagged task '%s' failed, and no trigger came after that: %s\n",
                   place_.name.c_str(), error.what());
    } catch (...) {
      std::fprintf(stderr, "heddle: lagged task '%s' failed, and no trigger came after that\n",
                   place_.name.c_str());
    }
  }

  Place place_;
  int threads_;
  mutable std::mutex mutex_; // guards what follows; while a job runs, job_ belongs to the thread
  std::condition_variable change_;
  Job job_; // empty when it is done
  const Versions* versions_ = nullptr;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::int64_t waits_ = 0;
  double waited_ = 0;
  std::thread thread_; // last: it uses all of the above
};

} // namespace

std::unique_ptr<Background> background_thread(Background::Place place, int threads) {
  return std::make_unique<BackgroundThread>(std::move(place), threads);
}

} // namespace heddle
