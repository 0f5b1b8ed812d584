// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LIST_ARRAY_HPP
#define HEDDLE_LIST_ARRAY_HPP

/// A view of a field as the C entries take it: three arguments.
#define HEDDLE_ARRAY(view) view.data(), view.extents().data(), view.strides().data()

#endif
