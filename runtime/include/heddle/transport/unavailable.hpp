// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_UNAVAILABLE_HPP
#define HEDDLE_TRANSPORT_UNAVAILABLE_HPP

#include <string>
#include <utility>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// A transport that is known and does not apply to what a program does here. Such candidates come last: they
/// are no alternative that the choice has to speak of, but who asks for one by name is to hear why it is not
/// there.
inline TransportCandidate unavailable(std::string name, std::string reason, std::string hint) {
  return {std::move(name), false, std::move(reason), {}, std::move(hint)};
}

/// The same of a transport for fields on devices, where they are not.
inline TransportCandidate unavailable_on_hosts(std::string name) {
  return unavailable(std::move(name), "the fields lie in host memory",
                     "it takes fields on devices (--device cuda, where the program has that)");
}

} // namespace heddle

#endif
