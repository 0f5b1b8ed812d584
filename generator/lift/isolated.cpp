// SPDX-License-Identifier: Apache-2.0
// Clang is not made for arbitrary input: it may crash, or exhaust the stack. So each file is read in a
// process of its own.
#include "front.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::lift {

namespace {

struct Work {
  const Request& request;
  Result result;
};

/// lift() on a stack that only absurd nesting exhausts.
Result lift_on_large_stack(const Request& request) {
  constexpr std::size_t stack = std::size_t{256} << 20U;
  Work work{request, {}};
  pthread_attr_t attributes;
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    auto& here = *static_cast<Work*>(argument);
    here.result = lift(here.request);
    return nullptr;
  };
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack);
  const int failed = pthread_create(&thread, &attributes, run, &work);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return lift(request);
  pthread_join(thread, nullptr);
  return work.result;
}

void send(int pipe, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(pipe, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

std::string receive(int pipe) {
  std::string text;
  char piece[65536];
  while (true) {
    const ssize_t count = read(pipe, piece, sizeof(piece));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(piece, static_cast<std::size_t>(count));
  }
}

} // namespace

Result lift_isolated(const Request& request) {
  int ends[2];
  if (pipe(ends) != 0)
    return {std::nullopt, "heddle-lift: no pipe: " + std::string(std::strerror(errno)) + '\n'};
  const pid_t child = fork();
  if (child < 0)
    return {std::nullopt, "heddle-lift: no process: " + std::string(std::strerror(errno)) + '\n'};
  if (child == 0) {
    close(ends[0]);
    const Result result = lift_on_large_stack(request);
    send(ends[1], result.record ? 'r' + *result.record : 'd' + result.diagnostics);
    _exit(0);
  }
  close(ends[1]);
  const std::string answer = receive(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || answer.empty()) {
    return {std::nullopt, request.file + ": error: Clang stopped while it read this file\n"};
  }
  if (answer[0] == 'r') return {answer.substr(1), ""};
  return {std::nullopt, answer.substr(1)};
}

} // namespace heddle::lift
