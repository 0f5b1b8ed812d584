// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_MESSAGE_STAMPS_HPP
#define HEDDLE_HALO_MESSAGE_STAMPS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "heddle/core/buffer.hpp"
#include "heddle/core/memory.hpp"
#include "heddle/core/stream.hpp"
#include "heddle/halo/stamps.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// What stands before the bytes of a message. Both ranks run the same program on machines of one kind, so it
/// crosses as it lies in memory.
struct MessageStamp {
  std::uint64_t mark = 0; // that this is a stamp, and which words its checksum covers
  std::uint64_t plan = 0;
  std::int64_t step = 0; // how many steps the exchange did before
  std::uint64_t bytes = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t checksum = 0; // of what stands above and of the covered words
  std::uint64_t unused[2]{};
};

/// Stamps the messages that one exchange sends, and checks those that it receives: on the host at once; in
/// device memory as work in the stream, which may be recorded: the numbers of the steps lie in device memory,
/// and what is found is there once the stream has been waited for.
class MessageStamps {
public:
  MessageStamps() = default;
  /// memory: where messages lie. plan: HaloPlan::hash(). At most so many messages are sent, and received.
  MessageStamps(Stamps level, Memory memory, std::uint64_t plan, int rank, std::size_t messages);

  /// `sent`: where the messages lie, each of which begins with room for a MessageStamp; the same ranks in
  /// each call.
  void write(std::span<const Message> sent, Stream& stream);
  /// Also ends the step.
  void check(std::span<const Message> received, Stream& stream);

  /// The first fault that has been found: "step 6: the message from rank 2 was changed on its way"; or empty.
  [[nodiscard]] std::string fault() const;

  /// A message that is not what was expected.
  struct Fault {
    std::uint64_t found = 0; // whether there is one
    std::int64_t step = 0;   // that was expected
    std::uint64_t bytes = 0;
    std::int32_t from = 0;
    std::int32_t to = 0;
    std::uint64_t checksum = 0; // that its stamp should have, as it came
    MessageStamp stamp;
  };

private:
  [[nodiscard]] bool device() const noexcept { return memory_ == Memory::device; }
  /// body(i) for each i < count: on the host, or in the stream.
  template <class Body> void run(std::int64_t count, const Body& body, Stream& stream) const;
  [[nodiscard]] std::string text(const Fault& fault) const;

  Stamps level_ = Stamps::off;
  Memory memory_ = Memory::host;
  std::uint64_t plan_ = 0;
  int rank_ = 0;
  std::uint64_t covered_ = 0;  // words of a message, at most
  std::int64_t parts_ = 1;     // of a message, which are added side by side
  Buffer<std::int64_t> steps_; // the current one, for each message that goes or comes
  Buffer<std::uint64_t> sums_;
  Buffer<Fault> faults_; // for each sender; on the host, too, where messages are in device memory
};

} // namespace heddle

#endif
