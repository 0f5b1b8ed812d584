// SPDX-License-Identifier: MIT-0
// A call of a kernel from XLA, JAX's compiler, as a typed foreign function: the kernel works on
// XLA's own buffers. Compiled once for all modules, with the headers in xla/ffi/api that jaxlib
// ships.
//
// Operands are what the kernel takes, in its order: arrays with their ghost layers, row-major, and
// numbers as arrays without axes. Kernels of a GPU take numbers that are known as attributes, and
// others from its memory, for which the call waits.
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

/// One number of bytes in the memory of the host, as a kernel takes it.
bool take_number(DataType type, const void* bytes, Value& value) {
  const auto as = [bytes](auto number) {
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  };
  switch (type) {
    case DataType::F64:
      value.number = as(double{});
      return true;
    case DataType::F32:
      value.number = static_cast<double>(as(float{}));
      return true;
    case DataType::S64:
      value.integer = as(std::int64_t{});
      return true;
    case DataType::S32:
      value.integer = as(std::int32_t{});
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
    stream_ = stream;
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
        if (given.has_value()) {
          values_[i].number = given.value();
          values_[i].integer = static_cast<std::int64_t>(given.value());
          continue;
        }
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
        const ffi::Error wrong = take_number_of(parameter, buffer, at, values_[i]);
        if (wrong.failure()) {
          return wrong;
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

  ffi::Error take_number_of(const Parameter& parameter, const AnyBuffer& buffer, std::int64_t at,
                            Value& value) {
    const std::size_t size = buffer.size_bytes() / buffer.element_count();
    const auto* const from =
        static_cast<const char*>(buffer.untyped_data()) + at * static_cast<std::int64_t>(size);
    char bytes[sizeof(double)] = {};
    const bool known = size <= sizeof(bytes);
    if (known && kernel_.device == nullptr) {
      std::memcpy(bytes, from, size);
    } else if (known && kernel_.device->fetch(bytes, from, size, stream_) != 0) {
      return refused(kernel_, "'" + std::string(parameter.name) + "' cannot be read from the GPU.");
    }
    if (!known || !take_number(buffer.element_type(), bytes, value)) {
      return refused(kernel_, "'" + std::string(parameter.name) + "' has another type.");
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
  void* stream_ = nullptr;
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
    return scratch.Allocate(bytes, alignof(double)).value_or(nullptr);  // XLA refuses more than 16
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
