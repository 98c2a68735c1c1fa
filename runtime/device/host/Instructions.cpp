// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are symbols of an ELF image that is loaded from memory. A launch divides its iterations
// among the team. An accumulation divides its elements, in chunks of 4096. Copies and fills run on
// one thread.

#include "runtime/device/host/Instructions.h"

#include "runtime/base/CpuFeatures.h"
#include "runtime/base/HalfFloat.h"

#include <algorithm>
#include <cstring>

namespace pcc::runtime::host {

Expected<std::shared_ptr<const KernelObject>>
KernelObject::load(const abi::Executable &executable) {
  if (executable.has_gpu_code())
    return Status::unavailable(fmt::format(
        "the program was compiled for GPUs ({}), this device is the host: compile it with "
        "--target=host",
        executable.gpu_code().chip()));
  if (Status status = checkCpuFeatures(executable.object().cpu_features()); !status.ok())
    return status;
  auto object = std::make_shared<KernelObject>();
  if (executable.kernels_size() == 0)
    return std::shared_ptr<const KernelObject>(object);
  Expected<SharedLibrary> library =
      SharedLibrary::openImage("kernels of " + executable.name(), executable.object().elf());
  if (!library)
    return library.status();
  object->library = std::move(*library);
  for (const abi::Kernel &kernel : executable.kernels()) {
    void *address = object->library.address(kernel.symbol().c_str());
    if (!address)
      return Status::badInput(fmt::format("kernel '{}': the object has no symbol '{}'",
                                          kernel.name(), kernel.symbol()));
    object->functions.push_back(reinterpret_cast<KernelFunction>(address));
  }
  return std::shared_ptr<const KernelObject>(object);
}

namespace {

class LaunchInstruction final : public PreparedInstruction {
public:
  LaunchInstruction(KernelFunction kernel, LaunchScalars scalars, int64_t trip, const Team &team)
      : kernel(kernel), scalars(std::move(scalars)), trip(trip), team(team) {}

  Status run(const ActionValues &action) override {
    const int64_t *values = scalars.at(action).data();
    team.parallel(trip, [this, values](int64_t begin, int64_t end) {
      kernel(buffers.data(), values, begin, end);
    });
    return {};
  }

  std::vector<void *> buffers;

private:
  const KernelFunction kernel;
  LaunchScalars scalars;
  const int64_t trip;
  const Team &team;
};

class CopyInstruction final : public PreparedInstruction {
public:
  CopyInstruction(void *destination, const void *source, uint64_t bytes)
      : destination(destination), source(source), bytes(bytes) {}
  Status run(const ActionValues &) override {
    std::memcpy(destination, source, bytes);
    return {};
  }

private:
  void *destination;
  const void *source;
  uint64_t bytes;
};

class FillInstruction final : public PreparedInstruction {
public:
  FillInstruction(void *destination, uint64_t bytes) : destination(destination), bytes(bytes) {}
  Status run(const ActionValues &) override {
    std::memset(destination, 0, bytes);
    return {};
  }

private:
  void *destination;
  uint64_t bytes;
};

/// The type in which terms of type T are summed, and the conversion to it.
template <typename T> struct SumOf {
  using Type = float;
  static float widen(T value) { return toFloat(value); }
};
template <> struct SumOf<float> {
  using Type = float;
  static float widen(float value) { return value; }
};
template <> struct SumOf<double> {
  using Type = double;
  static double widen(double value) { return value; }
};

/// Computes destination = or += source (T).
template <typename T> class AccumulateInstruction final : public PreparedInstruction {
public:
  using Sum = typename SumOf<T>::Type;
  AccumulateInstruction(Sum *destination, const T *source, int64_t count,
                        abi::Accumulation accumulation, const Team &team)
      : destination(destination), source(source), count(count), accumulation(accumulation),
        team(team) {}

  Status run(const ActionValues &action) override {
    bool add = adds(accumulation, action);
    // Chunks are whole cache lines, so that two threads never write to the same line.
    constexpr int64_t chunk = 4096;
    team.parallel((count + chunk - 1) / chunk, [this, add](int64_t begin, int64_t end) {
      accumulate(begin * chunk, std::min(count, end * chunk), add);
    });
    return {};
  }

private:
  void accumulate(int64_t begin, int64_t end, bool add) {
    Sum *__restrict target = destination;
    if (add)
      for (int64_t i = begin; i < end; ++i)
        target[i] += SumOf<T>::widen(source[i]);
    else
      for (int64_t i = begin; i < end; ++i)
        target[i] = SumOf<T>::widen(source[i]);
  }

  Sum *destination;
  const T *source;
  int64_t count;
  abi::Accumulation accumulation;
  const Team &team;
};

} // namespace

PreparedPointer prepareLaunch(const abi::Launch &launch, const PrepareContext &context,
                              const KernelObject &object, const Team &team) {
  auto instruction = std::make_unique<LaunchInstruction>(
      object.kernel(launch.kernel()), LaunchScalars(launch, context), launch.trip(), team);
  for (const abi::Operand &operand : launch.operands())
    instruction->buffers.push_back(context.memory.address(context.program, operand));
  return instruction;
}

PreparedPointer prepareCopy(const abi::Copy &copy, const PrepareContext &context) {
  return std::make_unique<CopyInstruction>(
      context.memory.address(context.program, copy.destination()),
      context.memory.address(context.program, copy.source()), copy.bytes());
}

PreparedPointer prepareFill(const abi::Fill &fill, const PrepareContext &context) {
  return std::make_unique<FillInstruction>(
      context.memory.address(context.program, fill.destination()), fill.bytes());
}

PreparedPointer prepareAccumulate(const abi::Accumulate &accumulate, const PrepareContext &context,
                                  const Team &team) {
  std::byte *destination = context.memory.address(context.program, accumulate.destination());
  std::byte *source = context.memory.address(context.program, accumulate.source());
  auto make = [&]<typename T>(T) -> PreparedPointer {
    return std::make_unique<AccumulateInstruction<T>>(
        reinterpret_cast<typename SumOf<T>::Type *>(destination),
        reinterpret_cast<const T *>(source), accumulate.count(), accumulate.accumulation(), team);
  };
  switch (accumulate.source_type()) {
  case abi::F16:
    return make(Float16());
  case abi::BF16:
    return make(BFloat16());
  case abi::F64:
    return make(double());
  default:
    return make(float());
  }
}

} // namespace pcc::runtime::host
