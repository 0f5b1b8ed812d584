// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_IO_CHECKPOINT_HPP
#define HEDDLE_IO_CHECKPOINT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/core/error.hpp"
#include "heddle/graph/task_graph.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/halo/exchange.hpp"
#include "heddle/halo/link_reach.hpp"
#include "heddle/hybrid/hybrid_field.hpp"
#include "heddle/io/checkpoint_block.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "heddle/transport/transport.hpp"

namespace heddle {

/// What Checkpoint keeps, and whom it tells.
struct CheckpointOptions {
  /// The number of complete checkpoints to keep; older ones are removed once a new one is complete.
  int keep = 2;
  /// Called before each operation on the disk, on the rank that does it. For logs, and for tests that stop
  /// the program there.
  std::function<void(std::string_view step)> watch{};
};

/// The state of a run on disk. After the loss of a node, the run continues from it on any number of ranks,
/// with the same bits:
///
///     heddle::Checkpoint checkpoint(folder, "wind", transport);
///     checkpoint.add(f);
///     checkpoint.add("samples", samples);
///     if (resume) step = checkpoint.read();
///     ...
///     checkpoint.write(step);
///
/// All ranks call write() and read() together, between exchanges (after the exchange *after* a kernel). A
/// Field is stored with the ghost cells directly beyond faces of the domain that are not periodic, which hold
/// boundary values; ghost cells within the domain are copies of interior cells. Esoteric patterns store
/// populations in more cells, beyond faces and behind walls: add their fields together with the next steps.
/// (Other ghost cells beyond a face, next to cells of another block, are not restored.)
///
/// All files are in one folder that all ranks can access. A checkpoint consists of one manifest and one part
/// per rank (a rank without cells has none). Parts have names that were never used before, and are on disk
/// before the manifest replaces the old one. Therefore either the old or the new checkpoint exists at any
/// moment, whatever stops the program.
///
///     wind_00000040.checkpoint    manifest: text, one entry a line, %XX for bytes outside '!'...'~'
///     wind_00000040.0.3.part      part of rank 3, first attempt (0) at this step
///
///     heddle checkpoint 1                                           version of this format
///     name wind
///     step 40
///     number samples f64 000000000000f03f                           bytes in memory order
///     field f f32 19 listed                                         dense: all cells of a box; listed: some
///     part wind_00000040.0.3.part 1048576                           bytes
///     block 0 0 | 0 0 0 | 64 64 32 | 51234 | 0 | 9f..e1 | 07..aa …  part, field; lower, upper corner;
///                                                                   cells; place; checksums of the mask
///                                                                   (listed) and each component
///     end 1f2e3d4c5b6a7988                                          checksum of all that stands above
///
/// (The bars stand here only.) A block lies in its part at `place`: for listed cells a mask, one bit per cell
/// of the box, x fastest, then y, z, lowest bit first; then component after component the values of its cells
/// in the same order, each of these padded to a multiple of 8 bytes. Values are little endian. Blocks are
/// found by the place of their cells in the domain and by nothing else, so other blocks on other ranks can
/// take them.
///
/// Checksums find faults, they keep nobody out: FNV-1a over words of eight bytes; a change within one word
/// always shows.
class Checkpoint {
public:
  /// For a program with one rank. Throws Error for a name that is empty or contains a slash, and if less than
  /// one checkpoint would be kept.
  Checkpoint(std::filesystem::path folder, std::string name, CheckpointOptions options = {});
  /// All ranks construct the same checkpoints in the same order. The transport must outlive this.
  Checkpoint(std::filesystem::path folder, std::string name, Transport& transport,
             CheckpointOptions options = {});
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  Checkpoint(Checkpoint&&) = delete;
  Checkpoint& operator=(Checkpoint&&) = delete;

  /// The blocks of a field that are here; it must outlive this. Those of another rank, where one thread
  /// computes several (Ranks), are added in the same way. Throws Error when there is another field of that
  /// name.
  template <class T> void add(Field<T>& field, const std::string& name = {}) {
    const std::size_t number = part_of({named(name, field.name()), type<T>(), field.components(), false},
                                       field.grid(), field.rank());
    for (int b = 0; b < field.blocks(); ++b)
      add_block(number, checkpoint_blocks::dense_block(field, b));
  }

  /// A field of a pattern that keeps populations in neighbours (EsoTwist, EsoPull), between walls. next,
  /// then: the sweeps of the next two steps after write() and read(), which say where cells reach populations
  /// (`next.before()`). Those beyond faces of the domain belong to the cell that reaches them, and are stored
  /// with it in a second field, "... beyond faces"; the rest as above.
  template <class T, class Next, class Then>
  void add(Field<T>& field, const Next& next, const Then& then, const std::string& name = {}) {
    const int components = field.components();
    const DenseReach reached(next.before(), &field, components);
    const DenseReach later(then.before(), &field, components);
    add(field, name);
    if (reached.reach() + later.reach() == 0) return;
    const std::size_t beyond =
        part_of({named(name, field.name()) + " beyond faces", type<T>(), 2 * components, true}, field.grid(),
                field.rank());
    for (int b = 0; b < field.blocks(); ++b)
      add_block(beyond, checkpoint_blocks::beyond_faces_block(field, b, reached, later));
  }

  /// A field over a list, with all blocks of it that are here, or one more block of the field of that name
  /// (each over its own list). Ranks without a block declare it: declare_listed<T>(name, components). Cells
  /// of the list outside `owned` (ghosts) are not stored. Throws Error when the list holds cells behind walls
  /// (EsoTwist, EsoPull): what walls are about to give back stands there, and would be lost; the form below
  /// stores it.
  template <class T> void add(SparseField<T>& field, const std::string& name = {}) {
    const BlockGrid& grid = field.list().grid();
    const int rank = field.list().rank();
    for (int block = grid.first_block(rank); block < grid.first_block(rank + 1); ++block)
      add(field, grid.block(block), name);
  }
  template <class T> void add(SparseField<T>& field, const Box& owned, const std::string& name = {}) {
    refuse_solid_boundary_nodes(field.list(), field.name());
    const std::string known = named(name, field.name());
    add_block(listed_field(known, type<T>(), field.components()),
              checkpoint_blocks::listed_block(field, owned));
  }
  /// A field of a pattern that keeps populations in neighbours and in solid boundary nodes (EsoTwist,
  /// EsoPull), over a list with all blocks of this rank. next, then: the sweeps of the next two steps after
  /// write() and read(), which say where cells reach populations (`next.before()`); stored is what each cell
  /// reaches in the next step, and, in a second field "... behind walls", what comes back to it in the one
  /// after that. write() begins with what is exchanged before `next`, and read() ends with what is exchanged
  /// after it, so all ranks add it in the same order; a PeerGroup needs all of its ranks here. The transport
  /// must outlive this. For other patterns the same as add(field). Throws Error also for more than 31 links.
  template <class T, class Next, class Then>
  void add(SparseField<T>& field, const Next& next, const Then& then, Transport& transport,
           const std::string& name = {}) {
    const SparseExchange before = next.before();
    const LinkPaths reached(before, then.before(), &field, field.components());
    if (reached.linked_count() == 0) return add(field, name);
    const LinkPaths later(then.before(), before, &field, field.components());
    const IndexList& list = field.list();
    const auto walls = std::make_shared<const SparseField<std::uint32_t>>(later.walls(list));
    const std::string known = named(name, field.name());
    const std::size_t number = listed_field(known, type<T>(), field.components());
    const std::size_t behind = listed_field(known + " behind walls", type<T>(), later.linked_count());
    for (int b = list.grid().first_block(list.rank()); b < list.grid().first_block(list.rank() + 1); ++b) {
      const Box& box = list.grid().block(b);
      add_block(number, checkpoint_blocks::reached_block(field, box, reached));
      add_block(behind, checkpoint_blocks::behind_walls_block(field, box, later, walls));
    }
    add_exchanges(before, next.after(), transport);
  }
  template <class T> void declare_listed(const std::string& name, int components) {
    (void)listed_field(name, type<T>(), components);
  }

  /// The own listed cells of the blocks, dense or not, that are here: other kinds of blocks can take them.
  template <class T> void add(HybridField<T>& field, const std::string& name = {}) {
    const std::size_t number =
        part_of({named(name, field.name()), type<T>(), field.components(), true}, field.grid(), field.rank());
    for (typename HybridField<T>::Block& block : field.blocks())
      add_block(number, block.list ? checkpoint_blocks::listed_block(*block.listed, block.cells.box)
                                   : checkpoint_blocks::masked_block<T>(block));
  }

  /// What the next run of a graph depends on beside its fields: how many iterations it has run, and of tasks
  /// that lag (Period) what waits to be published. write() waits for these tasks first, so that the run goes
  /// on with the same bits. The graph, with all its tasks, must outlive this. Throws Error for results that
  /// are neither a Field nor a SparseField, and for lagged tasks of one name.
  void add(TaskGraph& graph);

  /// A number that is equal on all ranks (the value of rank 0 is stored); it must outlive this object.
  template <class T>
    requires std::is_arithmetic_v<T>
  void add(const std::string& name, T& number) {
    add_number(name, type<T>(), reinterpret_cast<std::byte*>(&number), sizeof(T));
  }

  /// A number that must be equal in the resumed run, such as an option of the command line: read() compares
  /// it before it restores anything, and throws an Error that names both values if they differ.
  void require(const std::string& name, double value);

  /// Stores all that was added. On any failure every rank throws the same Error, says which rank it was, and
  /// the checkpoints from before stay as they are. After a success all but the newest `keep` are removed, and
  /// those of a later step, which belong to a future that this run has not had. A run that has read none
  /// refuses a folder that holds checkpoints of another run under this name.
  void write(std::int64_t step);

  /// Restores all that was added from the newest checkpoint, or from that of `step`, and returns its step.
  /// Ghost cells within the domain are for the next exchange to fill. Throws the same Error on every rank,
  /// and what was added then has undefined values, when there is none; when it was truncated or changed (and
  /// names the newest other one that is whole); when it is of another version; or when it holds other fields,
  /// types, components, numbers or cells.
  std::int64_t read();
  void read(std::int64_t step);

  /// Steps of the checkpoints in the folder, ascending; nothing is said about their health.
  [[nodiscard]] std::vector<std::int64_t> steps() const;

  using Block = CheckpointBlock;
  using Get = Block::Get;
  using Put = Block::Put;

private:
  struct State;

  /// Bytes and kind of a type, as manifests name it: f32, i64, u16 (which may be halves).
  struct Type {
    std::string name;
    std::size_t bytes;
  };
  template <class T> static Type type() {
    static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8 && std::endian::native == std::endian::little);
    std::string name(std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u");
    name +=
        std::to_string(8 * sizeof(T)); // g++ 12 at -O3 warns of overlapping copies in "f" + std::to_string()
    return {std::move(name), sizeof(T)};
  }
  static std::string named(const std::string& name, std::string_view otherwise) {
    return name.empty() ? std::string(otherwise) : name;
  }

  struct Declared {
    std::string name;
    Type type;
    int components;
    bool listed;
  };
  /// A field with blocks of a rank, of which those of other ranks may have been added before.
  std::size_t part_of(const Declared& field, const BlockGrid& grid, int rank);
  std::size_t listed_field(const std::string& name, const Type& type, int components);
  void add_block(std::size_t field, Block block);
  void add_exchanges(SparseExchange before, SparseExchange after, Transport& transport);
  void add_number(const std::string& name, const Type& type, std::byte* place, std::size_t bytes);

  static void refuse_solid_boundary_nodes(const IndexList& list, std::string_view field);

  std::unique_ptr<State> state_;
};

} // namespace heddle

#endif
