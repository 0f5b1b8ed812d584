// SPDX-License-Identifier: Apache-2.0
// Pieces of the record as JSON text; what nodes.hpp is written with.
#ifndef HEDDLE_LIFT_JSON_HPP
#define HEDDLE_LIFT_JSON_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::lift {

/// A finished piece of JSON. Types, expressions and statements are told apart only so that they are not mixed
/// up.
struct Node {
  std::string json;
};
struct Expression : Node {};
struct Statement : Node {};
/// An empty one is Python's None. text: what Python's str() makes of it.
struct Type : Node {
  std::string text = {};
};
/// A literal's value: an integer, a float or a bool.
struct Number : Node {};

/// A line of the source; file without folders.
struct Place {
  std::string file;
  std::int64_t line = 0;
};

/// In quotes, what JSON does not allow escaped; bytes that are no UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

Number number(bool value);
Number number(std::int64_t value);
Number number(std::uint64_t value);
/// Shortest text that reads back as the same value.
Number number(double value);

/// {"node": name, part: value, ...}, the parts in the order of the calls.
class Object {
public:
  explicit Object(std::string_view node);
  Object&& part(std::string_view name, const Node& value) &&;
  Object&& part(std::string_view name, const Type& value) &&;
  Object&& part(std::string_view name, std::string_view value) &&;
  Object&& part(std::string_view name, bool value) &&;
  Object&& part(std::string_view name, std::int64_t value) &&;
  Object&& part(std::string_view name, const Place& value) &&;
  Object&& part(std::string_view name, const std::optional<Expression>& value) &&;
  Object&& part(std::string_view name, const std::vector<std::int64_t>& values) &&;
  Object&& part(std::string_view name, const std::vector<std::pair<std::string, Expression>>& values) &&;

  template <typename Piece> Object&& part(std::string_view name, const std::vector<Piece>& values) && {
    key(name);
    text_ += '[';
    for (const Node& value : values) {
      separate();
      text_ += value.json;
    }
    text_ += ']';
    return std::move(*this);
  }

  std::string text() && { return std::move(text_) + '}'; }

private:
  void key(std::string_view name);
  void separate();

  std::string text_;
};

} // namespace heddle::lift

#endif
