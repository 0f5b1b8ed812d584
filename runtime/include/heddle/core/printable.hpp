// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_CORE_PRINTABLE_HPP
#define HEDDLE_CORE_PRINTABLE_HPP

#include <string>
#include <string_view>

namespace heddle {

/// A text from outside, a file's name for instance, as it may go to a terminal, a picture or into XML: valid
/// UTF-8 stays; each byte of a control character, of what is no UTF-8 and of what XML 1.0 has no place for
/// becomes `\x1b`, its hexadecimal value.
[[nodiscard]] std::string printable(std::string_view text);

/// A name as a string of JSON or of Graphviz: in double quotes, without control characters.
[[nodiscard]] std::string in_quotes(std::string_view name);

} // namespace heddle

#endif
