// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/Replay.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/PinnedMemory.h"
#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/library/CudnnInstructions.h"
#include "runtime/device/cuda/library/LibraryMatmuls.h"

#include <map>

namespace pcc::runtime {
namespace cuda {
namespace {

// Transfers between host and GPU that overlap with computation. A staging transfers the data of the
// next step while the GPU computes the current one:
//
//   host            writes image ........ writes image ........
//   copies                       to GPU ....            to GPU ....
//   rank's stream   step n ..................| move | step n+1 ......
//
// The transferred data wait in a GPU buffer of their own, since their destination is read until the
// end of the step. When the rank's stream reaches the move, it copies them at the speed of GPU
// memory. A snapshot of device memory is read by the host while the next steps are enqueued.

class CudaHostToDeviceStaging final : public HostToDeviceStaging {
public:
  CudaHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                          DevicePointer destination, PinnedMemory onHost,
                          std::unique_ptr<Allocation> onGpu, Event arrived, Event moved)
      : stream(stream), copies(std::move(copies)), destination(destination),
        onHost(std::move(onHost)), onGpu(std::move(onGpu)), arrived(std::move(arrived)),
        moved(std::move(moved)) {}
  ~CudaHostToDeviceStaging() override {
    (void)arrived.synchronize();
    (void)moved.synchronize();
  }

  std::byte *image() override { return onHost.data(); }
  Status wait() override { return stream.withInstructions(arrived.synchronize()); }
  Status send() override {
    if (onHost.bytes().empty())
      return {};
    Status status = stream.gpu->enter();
    if (status.ok())
      status = copy();
    return stream.withInstructions(status.ok() ? move() : std::move(status));
  }

private:
  Status copy();
  Status move();

  Stream &stream;
  const std::shared_ptr<SideStream> copies;
  const DevicePointer destination;
  const PinnedMemory onHost;
  const std::unique_ptr<Allocation> onGpu;
  Event arrived, moved;
};

Status CudaHostToDeviceStaging::copy() {
  const Driver &driver = stream.driver();
  if (Status status = copies->waitFor(moved); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyHostToDevice(pointer(onGpu->base), onHost.data(),
                                                             onHost.bytes().size(), copies->get()),
                                   "cuMemcpyHtoDAsync");
      !status.ok())
    return status;
  return copies->record(arrived);
}

Status CudaHostToDeviceStaging::move() {
  const Driver &driver = stream.driver();
  if (Status status = stream.waitFor(arrived); !status.ok())
    return status;
  if (Status status = driver.check(driver.memcpyDeviceToDevice(destination, pointer(onGpu->base),
                                                               onHost.bytes().size(), stream.get()),
                                   "cuMemcpyDtoDAsync");
      !status.ok())
    return status;
  return stream.record(moved);
}

/// Enqueues transfers on `copies`, which several places of the rank may share, and moves on
/// `stream`. `copies` must have ordinary priority. With first priority, which waiting receives
/// have, a transfer queued behind such a receive could delay the step that sends the answer.
Expected<std::unique_ptr<HostToDeviceStaging>>
makeHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                        DevicePointer destination, uint64_t bytes) {
  auto onHost = PinnedMemory::make(stream.gpu, bytes);
  if (!onHost)
    return onHost.status();
  auto onGpu = allocateOn(stream.gpu, bytes);
  if (!onGpu)
    return onGpu.status();
  Expected<Event> arrived = Event::make(stream.gpu), moved = Event::make(stream.gpu);
  if (!arrived || !moved)
    return arrived ? moved.status() : arrived.status();
  return std::unique_ptr<HostToDeviceStaging>(std::make_unique<CudaHostToDeviceStaging>(
      stream, std::move(copies), destination, std::move(*onHost), std::move(*onGpu),
      std::move(*arrived), std::move(*moved)));
}

class CudaSnapshot final : public Snapshot {
public:
  CudaSnapshot(Stream &stream, DevicePointer source, PinnedMemory onHost, Event taken)
      : stream(stream), source(source), onHost(std::move(onHost)), taken(std::move(taken)) {}
  ~CudaSnapshot() override { (void)taken.synchronize(); }

  Status take() override {
    const Driver &driver = stream.driver();
    Status status = stream.gpu->enter();
    if (status.ok() && !onHost.bytes().empty())
      status = driver.check(
          driver.memcpyDeviceToHost(onHost.data(), source, onHost.bytes().size(), stream.get()),
          "cuMemcpyDtoHAsync");
    if (!status.ok())
      return stream.withInstructions(std::move(status));
    Expected<uint64_t> marked = stream.mark(taken);
    if (!marked)
      return marked.status();
    place = *marked;
    return {};
  }
  Expected<std::span<const std::byte>> read() override {
    if (Status status = stream.synchronize(taken, place); !status.ok())
      return status;
    return std::span<const std::byte>(onHost.bytes());
  }

private:
  Stream &stream;
  const DevicePointer source;
  const PinnedMemory onHost;
  Event taken;
  uint64_t place = 0;
};

Expected<std::unique_ptr<Snapshot>> makeSnapshot(Stream &stream, DevicePointer source,
                                                 uint64_t bytes) {
  auto onHost = PinnedMemory::make(stream.gpu, bytes);
  if (!onHost)
    return onHost.status();
  Expected<Event> taken = Event::make(stream.gpu);
  if (!taken)
    return taken.status();
  return std::unique_ptr<Snapshot>(
      std::make_unique<CudaSnapshot>(stream, source, std::move(*onHost), std::move(*taken)));
}

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
