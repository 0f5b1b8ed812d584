// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_HALO_HALO_PLAN_HPP
#define HEDDLE_HALO_HALO_PLAN_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "heddle/halo/exchange.hpp"
#include "heddle/halo/interleaved/local_halo.hpp"
#include "heddle/halo/interleaved/remote_halo.hpp"

namespace heddle {

struct GroupWall;

/// The plan of an exchange for the blocks of a rank: what each block packs and unpacks, and which data goes
/// to which rank.
///
/// All exchanged data passes through one message buffer: first the messages to each other rank,
/// then the data between blocks of this rank (packed and unpacked at the same position), then the messages
/// from each other rank. Each part starts at a multiple of 64 bytes, after 64 bytes that are reserved for a
/// stamp. Both ends of a message list its boxes in the same order: whole vectors first, then boxes in the
/// order of the blocks that own the ghost cells, and of the regions. Ranks that store into each other's
/// fields leave the space of the vectors unused.
///
/// Copies between blocks of this rank belong to the border phase, as messages do, if their axis is decomposed
/// across ranks, or if blocks are interleaved along an axis adjacent to one that is. Copies along the other
/// axes are also needed by the interior of a split sweep, see BlockPart.
///
/// A list has one block per rank, so all its data is exchanged by messages: element after element, in the
/// order of the rows of its table and of the cells that access them, which both ends know.
class HaloPlan {
public:
  static constexpr std::size_t stamp_bytes = 64;

  /// Bytes of the message buffer for one rank; the stamp is stored before them.
  struct Segment {
    int peer = 0;
    std::size_t begin = 0;
    std::size_t bytes = 0;
  };
  /// Rows of MessageBoxes for one block.
  struct Table {
    std::vector<std::int32_t> rows;
    std::int64_t longest = 0;
  };
  /// What is packed or unpacked: tables[block of this rank].
  using Tables = std::vector<Table>;

  /// Data that is exchanged between the interleaved blocks of a group, and that comes back from walls that
  /// only some of them have. It does not pass through the message buffer. Data of a message for another lane
  /// of the same vectors is written together with it, not unpacked.
  struct Shift {
    int field = 0;
    int group = 0; // of blocks of this rank
    std::vector<LocalHaloRow> rows;
    std::int64_t longest = 0; // cells of the largest box
  };

  /// Throws Error for a block thinner than the exchange allows, or more values in the message buffer than
  /// 2^31 - 1. as_on_device: as HaloOptions has it.
  explicit HaloPlan(const Exchange& exchange, bool as_on_device = false);

  /// Elements of fields over a list, as MessageElements has them.
  struct Elements {
    std::vector<std::uint8_t> fields;
    std::vector<std::uint32_t> numbers;
  };
  /// Of a list: for each segment of send() and of receive().
  [[nodiscard]] const std::vector<Elements>& sent() const noexcept { return sent_; }
  [[nodiscard]] const std::vector<Elements>& received() const noexcept { return received_; }

  /// What crosses between a group of interleaved blocks of this rank and others in most of its lanes: whole
  /// vectors. All ranks interleave as many blocks.
  struct Vectors {
    int field = 0;
    int group = 0;                // of blocks of this rank
    std::size_t first_target = 0; // which these rows call 0
    std::vector<RemoteHaloRow> rows;
    std::vector<std::int32_t> of_block;
  };
  [[nodiscard]] const std::vector<Vectors>& sent_vectors() const noexcept { return sent_vectors_; }
  [[nodiscard]] const std::vector<Vectors>& received_vectors() const noexcept { return received_vectors_; }
  /// The groups that such rows go to, or come from, by number.
  struct Target {
    int peer = 0;
    int field = 0;
    int group = 0; // of blocks of the peer
    friend bool operator==(const Target&, const Target&) = default;
  };
  [[nodiscard]] const std::vector<Target>& targets() const noexcept { return targets_; }

  /// For each segment of send(): what does not cross as vectors.
  [[nodiscard]] const std::vector<Tables>& pack() const noexcept { return pack_; }
  /// For each segment of receive().
  [[nodiscard]] const std::vector<Tables>& unpack() const noexcept { return unpack_; }
  /// Between blocks of this rank: what belongs to borders, and the rest.
  struct Local {
    Tables pack;
    Tables unpack;
    std::vector<Shift> shifts;
  };
  [[nodiscard]] const Local& borders() const noexcept { return borders_; }
  [[nodiscard]] const Local& wrap() const noexcept { return wrap_; }
  /// Across which axes blocks have a border.
  [[nodiscard]] const std::array<bool, 3>& border_axes() const noexcept { return border_axes_; }
  /// Cells that regions reach beyond a block, at most.
  [[nodiscard]] int depth() const noexcept { return *std::ranges::max_element(layers_); }
  /// The same along each axis.
  [[nodiscard]] const std::array<int, 3>& layers() const noexcept { return layers_; }
  [[nodiscard]] const std::vector<Segment>& send() const noexcept { return send_; }
  [[nodiscard]] const std::vector<Segment>& receive() const noexcept { return receive_; }
  /// Of the message buffer.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Between blocks of this rank.
  [[nodiscard]] std::size_t local_bytes() const noexcept { return local_bytes_; }
  /// Whether blocks are packed as on a device.
  [[nodiscard]] bool as_on_device() const noexcept { return as_on_device_; }
  /// The same on all ranks that have planned the same.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

  /// One box that crosses from a block to another (src/halo_piece.hpp).
  struct Piece;

private:
  void lay_out(const DenseExchange& exchange);
  void lay_out(const BoundExchange& exchange);
  void lay_out(const SparseExchange& exchange);
  void lay_out(const BoxExchange& exchange, const std::vector<GroupWall>& walls);
  [[nodiscard]] std::vector<Piece> pieces(const BoxExchange& exchange);
  [[nodiscard]] std::vector<const Piece*> take_shifts(const BoxExchange& exchange,
                                                      const std::vector<const Piece*>& pieces,
                                                      const std::vector<GroupWall>& walls,
                                                      std::vector<Shift>& shifts);
  [[nodiscard]] bool arrive_with_shift(const BoxExchange& exchange, const Piece& piece,
                                       std::vector<Shift>& shifts) const;
  [[nodiscard]] std::vector<const Piece*> take_vectors(const BoxExchange& exchange,
                                                       const std::vector<const Piece*>& pieces,
                                                       std::vector<Vectors>& vectors);
  [[nodiscard]] std::size_t begin_segment() noexcept;

  std::vector<Vectors> sent_vectors_;
  std::vector<Vectors> received_vectors_;
  std::vector<Target> targets_;
  std::vector<Tables> pack_;
  std::vector<Tables> unpack_;
  std::vector<Elements> sent_;
  std::vector<Elements> received_;
  Local borders_;
  Local wrap_;
  std::array<bool, 3> border_axes_{};
  std::array<int, 3> layers_{};
  std::vector<Segment> send_;
  std::vector<Segment> receive_;
  std::size_t bytes_ = 0;
  std::size_t local_bytes_ = 0;
  std::uint64_t hash_ = 0;
  bool as_on_device_ = false;
};

} // namespace heddle

#endif
