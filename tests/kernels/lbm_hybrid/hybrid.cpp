// SPDX-License-Identifier: Apache-2.0
#include "hybrid.hpp"

namespace hybrid {

template struct OneList<double>;
template struct OneList<float>;
template struct OneList<std::uint16_t>;
template Outcome compare<double>(const OneList<double>&, heddle::Transport&, const Run&);
template Outcome compare<float>(const OneList<float>&, heddle::Transport&, const Run&);
template Outcome compare<std::uint16_t>(const OneList<std::uint16_t>&, heddle::Transport&, const Run&);

} // namespace hybrid
