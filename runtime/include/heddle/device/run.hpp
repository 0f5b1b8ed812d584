// SPDX-License-Identifier: MIT-0
// Runs: up to `length` elements taken at once, in memory or by way of a small array.
//
// A list (IndexList::neighbour_run) says of the entries of 16 cells and a link with one number:
//   below `first_of_segments`  they follow each other, and this is the first;
//   `unknown`                  nothing: the plain table has them;
//   else                       number - `first_of_segments` words after the number there are
//   run-length
//                              segments, two at a time: a word of masks and two bases. Lane l has
//                              the entry base 0 + l where bit l of the masks is set, and base 1 + l
//                              where bit 16 + l is set. Pairs follow until each lane has its entry.
//                              Bases may be some lanes below 0.
#ifndef HEDDLE_DEVICE_RUN_HPP
#define HEDDLE_DEVICE_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "heddle/device/row.hpp"

namespace heddle {

/// Cells of a chunk of a list.
inline constexpr int run_cells = 16;
/// Meaning of the numbers of IndexList::neighbour_run.
namespace run_entry {
/// Numbers from here on are not first entries, but lead to segments.
inline constexpr std::uint32_t first_of_segments = 0x80000000U;
/// The strip has no run: its entries are in the plain table.
inline constexpr std::uint32_t unknown = 0xFFFFFFFFU;
/// Words of two segments.
inline constexpr int words_of_pair = 3;
}  // namespace run_entry

/// Whether so many elements of the type of an array's take more memory than that.
template <typename T>
constexpr bool exceeds_mebibytes(const T* /*array*/, std::int64_t elements,
                                 std::int64_t mebibytes) {
  return elements > mebibytes * (std::int64_t{1 << 20} / static_cast<std::int64_t>(sizeof(T)));
}

/// Whether runs of `length` entries that follow each other are those of the table, for whole strips
/// of cells first <= n < last. Segments, and what is left to a kernel's own checks, are not looked
/// at.
template <int length>
inline bool runs_match(const std::uint32_t* run, const std::uint32_t* table, int rows,
                       std::int64_t table_stride, std::int64_t first, std::int64_t last) {
  if (run == nullptr || table == nullptr || first < 0 || last > table_stride) {
    return true;
  }
  bool match = true;
  for (std::int64_t strip = (first + length - 1) / length; strip < last / length; ++strip) {
    for (int row = 0; row < rows; ++row) {
      const std::uint32_t begin = run[strip * rows + row];
      const std::uint32_t* const entries = table + row * table_stride + strip * length;
      for (std::uint32_t l = 0; begin < run_entry::first_of_segments && l < length; ++l) {
        match = match && entries[l] == begin + l;
      }
    }
  }
  return match;
}

namespace detail {

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define HEDDLE_MASKED_RUNS

/// One vector of elements, the lanes under a mask.
template <typename T>
struct Lanes {
  static constexpr int count = 0;  // no vectors of this type
};

template <>
struct Lanes<float> {
  using Vector = __m512;
  static constexpr int count = 16;
  static __m512 load(__m512 rest, unsigned mask, const float* from) {
    return _mm512_mask_loadu_ps(rest, static_cast<__mmask16>(mask), from);
  }
  static __m512 load(const float* local) {
    return _mm512_load_ps(local);
  }
  static void store(float* to, unsigned mask, __m512 value) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(mask), value);
  }
  static void store(float* local, __m512 value) {
    _mm512_store_ps(local, value);
  }
  static void stream(float* to, __m512 value) {
    _mm512_stream_ps(to, value);
  }
};

template <>
struct Lanes<double> {
  using Vector = __m512d;
  static constexpr int count = 8;
  static __m512d load(__m512d rest, unsigned mask, const double* from) {
    return _mm512_mask_loadu_pd(rest, static_cast<__mmask8>(mask), from);
  }
  static __m512d load(const double* local) {
    return _mm512_load_pd(local);
  }
  static void store(double* to, unsigned mask, __m512d value) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>(mask), value);
  }
  static void store(double* local, __m512d value) {
    _mm512_store_pd(local, value);
  }
  static void stream(double* to, __m512d value) {
    _mm512_stream_pd(to, value);
  }
};

#if defined(__AVX512BW__)
template <>
struct Lanes<std::uint16_t> {
  using Vector = __m256i;
  static constexpr int count = 16;
  static __m256i load(__m256i rest, unsigned mask, const std::uint16_t* from) {
    return _mm256_mask_loadu_epi16(rest, static_cast<__mmask16>(mask), from);
  }
  static __m256i load(const std::uint16_t* local) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(local));
  }
  static void store(std::uint16_t* to, unsigned mask, __m256i value) {
    _mm256_mask_storeu_epi16(to, static_cast<__mmask16>(mask), value);
  }
  static void store(std::uint16_t* local, __m256i value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(local), value);
  }
};
#endif

/// A mask of the first `count` of `length` lanes.
template <int length>
inline unsigned first_lanes(std::int64_t count) {
  constexpr unsigned all = (1U << length) - 1U;
  return count < length ? (1U << static_cast<unsigned>(count)) - 1U : all;
}

/// Whether a list has segments for runs of `length` elements, and there are vectors for them.
template <typename T, int length>
inline constexpr bool whole_vectors = Lanes<T>::count > 0 && length == run_cells;

/// Calls `move(mask, vector, base)` for the lanes of each segment and vector: lane l under the
/// mask, counted from the vector's first, has element base + l.
template <typename T, typename Move>
inline void for_segments(const std::uint32_t* pair, Move&& move) {
  constexpr int lanes = Lanes<T>::count;
  constexpr unsigned all = (1U << lanes) - 1U;
  constexpr unsigned chunk = (1U << run_cells) - 1U;
  unsigned done = 0;
  do {
    for (int segment = 0; segment < 2; ++segment) {
      const unsigned mask = pair[0] >> static_cast<unsigned>(segment * run_cells) & chunk;
      const auto base = static_cast<std::int32_t>(
          pair[1 + segment]);  // lane 0 may lie before the field: not touched
      for (int vector = 0; vector < run_cells / lanes; ++vector) {
        const auto first = static_cast<unsigned>(vector * lanes);
        move(mask >> first & all, vector, std::int64_t{base} + vector * lanes);
      }
      done |= mask;
    }
    pair += run_entry::words_of_pair;
  } while (done != chunk);
}

#endif

}  // namespace detail

/// Prefetch the cache lines of the runs of several rows, `run` being the first of their numbers, if
/// a run of `length` elements is contiguous; if a run continues where the last one ended, only its
/// last lines.
template <int length, int rows, typename T>
inline void prefetch_runs(T* field, const std::uint32_t* run) {
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int row = 0; row < rows; ++row) {
    if (run[row] < run_entry::first_of_segments) {
      prefetch<length>(field + run[row] + (line - 1));
    }
  }
}

namespace detail {

/// load_run where the run is not whole. Out of line: at each of a kernel's links it would crowd the
/// instruction cache.
template <int length, typename T, typename Field>
[[gnu::noinline]] T* load_apart(T* __restrict__ local, Field* field, const std::uint32_t* index,
                                std::int64_t count, [[maybe_unused]] const std::uint32_t* run) {
#if defined(HEDDLE_MASKED_RUNS)
  if constexpr (whole_vectors<T, length>) {
    if (*run != run_entry::unknown && count == length) {
      using Lanes = detail::Lanes<T>;
      typename Lanes::Vector value[static_cast<std::size_t>(length / Lanes::count)] = {};
      for_segments<T>(run + (*run - run_entry::first_of_segments),
                      [&](unsigned mask, int vector, std::int64_t base) {
                        value[vector] = Lanes::load(value[vector], mask, field + base);
                      });
      for (int vector = 0; vector < length / Lanes::count; ++vector) {
        Lanes::store(local + vector * Lanes::count, value[vector]);
      }
      return local;
    }
  }
#endif
  for (std::int64_t l = 0; l < count; ++l) {
    local[l] = field[index[l]];
  }
  return local;
}

/// store_run where the run is not whole.
template <int length, typename T>
[[gnu::noinline]] void store_apart(T* field, const T* line, const std::uint32_t* index,
                                   std::int64_t count, [[maybe_unused]] const std::uint32_t* run) {
#if defined(HEDDLE_MASKED_RUNS)
  if constexpr (whole_vectors<T, length>) {
    if (*run != run_entry::unknown && count == length) {
      using Lanes = detail::Lanes<T>;
      for_segments<T>(run + (*run - run_entry::first_of_segments),
                      [&](unsigned mask, int vector, std::int64_t base) {
                        Lanes::store(field + base, mask, Lanes::load(line + vector * Lanes::count));
                      });
      return;
    }
  }
#endif
  for (std::int64_t l = 0; l < count; ++l) {
    field[index[l]] = line[l];
  }
}

}  // namespace detail

/// A line of `length` elements with [l] = field[index[l]] for 0 <= l < count <= length: the field's
/// own where `run`, what a list says of these indices, has it that they follow each other, else
/// `local`, aligned to 64 bytes.
template <int length, typename T, typename Field>
inline Field* load_run(T* __restrict__ local, Field* field, const std::uint32_t* index,
                       std::int64_t count, const std::uint32_t* run) {
  if (*run < run_entry::first_of_segments && count == length) {
    return field + *run;
  }
  return detail::load_apart<length>(local, field, index, count, run);
}

/// field[index[l]] = line[l] for 0 <= l < count <= length, the indices being distinct; `run` as
/// above. `line` is aligned to 64 bytes, or is what load_run gave for the same run: then the
/// field's own elements are where they belong.
template <int length, typename T>
inline void store_run(T* field, const T* line, const std::uint32_t* index, std::int64_t count,
                      const std::uint32_t* run) {
  if (*run < run_entry::first_of_segments && count == length) {
    T* const first = field + *run;
    if (line != first) {
      std::memcpy(first, line, sizeof(T) * length);
    }
    return;
  }
  detail::store_apart<length>(field, line, index, count, run);
}

namespace detail {

/// Where the elements of a Line are: in its own array, or in the row where that has all of them.
template <typename T, int length>
struct LinePlace {
  alignas(64) T local[std::size_t{length}];
  const T* first = local;
};

#if defined(HEDDLE_MASKED_RUNS)
/// Where a masked load takes the elements of any line at once, they are always in its own array: a
/// pointer that leads to it would keep it in memory.
template <typename T, int length>
  requires(Lanes<T>::count == length)
struct LinePlace<T, length> {
  alignas(64) T local[std::size_t{length}];
};
#endif

}  // namespace detail

/// A line of `length` elements with [l] = row[first + l] for 0 <= l < count <= length, and 0 in the
/// lanes beyond. Compilers that know the length leave nothing of its array but a vector, which is
/// loaded under a mask. Without masks it is the row itself where no lane is beyond.
template <typename T, int length>
class Line {
 public:
  template <typename Row>
  [[gnu::always_inline]] inline Line(Row row, std::int64_t first, std::int64_t count) {
    if constexpr (detail::is_line<Row>) {
      if constexpr (masked) {
#if defined(HEDDLE_MASKED_RUNS)
        using Lanes = detail::Lanes<T>;
        const typename Lanes::Vector rest = {};
        Lanes::store(place_.local,
                     Lanes::load(rest, detail::first_lanes<length>(count), row + first));
#endif
        return;
      } else if (count == length) {
        place_.first = row + first;
        return;
      }
    }
    for (std::int64_t l = 0; l < length; ++l) {
      place_.local[l] = l < count ? row[first + l] : T{};
    }
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const T& operator[](std::int64_t l) const {
    if constexpr (masked) {
      return place_.local[l];
    } else {
      return place_.first[l];
    }
  }

 private:
#if defined(HEDDLE_MASKED_RUNS)
  static constexpr bool masked = detail::Lanes<T>::count == length;
#else
  static constexpr bool masked = false;
#endif
  detail::LinePlace<T, length> place_;
};

// Lanes beyond `count` may never have been set: they are loaded with the others, so that a vector
// stays in its register, and stored nowhere. g++ warns of them where it knows the array.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// row[first + l] = local[l] for 0 <= l < count <= length, past the caches where whole aligned
/// vectors allow it.
template <int length, typename T>
[[gnu::always_inline]] inline void stream_run(T* row, std::int64_t first, const T* local,
                                              std::int64_t count) {
  T* const to = row + first;
#if defined(HEDDLE_MASKED_RUNS)
  if constexpr (detail::Lanes<T>::count == length && sizeof(T) * length == 64) {
    using Lanes = detail::Lanes<T>;
    const typename Lanes::Vector value = Lanes::load(local);
    if (count == length && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) {
      Lanes::stream(to, value);
    } else {
      Lanes::store(to, detail::first_lanes<length>(count), value);
    }
    return;
  }
#endif
  std::int64_t l = 0;
#if defined(__AVX512F__)
  constexpr int vector = 64 / static_cast<int>(sizeof(T));
  if (length % vector == 0 && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) {
    for (; l + vector <= count; l += vector) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(to + l),
                          _mm512_load_si512(reinterpret_cast<const __m512i*>(local + l)));
    }
  }
#elif defined(__AVX__)
  constexpr int vector = 32 / static_cast<int>(sizeof(T));
  if (length % vector == 0 && reinterpret_cast<std::uintptr_t>(to) % 32 == 0) {
    for (; l + vector <= count; l += vector) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(to + l),
                          _mm256_load_si256(reinterpret_cast<const __m256i*>(local + l)));
    }
  }
#endif
  for (; l < count; ++l) {
    to[l] = local[l];
  }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <int length, typename T>
inline void stream_run(const StridedRow<T>& row, std::int64_t first, const T* local,
                       std::int64_t count) {
  for (std::int64_t l = 0; l < count; ++l) {
    row[first + l] = local[l];
  }
}

/// The same for several rows, of which each begins `apart` elements of memory after the one before.
template <int length, typename Row, typename... T>
[[gnu::always_inline]] inline void stream_lines(Row row, std::int64_t apart, std::int64_t first,
                                                std::int64_t count, const T*... lines) {
  std::int64_t before = 0;
  (stream_run<length>(further(row, apart * before++), first, lines, count), ...);
}

}  // namespace heddle

#endif
