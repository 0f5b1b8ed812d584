// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_AIR_QUALITY_MECHANISM_HPP
#define HEDDLE_AIR_QUALITY_MECHANISM_HPP

#include <string>
#include <utility>
#include <vector>

#include "heddle/chemistry/chemistry.hpp"

namespace air_quality {

inline constexpr double gas_constant = 8.31446261815324; // J mol-1 K-1

/// Carbon Bond 2005: names in the order of the kernels.
[[nodiscard]] const heddle::ChemicalMechanism& cb05();

/// Mole fractions in a polluted boundary layer, in the order of the species.
[[nodiscard]] std::vector<double> usual_mole_fractions();
/// Photolysis at noon (s-1) and emissions at the ground (mol m-3 s-1), in the order of the inputs.
[[nodiscard]] std::vector<double> usual_rates();

/// The species that an input emits, that of the reaction "() -> species"; -1 for one that is no emission.
[[nodiscard]] int emitted_species(const std::string& input);

/// An element that all reactions of the mechanism conserve, and how many atoms molecules have of it.
struct Element {
  std::string name;
  std::vector<std::pair<std::string, int>> atoms;
};
[[nodiscard]] const std::vector<Element>& conserved_elements();

/// Integrators that this program was built with.
[[nodiscard]] std::vector<std::string> integrators();
/// The kernel of one. Throws heddle::Error for one that this program was built without.
[[nodiscard]] heddle::Chemistry::Integrate integrator(const std::string& name);
/// Rodas3 for fields on a device. Throws Error for another name, and without CUDA.
[[nodiscard]] heddle::Chemistry::IntegrateBlock device_integrator(const std::string& name);

} // namespace air_quality

#endif
