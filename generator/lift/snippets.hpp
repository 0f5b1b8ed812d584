// SPDX-License-Identifier: Apache-2.0
// Random C++ that Clang mostly accepts: bytes are the choices between the rules of a small grammar.
#ifndef HEDDLE_LIFT_SNIPPETS_HPP
#define HEDDLE_LIFT_SNIPPETS_HPP

#include <cstdint>
#include <span>
#include <string>

namespace heddle::lift {

/// A translation unit; the same bytes give the same text. cuda: with kernels.
std::string snippet(std::span<const std::uint8_t> choices, bool cuda);

} // namespace heddle::lift

#endif
