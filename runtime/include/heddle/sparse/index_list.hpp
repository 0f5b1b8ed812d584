// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_SPARSE_INDEX_LIST_HPP
#define HEDDLE_SPARSE_INDEX_LIST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heddle/core/buffer.hpp"
#include "heddle/grid/block_grid.hpp"
#include "heddle/grid/block_kinds.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/sparse/cell_numbering.hpp"
#include "heddle/sparse/cell_order.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/link.hpp"
#include "heddle/sparse/list_report.hpp"
#include "heddle/sparse/neighbour_table.hpp"

namespace heddle {

/// The listed cells of a box, numbered n = 0, 1, …, and the table of their neighbours.
///
/// Order: interior cells first, then border cells (within one cell of a face that is communicated); within
/// each group as CellOrder says, by default row-major, x fastest. Entry (row r, cell n) of the table is a
/// flat element index `slot * slot_stride() + cell` into a SparseField; at walls the entry leads back to the
/// cell itself, as Link describes (lbm.md, section 6; Bailey et al. 2009 for AA). The listed cells are
/// followed by the solid boundary nodes that it stores (Link::to_cell), and by padding to a multiple of 32,
/// whose entries point to themselves.
///
/// The list of one of several ranks contains the cells of all its blocks: cells that are adjacent across a
/// block boundary are neighbours, as within a block. It also has ghost cells, numbered after its own cells:
/// copies of listed cells of other ranks' blocks, which an exchange fills (heddle/halo/halo_exchange.hpp).
/// Kernels run over own cells. If links lead to stored cells behind walls, the list also stores the unlisted
/// cells that its own cells and ghost cells access there.
class IndexList {
public:
  /// `flags`: one byte per cell of `box`, x fastest; 0 = not listed. `communicates`: the faces -x, +x, -y,
  /// +y, -z, +z whose cells belong to the border. `slips`: free-slip faces, which the table implements as it
  /// implements bounce-back at walls: a population from beyond such a face is the mirrored population of the
  /// neighbouring cell (specular reflection half-way behind the face), or bounce-back if that cell is not
  /// listed. This has no cost, and no two cells access one element, for AA either. `order`: of the cells;
  /// every order but rows needs a sort and 8 B of host memory per listed cell, and makes tables longer,
  /// because fewer neighbours are contiguous. Throws Error if the number of flags is not the volume of the
  /// box, if no cell is listed, if there are no links or a slot is negative, or if a flat index does not fit
  /// into 32 bits; for a free-slip face also if its axis is periodic, or if a link has no mirror image, is
  /// longer than one cell or leads to stored cells behind walls.
  IndexList(const Box& box, std::span<const std::uint8_t> flags, const std::array<bool, 3>& periodic,
            std::span<const Link> links, Memory memory = Memory::host,
            const std::array<bool, 6>& communicates = {false, false, false, false, false, false},
            const std::array<bool, 6>& slips = {false, false, false, false, false, false},
            CellOrder order = CellOrder::rows);

  /// The list of the one or several blocks of `rank`. Around them, as far as links reach and other ranks have
  /// blocks, listed cells are ghost cells; border cells are the own cells that access them. At empty
  /// positions (BlockGrid::balanced), no cell is listed. An axis is periodic within the list if there is one
  /// block along it, or several blocks of this rank whose ghost cells reach around it. Throws Error as above.
  IndexList(const BlockGrid& grid, int rank, const FlagReader& flags, std::span<const Link> links,
            Memory memory = Memory::host,
            const std::array<bool, 6>& slips = {false, false, false, false, false, false});

  /// The box that contains the list's own cells. It may contain cells of other ranks, too, if this rank has
  /// several blocks.
  [[nodiscard]] const Box& box() const noexcept { return box_; }
  /// By which graphs find out that it has ended.
  [[nodiscard]] const Lifetime& lifetime() const noexcept { return lifetime_; }
  /// The grid of the constructor, or a grid of one block: the box.
  [[nodiscard]] const BlockGrid& grid() const noexcept { return grid_; }
  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] Memory memory() const noexcept { return table_.layout().memory; }
  /// Listed cells, without ghost cells.
  [[nodiscard]] std::int64_t count() const noexcept { return border().last; }
  /// Solid boundary nodes: cells behind walls that a pattern stores in, numbered after all listed ones.
  [[nodiscard]] std::int64_t solid_nodes() const noexcept { return table_.layout().numbered - ghosts().last; }
  /// Listed cells, ghost cells, solid boundary nodes, and padding.
  [[nodiscard]] std::int64_t cells() const noexcept { return table_.layout().cells; }
  [[nodiscard]] CellRange interior() const noexcept { return numbers_.interior(); }
  [[nodiscard]] CellRange border() const noexcept { return numbers_.border(); }
  [[nodiscard]] CellRange all() const noexcept { return {0, count()}; }
  [[nodiscard]] CellRange ghosts() const noexcept { return numbers_.ghosts(); }
  /// Of the solid boundary nodes those that lie in no block of this rank.
  [[nodiscard]] CellRange solid_among_ghosts() const noexcept {
    const std::int64_t last = table_.layout().numbered;
    return {last - std::ssize(solid_places_), last};
  }
  /// Whether cell `n`, listed or solid, is a copy of a cell that lies in no block of this rank.
  [[nodiscard]] bool is_copy(std::int64_t n) const noexcept {
    const auto among = [n](const CellRange& cells) { return n >= cells.first && n < cells.last; };
    return among(ghosts()) || among(solid_among_ghosts());
  }
  /// Whether the list contains all cells of the domain along an axis, so that cells across a periodic face
  /// are its own; otherwise these are ghost cells.
  [[nodiscard]] bool spans(std::size_t axis) const noexcept {
    const Box& domain = grid_.domain();
    const Box& around = numbers_.box();
    return box_.lower[axis] == domain.lower[axis] && box_.upper[axis] == domain.upper[axis] &&
           around.lower[axis] == box_.lower[axis] && around.upper[axis] == box_.upper[axis];
  }
  /// How far border and ghost cells reach from the faces between them.
  [[nodiscard]] int border_width() const noexcept { return border_; }
  /// The cells of `range` that belong to `part`.
  [[nodiscard]] CellRange part(const CellRange& range, const BlockPart& part) const noexcept;

  /// Elements between two slots of a field over this list: a multiple of 16 (64 bytes of f32), >= cells(),
  /// such that the slots of 19 streams fall on different cache sets whether a value has 2, 4 or 8 bytes. On a
  /// device whole pieces of 256 bytes, as rows of a dense field there.
  [[nodiscard]] std::int64_t slot_stride() const noexcept { return table_.layout().slot_stride; }

  /// The neighbour table, in memory(): entry (r, n) at neighbour()[r * neighbour_stride() + n].
  [[nodiscard]] const std::uint32_t* neighbour() const noexcept { return table_.entries().data(); }
  [[nodiscard]] std::int64_t neighbour_stride() const noexcept { return table_.layout().neighbour_stride; }
  [[nodiscard]] int rows() const noexcept { return table_.rows(); }

  /// Cells for which neighbour_run() gives one number per row.
  static constexpr std::int64_t chunk = 16;
  /// What the list says of the entries of 16 cells and a row: number [c * rows() + r] is the entry (r, c *
  /// chunk) where they follow each other, else it leads to a few segments that do, as heddle/device/run.hpp
  /// says. Kernels read it instead of the table: 18 numbers in place of 288 on D3Q19. Host memory only; null
  /// in device memory, and where rows lead to cells.
  [[nodiscard]] const std::uint32_t* neighbour_run() const noexcept { return table_.runs().data(); }
  /// Words of the numbers and their segments.
  [[nodiscard]] std::int64_t neighbour_run_size() const noexcept { return table_.runs().size(); }

  /// The same table compressed for CUDA kernels, in memory(): for 32 cells and a link one number, and where
  /// the entries do not follow each other 32 small differences, as heddle/device/compressed_neighbours.hpp
  /// says. 2.5 B per cell in a box and 12 to 19 B between spheres instead of 72 B on D3Q19. Null for more
  /// than 30 links, and where rows lead to cells. In host memory, where few ask for it, it is made when
  /// first asked for: by any thread; throws Error when there is not enough memory or its places do not fit 32
  /// bits.
  [[nodiscard]] const std::uint32_t* neighbour_chunk() const { return table_.compressed().data(); }
  /// Words of the compressed table.
  [[nodiscard]] std::int64_t neighbour_chunk_size() const { return table_.compressed().size(); }

  /// Size in bytes of all tables that exist now.
  [[nodiscard]] std::int64_t table_bytes() const noexcept { return table_.bytes(); }
  /// Time of construction and size of the tables; report().line() gives them per cell.
  [[nodiscard]] ListReport report() const noexcept {
    return {1, count(), table_bytes(), seconds_, cpu_seconds_};
  }

  /// Index of the cell at x, y, z (coordinates of the box), also of a ghost cell; -1 if it is outside or not
  /// listed.
  [[nodiscard]] std::int64_t cell_of(std::int64_t x, std::int64_t y, std::int64_t z) const noexcept {
    return numbers_.cell_of(x, y, z);
  }
  /// Coordinates of cell `n`, for a ghost cell, or a solid one among these, those beside the box; throws
  /// Error when it is neither.
  [[nodiscard]] std::array<std::int64_t, 3> position(std::int64_t n) const;

  /// Numbers of the listed cells whose byte in `flags` (one a cell of the box, x fastest) equals `value`,
  /// ascending, in memory(): the listed space of a boundary kernel. May be empty.
  [[nodiscard]] Buffer<std::uint32_t> select(std::span<const std::uint8_t> flags, std::uint8_t value) const;

  /// Numbers of the cells of the row at y, z in ascending x: f(n, x) is called for each listed cell.
  template <class F> void for_row(std::int64_t y, std::int64_t z, F&& f) const {
    numbers_.for_row(y, z, std::forward<F>(f));
  }

private:
  void check_flags(std::span<const std::uint8_t> flags, const char* where) const;
  void build_table(const std::array<bool, 3>& periodic, std::span<const Link> links, Memory memory,
                   const std::array<bool, 6>& slips);

  BlockGrid grid_;
  int rank_ = 0;
  Box box_;
  int border_ = 1; // width of the border, and of the ghost cells
  CellNumbering numbers_;
  NeighbourTable table_;
  std::vector<std::array<std::int64_t, 3>> solid_places_; // of solid_among_ghosts()
  double seconds_ = 0;                                    // that the constructor took
  double cpu_seconds_ = 0;                                // of all threads
  Lifetime lifetime_;
};

} // namespace heddle

#endif
