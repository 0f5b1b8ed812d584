// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_EMULATION_TEXT_HPP
#define HEDDLE_EMULATION_TEXT_HPP

#include <sstream>
#include <string>

namespace heddle::emulation {

/// All parts as one string. (A chain of + on strings makes g++ 12 warn of an overlap that is not there.)
template <class... Parts> std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

} // namespace heddle::emulation

#endif
