// SPDX-License-Identifier: Apache-2.0
#include "heddle/halo/stamps.hpp"

#include <string>

#include "heddle/core/env_var.hpp"
#include "heddle/core/error.hpp"
#include "heddle/core/printable.hpp"

namespace heddle {

Stamps stamps_of_environment() {
  const std::string wanted = env_var("HEDDLE_STAMPS").value_or("order");
  if (wanted == "off" || wanted == "0") return Stamps::off;
  if (wanted == "order") return Stamps::order;
  if (wanted == "checksums" || wanted == "1") return Stamps::checksums;
  throw Error("HEDDLE_STAMPS", "'" + printable(wanted) + "' is not known",
              "use off (or 0), order, or checksums (or 1)");
}

} // namespace heddle
