// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Device for one rank, and the transfers between host and GPU that overlap with
// computation. Ranks on the same GPU share its context and code, and each has its own stream.

#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/Instructions.h"
#include "runtime/device/cuda/driver/EventClock.h"
#include "runtime/device/cuda/driver/PinnedMemory.h"
#include "runtime/device/cuda/driver/SideStream.h"
#include "runtime/device/cuda/library/CudnnInstructions.h"
#include "runtime/device/cuda/library/LibraryMatmuls.h"
#include "runtime/device/host/Team.h"

#include <algorithm>
#include <map>

namespace pcc::runtime {
namespace cuda {
namespace {

// Transfers between host and GPU that overlap with computation. A staging transfers the data of the
// next step while the GPU computes the current one. Two images on the host take turns: one is
// written while the other one is fetched.
//
//   host            writes image 0 | writes image 1 | writes image 0
//   copies                         | 0 to GPU ..... | 1 to GPU .....
//   rank's stream   step n ........................ | move | step n+1 ......
//
// The transferred data wait in a GPU buffer of their own, since their destination is read until the
// end of the step. When the rank's stream reaches the move, it copies them at the speed of GPU
// memory. A snapshot of device memory is read by the host while the next steps are enqueued.

/// Data that the host writes, and the event of their arrival on the GPU.
struct HostImage {
  static Expected<HostImage> make(const std::shared_ptr<const Gpu> &gpu, uint64_t bytes) {
    auto memory = PinnedMemory::make(gpu, bytes);
    if (!memory)
      return memory.status();
    Expected<Event> arrived = Event::make(gpu);
    if (!arrived)
      return arrived.status();
    return HostImage{std::move(*memory), std::move(*arrived)};
  }

  PinnedMemory memory;
  Event arrived;
};

class CudaHostToDeviceStaging final : public HostToDeviceStaging {
public:
  CudaHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                          DevicePointer destination, std::array<HostImage, 2> images,
                          std::unique_ptr<Allocation> onGpu, Event moved)
      : stream(stream), copies(std::move(copies)), destination(destination),
        images(std::move(images)), onGpu(std::move(onGpu)), moved(std::move(moved)) {}
  ~CudaHostToDeviceStaging() override {
    for (HostImage &one : images)
      (void)one.arrived.synchronize();
    (void)moved.synchronize();
  }

  std::byte *image() override { return next().memory.data(); }
  Status wait() override { return stream.withInstructions(next().arrived.synchronize()); }
  Status send() override {
    if (next().memory.bytes().empty())
      return {};
    Status status = stream.gpu->enter();
    if (status.ok())
      status = copy();
    if (status.ok())
      status = move();
    ++sent;
    return stream.withInstructions(std::move(status));
  }

private:
  Status copy();
  Status move();
  HostImage &next() { return images[sent % images.size()]; }

  Stream &stream;
  const std::shared_ptr<SideStream> copies;
  const DevicePointer destination;
  std::array<HostImage, 2> images;
  const std::unique_ptr<Allocation> onGpu;
  Event moved;
  uint64_t sent = 0;
};

Status CudaHostToDeviceStaging::copy() {
  const Driver &driver = stream.driver();
  if (Status status = copies->waitFor(moved); !status.ok())
    return status;
  std::span<const std::byte> source = next().memory.bytes();
  if (Status status = driver.check(driver.memcpyHostToDevice(pointer(onGpu->base), source.data(),
                                                             source.size(), copies->get()),
                                   "cuMemcpyHtoDAsync");
      !status.ok())
    return status;
  return copies->record(next().arrived);
}

Status CudaHostToDeviceStaging::move() {
  const Driver &driver = stream.driver();
  if (Status status = stream.waitFor(next().arrived); !status.ok())
    return status;
  if (Status status =
          driver.check(driver.memcpyDeviceToDevice(destination, pointer(onGpu->base),
                                                   next().memory.bytes().size(), stream.get()),
                       "cuMemcpyDtoDAsync");
      !status.ok())
    return status;
  return stream.record(moved);
}

/// Enqueues transfers on `copies`, which several stagings of the rank may share, and moves on
/// `stream`. `copies` must have ordinary priority. With first priority, which waiting receives
/// have, a transfer queued behind such a receive could delay the step that sends the answer.
Expected<std::unique_ptr<HostToDeviceStaging>>
makeHostToDeviceStaging(Stream &stream, std::shared_ptr<SideStream> copies,
                        DevicePointer destination, uint64_t bytes) {
  Expected<HostImage> first = HostImage::make(stream.gpu, bytes),
                      second = HostImage::make(stream.gpu, bytes);
  if (!first || !second)
    return first ? second.status() : first.status();
  auto onGpu = allocateOn(stream.gpu, bytes);
  if (!onGpu)
    return onGpu.status();
  Expected<Event> moved = Event::make(stream.gpu);
  if (!moved)
    return moved.status();
  return std::unique_ptr<HostToDeviceStaging>(std::make_unique<CudaHostToDeviceStaging>(
      stream, std::move(copies), destination,
      std::array<HostImage, 2>{std::move(*first), std::move(*second)}, std::move(*onGpu),
      std::move(*moved)));
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
    position = *marked;
    return {};
  }
  Expected<std::span<const std::byte>> read() override {
    if (Status status = stream.synchronize(taken, position); !status.ok())
      return status;
    return std::span<const std::byte>(onHost.bytes());
  }

private:
  Stream &stream;
  const DevicePointer source;
  const PinnedMemory onHost;
  Event taken;
  uint64_t position = 0;
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
             std::unique_ptr<Stream> stream, host::Team team, bool allowsTf32)
      : gpu(std::move(gpu)), code(std::move(code)), stream(std::move(stream)), team(team),
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

  Status startTimestamps() override {
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
    team.parallel(count, body);
  }

  RankParts ownParts() { return {*code, *stream, matmuls, cudnn, clock.get()}; }

private:
  std::shared_ptr<const Gpu> gpu;
  std::shared_ptr<const Code> code;
  std::unique_ptr<Stream> stream;
  host::Team team;
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

Expected<LoadedGpu> loadOn(const Driver &driver, int ordinal, const abi::Executable &executable,
                           int64_t first, int64_t ranks) {
  auto gpu = Gpu::open(driver, ordinal);
  if (!gpu)
    return gpu.status();
  auto code = Code::load(*gpu, executable, first, ranks);
  if (!code)
    return code.status();
  return LoadedGpu{*gpu, *code};
}

/// Maximum threads of a rank that write its inputs; with more, the host's memory is no faster.
constexpr int maxFeedThreads = 8;

/// Returns a rank's share of the host's threads; one thread without OpenMP.
host::Team makeTeam(int threads, int64_t ranks) {
  Expected<host::Team> team =
      host::Team::make(std::min(host::Team::threadsPerRank(threads, ranks), maxFeedThreads));
  return team ? *team : host::Team();
}

} // namespace

RankParts partsOf(Device &device) { return static_cast<CudaDevice &>(device).ownParts(); }

} // namespace cuda

Expected<std::vector<std::unique_ptr<Device>>>
makeCudaDevices(const abi::Executable &executable, int64_t first, int64_t ranks, int threads) {
  const Expected<cuda::Driver> &driver = cuda::Driver::get();
  Expected<int> count = driver ? cuda::countGpus(*driver) : driver.status();
  if (count && *count == 0)
    count = Status::unavailable("the driver has no GPU");
  if (!count)
    return count.status().within(
        fmt::format("the program was compiled for GPUs ({}; --target=host needs none)",
                    executable.gpu_code().chip()));
  host::Team team = cuda::makeTeam(threads, ranks);
  std::map<int, cuda::LoadedGpu> gpus;
  std::vector<std::unique_ptr<Device>> devices;
  for (int64_t rank = first; rank < first + ranks; ++rank) {
    int ordinal = int(rank % *count);
    if (!gpus.contains(ordinal)) {
      Expected<cuda::LoadedGpu> loaded = cuda::loadOn(*driver, ordinal, executable, first, ranks);
      if (!loaded)
        return loaded.status();
      gpus.emplace(ordinal, std::move(*loaded));
    }
    const cuda::LoadedGpu &own = gpus.at(ordinal);
    Expected<std::unique_ptr<cuda::Stream>> stream = cuda::Stream::make(own.gpu);
    if (!stream)
      return stream.status().at({.rank = rank});
    devices.push_back(std::make_unique<cuda::CudaDevice>(own.gpu, own.code, std::move(*stream),
                                                         team, executable.gpu_code().tf32()));
  }
  return devices;
}

} // namespace pcc::runtime
