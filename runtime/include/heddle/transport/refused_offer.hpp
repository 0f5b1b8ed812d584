// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_TRANSPORT_REFUSED_OFFER_HPP
#define HEDDLE_TRANSPORT_REFUSED_OFFER_HPP

#include <string>
#include <utility>

#include "heddle/transport/transport.hpp"

namespace heddle {

/// A transport that is known and does not apply to what a program does here. Such offers come last: they are
/// no alternative that the choice has to speak of, but who asks for one by name is to hear why it is not
/// there.
inline TransportOffer refused_offer(std::string name, std::string reason, std::string hint) {
  return {std::move(name), false, std::move(reason), {}, std::move(hint)};
}

/// The same of a transport for fields on devices, where they are not.
inline TransportOffer refused_on_hosts(std::string name) {
  return refused_offer(std::move(name), "the fields lie in host memory",
                       "it takes fields on devices (--device cuda, where the program has that)");
}

} // namespace heddle

#endif
