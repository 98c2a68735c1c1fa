// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction runs to completion in run(). So staging is in place, a snapshot is a copy, and
// synchronize() does nothing. Kernels and constants are loaded once for all ranks, and each rank
// gets an equal team.

#include "runtime/device/host/HostDevice.h"

#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/ExecutableData.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/device/host/Instructions.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace pcc::runtime {
namespace host {
namespace {

constexpr uint64_t hugePage = 2 << 20;

class HostAllocation final : public Allocation {
public:
  explicit HostAllocation(AlignedBytes bytes) : Allocation(bytes.get()), memory(std::move(bytes)) {}

private:
  AlignedBytes memory;
};

/// The host writes directly to the memory that the device reads.
class InPlaceStaging final : public HostToDeviceStaging {
public:
  explicit InPlaceStaging(std::byte *place) : place(place) {}
  std::byte *image() override { return place; }
  Status wait() override { return {}; }
  Status send() override { return {}; }

private:
  std::byte *const place;
};

class HostSnapshot final : public Snapshot {
public:
  explicit HostSnapshot(std::span<const std::byte> source) : source(source), copy(source.size()) {}
  Status take() override {
    std::copy(source.begin(), source.end(), copy.begin());
    return {};
  }
  Expected<std::span<const std::byte>> read() override { return std::span<const std::byte>(copy); }

private:
  const std::span<const std::byte> source;
  std::vector<std::byte> copy;
};

/// State shared by the ranks of a process.
struct Shared {
  std::shared_ptr<const KernelObject> object;
  AlignedBytes constants;
};

class HostDevice final : public Device {
public:
  HostDevice(std::shared_ptr<const Shared> shared, Team team)
      : shared(std::move(shared)), team(team) {}

  void enterThread() override { team.enterThread(); }
  bool hasHostMemory() const override { return true; }
  std::byte *constants() override { return shared->constants.get(); }

  Expected<std::unique_ptr<Allocation>> allocate(uint64_t bytes) override {
    // Use large pages if the system provides them: streaming through parameters is bound by memory
    // bandwidth, and large pages reduce TLB misses.
    uint64_t alignment = bytes >= hugePage ? hugePage : abi::bufferAlignment;
    AlignedBytes memory = allocateAligned(bytes, alignment);
    if (!memory)
      return Status::failed(fmt::format("no memory for {} bytes", bytes));
    if (alignment == hugePage)
      madvise(memory.get(), bytes, MADV_HUGEPAGE);
    std::memset(memory.get(), 0, bytes);
    return std::unique_ptr<Allocation>(std::make_unique<HostAllocation>(std::move(memory)));
  }

  Status copyIn(std::byte *destination, std::span<const std::byte> source) override {
    std::ranges::copy(source, destination);
    return {};
  }

  Status copyOut(std::span<std::byte> destination, const std::byte *source) override {
    std::copy_n(source, destination.size(), destination.data());
    return {};
  }

  Expected<std::unique_ptr<HostToDeviceStaging>> makeHostToDeviceStaging(std::byte *destination,
                                                                         uint64_t) override {
    return std::unique_ptr<HostToDeviceStaging>(std::make_unique<InPlaceStaging>(destination));
  }
  Expected<std::unique_ptr<Snapshot>> makeSnapshot(const std::byte *source,
                                                   uint64_t bytes) override {
    return std::unique_ptr<Snapshot>(std::make_unique<HostSnapshot>(std::span(source, bytes)));
  }

  Status synchronize() override { return {}; }

  Expected<PreparedPointer> prepare(const abi::Instruction &instruction,
                                    const PrepareContext &context) override {
    switch (instruction.kind_case()) {
    case abi::Instruction::kLaunch:
      return prepareLaunch(instruction.launch(), context, *shared->object, team);
    case abi::Instruction::kMatmul:
      return prepareMatmul(instruction.matmul(), context, team);
    case abi::Instruction::kAttention:
      return prepareAttention(instruction.attention(), context, team, scratch);
    case abi::Instruction::kConvolution:
      return prepareConvolution(instruction.convolution(), context, team, scratch);
    case abi::Instruction::kCopy:
      return prepareCopy(instruction.copy(), context);
    case abi::Instruction::kFill:
      return prepareFill(instruction.fill(), context);
    case abi::Instruction::kAccumulate:
      return prepareAccumulate(instruction.accumulate(), context, team);
    default:
      return Status::failed("an instruction that is not the device's was given to it");
    }
  }

  void parallel(int64_t count, const std::function<void(int64_t, int64_t)> &body) override {
    team.parallel(count, body);
  }

private:
  std::shared_ptr<const Shared> shared;
  Team team;
  std::shared_ptr<Scratch> scratch = std::make_shared<Scratch>();
};

} // namespace
} // namespace host

Expected<std::vector<std::unique_ptr<Device>>>
makeHostDevices(const abi::Executable &executable, int threads, int64_t ranks, int64_t first) {
  if (ranks == 0)
    ranks = abi::rankCount(executable.mesh());
  auto object = host::KernelObject::load(executable);
  if (!object)
    return object.status();
  Expected<host::Team> team = host::Team::make(host::Team::threadsPerRank(threads, ranks));
  if (!team)
    return team.status();
  auto shared = std::make_shared<host::Shared>();
  shared->object = std::move(*object);
  uint64_t bytes = abi::constantBytes(executable);
  shared->constants = allocateAligned(bytes);
  if (!shared->constants)
    return Status::failed(fmt::format("no memory for {} bytes of constants", bytes));
  // Memory that is not written takes no place.
  abi::DataRange own = abi::constantsOf(executable, first, ranks);
  Expected<abi::DataReader> reader = abi::DataReader::open(executable);
  Status status = reader.status();
  if (status.ok())
    status =
        reader->readConstants(own.offset(), {shared->constants.get() + own.offset(), own.bytes()});
  if (!status.ok())
    return status;
  std::vector<std::unique_ptr<Device>> devices;
  for (int64_t rank = 0; rank < ranks; ++rank)
    devices.push_back(std::make_unique<host::HostDevice>(shared, *team));
  return devices;
}

} // namespace pcc::runtime
