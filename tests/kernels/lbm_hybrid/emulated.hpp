// SPDX-License-Identifier: Apache-2.0
#ifndef HEDDLE_LBM_HYBRID_EMULATED_HPP
#define HEDDLE_LBM_HYBRID_EMULATED_HPP

#include <cstdint>

#include "heddle/core/stream.hpp"
#include "heddle/grid/block_part.hpp"
#include "heddle/grid/box.hpp"
#include "heddle/grid/field.hpp"
#include "heddle/sparse/cell_range.hpp"
#include "heddle/sparse/index_list.hpp"
#include "heddle/sparse/sparse_field.hpp"
#include "hybrid.hpp"

/// Sweeps whose kernels are the CUDA text, emulated on the host.
namespace hybrid {

/// Base: a sweep of the module, for all but the call.
template <class Base, class T, class Parameters, bool odd> class EmulatedDense : public Base {
public:
  EmulatedDense(heddle::Field<T>& f, const Parameters& scalars) : Base(f, scalars), field_(&f) {}

  void operator()(heddle::Stream&, const heddle::BlockPart& part) const {
    const auto& [g_x, magic, omega] = this->parameters;
    for (const heddle::Box& box : part.boxes(field_->view().extents())) {
      if constexpr (odd)
        lbm_hybrid::dense_odd_cuda(heddle::part(field_->view(), box), g_x, magic, omega, nullptr);
      else
        lbm_hybrid::dense_even_cuda(heddle::part(field_->view(), box), g_x, magic, omega, nullptr);
    }
  }

private:
  heddle::Field<T>* field_;
};

template <class T, class Parameters, bool odd> class EmulatedListed {
public:
  EmulatedListed(heddle::SparseField<T>& f, heddle::CellRange range, const Parameters& scalars)
      : parameters(scalars), field_(&f), range_(range) {}

  void operator()(heddle::Stream&) const {
    const auto& [g_x, magic, omega] = parameters;
    const heddle::IndexList& list = field_->list();
    if constexpr (odd) {
      lbm_hybrid::listed_odd_cuda(field_->view(), list.neighbour(), list.neighbour_stride(),
                                  list.neighbour_run(), range_.first, range_.last, g_x, magic, omega,
                                  nullptr);
    } else {
      lbm_hybrid::listed_even_cuda(field_->view(), range_.first, range_.last, g_x, magic, omega, nullptr);
    }
  }

  Parameters parameters;

private:
  heddle::SparseField<T>* field_;
  heddle::CellRange range_;
};

template <class T>
using Emulated = Sweeps<EmulatedDense<lbm_hybrid::DenseEven<T>, T, lbm_hybrid::DenseEvenParameters, false>,
                        EmulatedDense<lbm_hybrid::DenseOdd<T>, T, lbm_hybrid::DenseOddParameters, true>,
                        EmulatedListed<T, lbm_hybrid::ListedEvenParameters, false>,
                        EmulatedListed<T, lbm_hybrid::ListedOddParameters, true>>;

} // namespace hybrid

#endif
