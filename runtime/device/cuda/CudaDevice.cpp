// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/HostTransfers.h"
#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/Replay.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/library/CudnnInstructions.h"
#include "runtime/device/cuda/library/LibraryMatmuls.h"

#include <map>

namespace pcc::runtime {
namespace cuda {
namespace {

class CudaDevice final : public Device {
public:
  CudaDevice(std::shared_ptr<const Gpu> gpu, std::shared_ptr<const Code> code,
             std::unique_ptr<Stream> stream, bool allowsTf32)
      : gpu(std::move(gpu)), code(std::move(code)), stream(std::move(stream)),
        matmuls(this->gpu, allowsTf32), cudnn(this->gpu, allowsTf32) {}

  // An error appears again at the first call that does something.
  void enterThread() override { (void)gpu->enter(); }
  bool hasHostMemory() const override { return false; }
  std::byte *constants() override { return code->constants(); }

  Expected<std::unique_ptr<Allocation>> allocate(uint64_t bytes) override {
    auto memory = allocateOn(gpu, bytes);
    if (!memory)
      return memory;
    if (Status status = stream->fill(pointer((*memory)->base), bytes); !status.ok())
      return status;
    return memory;
  }

  Status copyIn(std::byte *destination, std::span<const std::byte> source) override {
    return stream->copyIn(pointer(destination), source);
  }
  Status copyOut(std::span<std::byte> destination, const std::byte *source) override {
    return stream->copyOut(destination, pointer(source));
  }
  Expected<std::unique_ptr<HostToDeviceStaging>> makeHostToDeviceStaging(std::byte *destination,
                                                                         uint64_t bytes) override {
    if (!copies) {
      Expected<std::unique_ptr<SideStream>> made =
          SideStream::make(gpu, SideStream::Priority::Ordinary);
      if (!made)
        return made.status();
      copies = std::move(*made);
    }
    return cuda::makeHostToDeviceStaging(*stream, copies, pointer(destination), bytes);
  }
  Expected<std::unique_ptr<Snapshot>> makeSnapshot(const std::byte *source,
                                                   uint64_t bytes) override {
    return cuda::makeSnapshot(*stream, pointer(source), bytes);
  }
  Status synchronize() override { return stream->synchronize(); }
  uint64_t workspaceBytes() const override { return matmuls.takenBytes() + cudnn.takenBytes(); }

  Status startMarking() override {
    if (clock)
      return clock->renew();
    Expected<std::unique_ptr<EventClock>> made = EventClock::make(gpu);
    if (made)
      clock = std::move(*made);
    return made.status();
  }
  TimestampHandle mark() override { return clock ? clock->mark(stream->get()) : nullptr; }

  Expected<PreparedPointer> prepare(const abi::Instruction &instruction,
                                    const PrepareContext &context) override {
    RankParts parts = ownParts();
    switch (instruction.kind_case()) {
    case abi::Instruction::kLaunch:
      return prepareLaunch(instruction, context, parts);
    case abi::Instruction::kMatmul:
      return prepareMatmul(instruction, context, parts);
    case abi::Instruction::kCopy:
      return prepareCopy(instruction, context, parts);
    case abi::Instruction::kFill:
      return prepareFill(instruction, context, parts);
    case abi::Instruction::kAccumulate:
      return prepareAccumulate(instruction, context, parts);
    case abi::Instruction::kConvolution:
      return prepareConvolution(instruction, context, parts);
    case abi::Instruction::kAttention:
      return prepareAttention(instruction, context, parts);
    default:
      return Status::failed("an instruction that is not the device's was given to it");
    }
  }

  std::unique_ptr<PreparedInstruction> join(std::vector<InstructionToRun> instructions) override {
    return std::make_unique<Replay>(std::move(instructions), *stream);
  }

  void parallel(int64_t count, const std::function<void(int64_t, int64_t)> &body) override {
    body(0, count);
  }

  RankParts ownParts() { return {*code, *stream, matmuls, cudnn, clock.get()}; }

private:
  std::shared_ptr<const Gpu> gpu;
  std::shared_ptr<const Code> code;
  std::unique_ptr<Stream> stream;
  /// For transfers from the host while the rank computes.
  std::shared_ptr<SideStream> copies;
  LibraryMatmuls matmuls;
  CudnnInstructions cudnn;
  std::unique_ptr<EventClock> clock;
};

/// A GPU with the executable's code loaded.
struct LoadedGpu {
  std::shared_ptr<const Gpu> gpu;
  std::shared_ptr<const Code> code;
};

Expected<LoadedGpu> loadOn(const Driver &driver, int ordinal, const abi::Executable &executable) {
  auto gpu = Gpu::open(driver, ordinal);
  if (!gpu)
    return gpu.status();
  auto code = Code::load(*gpu, executable);
  if (!code)
    return code.status();
  return LoadedGpu{*gpu, *code};
}

} // namespace

RankParts partsOf(Device &device) { return static_cast<CudaDevice &>(device).ownParts(); }

} // namespace cuda

Expected<std::vector<std::unique_ptr<Device>>> makeCudaDevices(const abi::Executable &executable,
                                                               int64_t first, int64_t ranks) {
  const Expected<cuda::Driver> &driver = cuda::Driver::get();
  Expected<int> count = driver ? cuda::countGpus(*driver) : driver.status();
  if (count && *count == 0)
    count = Status::unavailable("the driver has no GPU");
  if (!count)
    return count.status().within(
        fmt::format("the program was compiled for GPUs ({}; --target=host needs none)",
                    executable.gpu_code().chip()));
  std::map<int, cuda::LoadedGpu> gpus;
  std::vector<std::unique_ptr<Device>> devices;
  for (int64_t rank = first; rank < first + ranks; ++rank) {
    int ordinal = int(rank % *count);
    if (!gpus.contains(ordinal)) {
      Expected<cuda::LoadedGpu> loaded = cuda::loadOn(*driver, ordinal, executable);
      if (!loaded)
        return loaded.status();
      gpus.emplace(ordinal, std::move(*loaded));
    }
    const cuda::LoadedGpu &own = gpus.at(ordinal);
    Expected<std::unique_ptr<cuda::Stream>> stream = cuda::Stream::make(own.gpu);
    if (!stream)
      return stream.status().at({.rank = rank});
    devices.push_back(std::make_unique<cuda::CudaDevice>(own.gpu, own.code, std::move(*stream),
                                                         executable.gpu_code().tf32()));
  }
  return devices;
}

} // namespace pcc::runtime
