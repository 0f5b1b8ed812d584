// SPDX-License-Identifier: MIT-0
// A call of a kernel from XLA, JAX's compiler, as a typed foreign function: the kernel works on
// XLA's own buffers. Compiled once for all modules, with the headers in xla/ffi/api that jaxlib
// ships.
//
// Operands are what the kernel takes, in its order: arrays with their ghost layers, row-major, and
// numbers as arrays without axes (of kernels of a GPU as attributes, which are known on the host).
// Results are the arrays that it writes, each in the memory of its operand, then what reductions
// give. Axes before those of an operand are a batch, of the same length for all: one run for each.
// Shapes and types were checked when the call was traced.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "heddle/device/python/call.hpp"
#include "xla/ffi/api/ffi.h"

namespace heddle::python {
namespace {

namespace ffi = xla::ffi;
using ffi::AnyBuffer;
using ffi::DataType;

/// The kernels that JAX may call, by the name of their library and their own: the same in each
/// process, so that compiled programs may be kept.
struct Known {
  std::shared_mutex lock;
  std::map<std::string, const Kernel*, std::less<>> kernels;
};

Known& known() {
  static Known all;
  return all;
}

template <typename Number>
Number element(const AnyBuffer& buffer, std::int64_t at) {
  Number number;
  std::memcpy(&number,
              static_cast<const char*>(buffer.untyped_data()) +
                  at * static_cast<std::int64_t>(sizeof(number)),
              sizeof(number));
  return number;
}

/// One number of a buffer, as a kernel takes it.
bool take_number(const AnyBuffer& buffer, std::int64_t at, Value& value) {
  switch (buffer.element_type()) {
    case DataType::F64:
      value.number = element<double>(buffer, at);
      return true;
    case DataType::F32:
      value.number = static_cast<double>(element<float>(buffer, at));
      return true;
    case DataType::S64:
      value.integer = element<std::int64_t>(buffer, at);
      return true;
    case DataType::S32:
      value.integer = element<std::int32_t>(buffer, at);
      return true;
    default:
      return false;
  }
}

ffi::Error refused(const Kernel& kernel, const std::string& what) {
  return ffi::Error::InvalidArgument(std::string(kernel.name) + ": " + what);
}

/// All runs of a kernel in one call. allocate(bytes): scratch that lives as long as the call.
template <typename Allocate>
class Runs {
 public:
  Runs(const Kernel& kernel, const Variant& variant, ffi::Span<const std::int64_t> ghosts,
       Allocate& allocate)
      : kernel_(kernel), variant_(variant), ghosts_(ghosts), allocate_(allocate) {
  }

  ffi::Error run(void* stream, ffi::RemainingArgs operands, ffi::RemainingRets results,
                 const ffi::Dictionary& attributes) {
    for (std::int64_t at = 0; at < batch_; ++at) {
      ffi::Error wrong = take(at, operands, results, attributes);
      if (wrong.failure()) {
        return wrong;
      }
      const int status = batch_ == 0 ? 0 : variant_.call(values_, stream);
      if (status != 0) {
        return refused(kernel_, "it does not take these arrays (" + std::to_string(status) +
                                    ", see the kernel's header).");
      }
    }
    return ffi::Error::Success();
  }

 private:
  ffi::Error take(std::int64_t at, ffi::RemainingArgs& operands, ffi::RemainingRets& results,
                  const ffi::Dictionary& attributes) {
    std::size_t operand = 0;
    std::size_t result = 0;
    std::int64_t extent[3] = {};
    int most = -1;
    for (int i = 0; i < kernel_.count; ++i) {
      const Parameter& parameter = kernel_.parameters[i];
      const bool number = parameter.role == Role::number || parameter.role == Role::integer;
      if (parameter.role == Role::work) {
        continue;
      }
      if (number && kernel_.device != nullptr) {
        const auto given = attributes.get<double>(parameter.name);
        if (!given.has_value()) {
          return refused(kernel_, "the call lacks '" + std::string(parameter.name) + "'.");
        }
        values_[i].number = given.value();
        values_[i].integer = static_cast<std::int64_t>(given.value());
        continue;
      }
      if (parameter.role == Role::output) {
        auto found = results.get<AnyBuffer>(result++);
        if (!found.has_value()) {
          return found.error();
        }
        values_[i].data =
            static_cast<char*>(found.value()->untyped_data()) + at * variant_.types[i].bytes();
        continue;
      }
      const auto found = operands.get<AnyBuffer>(operand++);
      if (!found.has_value()) {
        return found.error();
      }
      const AnyBuffer buffer = found.value();
      const int axes = number ? 0 : parameter.role == Role::profile ? 1 : parameter.axes();
      const auto shape = buffer.dimensions();
      const int before = static_cast<int>(shape.size()) - axes;
      if (before < 0) {
        return refused(kernel_, "'" + std::string(parameter.name) + "' has too few axes.");
      }
      batch_ = 1;
      for (int d = 0; d < before; ++d) {
        batch_ *= shape[static_cast<std::size_t>(d)];
      }
      if (batch_ == 0) {
        return ffi::Error::Success();
      }
      if (number) {
        if (!take_number(buffer, at, values_[i])) {
          return refused(kernel_, "'" + std::string(parameter.name) + "' has another type.");
        }
        continue;
      }
      take_array(i, at, buffer, before);
      if (parameter.written) {
        auto given = results.get<AnyBuffer>(result++);
        if (!given.has_value() || given.value()->untyped_data() != buffer.untyped_data()) {
          return refused(kernel_, "XLA gave the result '" + std::string(parameter.name) +
                                      "' other memory than the operand.");
        }
      }
      if (parameter.role == Role::array && parameter.space > most) {
        most = parameter.space;
        for (int d = 0; d < most; ++d) {
          extent[d] = cells_along(parameter, values_[i], d);
        }
      }
    }
    for (int d = 0; d < kernel_.dimensions; ++d) {
      keep_layer(kernel_, variant_.types, d, extent, values_);
    }
    for (int i = 0; i < kernel_.count; ++i) {
      if (kernel_.parameters[i].role == Role::work && at == 0) {
        values_[i].data = allocate_(room_for_work(kernel_, extent) * 8);
        if (values_[i].data == nullptr) {
          return refused(kernel_, "there is no memory left for a reduction.");
        }
      }
    }
    return ffi::Error::Success();
  }

  /// Axes from the order of Python to the kernel's, and from the whole array to its interior.
  void take_array(int i, std::int64_t at, const AnyBuffer& buffer, int before) {
    const Parameter& parameter = kernel_.parameters[i];
    const auto shape = buffer.dimensions();
    const std::int64_t bytes = variant_.types[i].bytes();
    Value& value = values_[i];
    std::int64_t stride = 1;
    std::int64_t first = 0;
    for (int d = 0; d < static_cast<int>(shape.size()) - before; ++d) {
      const std::int64_t whole = shape[shape.size() - 1 - static_cast<std::size_t>(d)];
      const bool space = parameter.role == Role::array && d < parameter.space;
      const std::int64_t around = space ? ghosts_[static_cast<std::size_t>(d)] : 0;
      value.extent[d] = whole - 2 * around;
      value.stride[d] = stride;
      first += around * stride;
      stride *= whole;
    }
    first += parameter.role == Role::profile ? parameter.around : 0;
    value.data = static_cast<char*>(buffer.untyped_data()) + (at * stride + first) * bytes;
  }

  const Kernel& kernel_;
  const Variant& variant_;
  ffi::Span<const std::int64_t> ghosts_;
  Allocate& allocate_;
  std::int64_t batch_ = 1;
  Value values_[most_parameters] = {};
};

template <typename Allocate>
ffi::Error call(void* stream, Allocate allocate, ffi::RemainingArgs operands,
                ffi::RemainingRets results, const ffi::Dictionary& attributes) {
  const auto name = attributes.get<std::string_view>("kernel");
  const auto precision = attributes.get<std::int64_t>("precision");
  const auto ghosts = attributes.get<ffi::Span<const std::int64_t>>("ghosts");
  if (!name.has_value() || !precision.has_value() || !ghosts.has_value()) {
    return ffi::Error::InvalidArgument("heddle: the call says no kernel.");
  }
  const Kernel* kernel = nullptr;
  {
    const std::shared_lock held(known().lock);
    const auto found = known().kernels.find(name.value());
    kernel = found == known().kernels.end() ? nullptr : found->second;
  }
  if (kernel == nullptr) {
    return ffi::Error::InvalidArgument("heddle: the kernel " + std::string(name.value()) +
                                       " is not loaded in this process; load its module, and give "
                                       "it to heddle.in_jax.");
  }
  Runs runs(*kernel, kernel->variants[precision.value()], ghosts.value(), allocate);
  return runs.run(stream, operands, results, attributes);
}

ffi::Error on_host(ffi::RemainingArgs operands, ffi::RemainingRets results,
                   ffi::Dictionary attributes) {
  std::unique_ptr<char[]> scratch[most_parameters];
  int count = 0;
  const auto allocate = [&](std::size_t bytes) -> void* {
    return (scratch[count++] = std::make_unique<char[]>(bytes)).get();
  };
  return call(nullptr, allocate, operands, results, attributes);
}

ffi::Error on_gpu(void* stream, ffi::ScratchAllocator scratch, ffi::RemainingArgs operands,
                  ffi::RemainingRets results, ffi::Dictionary attributes) {
  const auto allocate = [&](std::size_t bytes) -> void* {
    return scratch.Allocate(bytes, 256).value_or(nullptr);
  };
  return call(stream, allocate, operands, results, attributes);
}

}  // namespace
}  // namespace heddle::python

/// Make a kernel known under a name.
extern "C" void heddle_xla_add(const char* name, const void* kernel) {
  heddle::python::Known& all = heddle::python::known();
  const std::unique_lock held(all.lock);
  all.kernels[name] = static_cast<const heddle::python::Kernel*>(kernel);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(heddle_xla_host, heddle::python::on_host,
                              xla::ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attrs());

XLA_FFI_DEFINE_HANDLER_SYMBOL(heddle_xla_gpu, heddle::python::on_gpu,
                              xla::ffi::Ffi::Bind()
                                  .Ctx<xla::ffi::PlatformStream<void*>>()
                                  .Ctx<xla::ffi::ScratchAllocator>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attrs());
