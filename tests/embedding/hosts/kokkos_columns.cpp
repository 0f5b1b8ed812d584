// SPDX-License-Identifier: Apache-2.0
// A scheme over columns on Views of Kokkos: WSM3, with planes as subviews, in both layouts; every bit as in
// plain arrays of a third layout, by the C++ wrapper without an adapter of Kokkos.
#include <Kokkos_Core.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "heddle/adapters/kokkos.hpp"
#include "wrf_columns.hpp"

namespace {

constexpr std::int64_t n_x = 5, n_y = 4, n_z = 24;

template <class Layout> class OfKokkos {
public:
  float& at(std::int64_t x, std::int64_t y, std::int64_t z) const { return values_(x, y, z); }
  auto view() const { return heddle::adapters::kokkos_view(values_); }
  auto plane() const {
    return heddle::adapters::kokkos_view(Kokkos::subview(values_, Kokkos::ALL(), Kokkos::ALL(), 0));
  }

private:
  Kokkos::View<float***, Layout, Kokkos::HostSpace> values_{"values", std::size_t(n_x), std::size_t(n_y),
                                                            std::size_t(n_z)};
};

/// y is the fastest axis here.
class Plain {
public:
  using View = heddle::adapters::View<float>;
  float& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return values_[static_cast<std::size_t>((x * n_z + z) * n_y + y)];
  }
  View view() { return {values_.data(), {n_x, n_y, n_z, 1}, {n_z * n_y, 1, n_y, 1}}; }
  View plane() { return {values_.data(), {n_x, n_y, 1, 1}, {n_z * n_y, 1, 1, 1}}; }

private:
  std::vector<float> values_ = std::vector<float>(static_cast<std::size_t>(n_x * n_y * n_z));
};

/// th, q, qci, qrs, then w, rho, pii, p, dz of cloudy columns that differ; four fields for the scheme's own
/// use; rain, snow, sr.
template <class Field> std::array<Field, 16> columns() {
  std::array<Field, 16> all;
  for (std::int64_t z = 0; z < n_z; ++z)
    for (std::int64_t y = 0; y < n_y; ++y)
      for (std::int64_t x = 0; x < n_x; ++x) {
        const double height = 400.0 * (static_cast<double>(z) + 0.5);
        const double share = static_cast<double>(x + n_x * y + 1) / static_cast<double>(n_x * n_y);
        const double p = 1e5 * std::exp(-height / 8000), pii = std::pow(p / 1e5, 2.0 / 7);
        const double temperature = 299 - 0.0065 * height, dry = 2e-2 * std::exp(-height / 2500);
        const bool cloudy = z > 3 && z < 18;
        const std::array<double, 9> values{temperature / pii,
                                           dry * share,
                                           cloudy ? 1e-3 * share : 0,
                                           cloudy ? 2e-3 * share : 0,
                                           0.5 * share,
                                           p / (287 * temperature),
                                           pii,
                                           p,
                                           400};
        for (std::size_t i = 0; i < values.size(); ++i)
          all[i].at(x, y, z) = static_cast<float>(values[i]);
      }
  return all;
}

template <class Field> std::array<Field, 16> after_wsm3() {
  std::array<Field, 16> s = columns<Field>();
  for (int step = 0; step < 5; ++step) {
    wrf_columns::wsm3(s[0].view(), s[1].view(), s[2].view(), s[3].view(), s[4].view(), s[5].view(),
                      s[6].view(), s[7].view(), s[8].view(), s[9].view(), s[10].view(), s[11].view(),
                      s[12].view(), s[13].plane(), s[14].plane(), s[15].plane(), 60.0);
  }
  return s;
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

template <class Layout> void compare(const std::string& name, std::array<Plain, 16>& expected) {
  const auto found = after_wsm3<OfKokkos<Layout>>();
  const auto start = columns<OfKokkos<Layout>>();
  hosts::expect(found[0].view().data() == &found[0].at(0, 0, 0), name + ": the kernel gets Kokkos' address");
  std::int64_t wrong = 0, changed = 0, raining = 0;
  for (std::int64_t z = 0; z < n_z; ++z)
    for (std::int64_t y = 0; y < n_y; ++y)
      for (std::int64_t x = 0; x < n_x; ++x) {
        for (const std::size_t i : {0U, 1U, 2U, 3U})
          wrong += bits(found[i].at(x, y, z)) != bits(expected[i].at(x, y, z));
        for (const std::size_t i : {13U, 14U, 15U})
          wrong += bits(found[i].at(x, y, 0)) != bits(expected[i].at(x, y, 0));
        changed += found[0].at(x, y, z) != start[0].at(x, y, z);
        raining += z == 0 && found[13].at(x, y, 0) > 0;
      }
  hosts::expect(wrong == 0,
                name + ": " + std::to_string(wrong) + " values differ from those in plain arrays");
  hosts::expect(changed > n_x * n_y * n_z / 2, name + ": condensation warms the air");
  hosts::expect(raining > n_x * n_y / 2 && raining < n_x * n_y,
                name + ": it rains from most columns, and not from the driest: " + std::to_string(raining));
}

} // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  std::array<Plain, 16> expected = after_wsm3<Plain>();
  compare<Kokkos::LayoutLeft>("Kokkos LayoutLeft", expected);
  compare<Kokkos::LayoutRight>("Kokkos LayoutRight", expected);
  return hosts::result();
}
