// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each GPU has a thread and a blocking communicator, since NCCL's members rendezvous to connect.
// Each collective is planned as for a run, with one dummy address for all buffers. A plan with
// sends or receives has no estimate. The results are those of the first GPU.

#include "runtime/collective/nccl/Estimates.h"

#include "runtime/base/CatchExceptions.h"
#include "runtime/collective/nccl/Plan.h"
#include "runtime/collective/nccl/RankComms.h"
#include "runtime/device/cuda/driver/SideStream.h"

#include <thread>

namespace pcc::runtime::nccl {

std::vector<Symbol> Simulator::table(Simulator &library) {
  return {symbol("ncclGroupSimulateEnd", library.groupSimulateEnd)};
}

namespace {

Expected<Simulator> loadSimulator() {
  Simulator library = {};
  if (Status status = SharedLibrary::load(Nccl::names(), "install NVIDIA's libnccl2",
                                          Simulator::table(library));
      !status.ok())
    return status;
  return library;
}

/// One GPU, as a member of the communicator; it runs on a thread of its own.
class Member {
public:
  Member(const Nccl &nccl, const Simulator &simulator, int position, int members)
      : nccl(nccl), simulator(simulator), position(position), members(members) {}

  /// Does everything that may fail for a single member; after a later failure the other members
  /// would wait for it.
  Status open(const cuda::Driver &driver, int ordinal) {
    auto opened = cuda::Gpu::open(driver, ordinal);
    if (!opened)
      return opened.status();
    gpu = *opened;
    auto made = cuda::SideStream::make(gpu);
    if (!made)
      return made.status();
    stream = std::move(*made);
    auto allocated = cuda::allocateOn(gpu, 1);
    if (allocated)
      memory = std::move(*allocated);
    return allocated.status();
  }

  Status ask(const UniqueId &id, std::span<const CollectiveCall> calls) {
    if (Status status = gpu->enter(); !status.ok())
      return status;
    Config config;
    config.blocking = 1;
    config.maxCTAs = CommOptions().maxBlocks;
    CommHandle comm = nullptr;
    Status status = nccl.check(nccl.commInitRankConfig(&comm, members, id, position, &config),
                               "ncclCommInitRankConfig");
    for (size_t i = 0; status.ok() && i < calls.size(); ++i)
      status = simulate(calls[i], comm);
    if (comm)
      (void)nccl.commDestroy(comm);
    return status;
  }

  std::vector<std::optional<double>> seconds;

private:
  /// No memory is read or written, so any address of the GPU stands for all memory.
  Status simulate(CollectiveCall call, CommHandle comm) {
    call.source = call.destination = memory->base;
    Plan plan;
    addCall(call, position, members, [&](int64_t) { return memory->base; }, plan);
    std::optional<double> &own = seconds.emplace_back();
    if (plan.operations.size() != 1 || plan.operations[0].kind == Operation::Kind::Send ||
        plan.operations[0].kind == Operation::Kind::Receive)
      return {};
    SimulationInfo info;
    Status status = nccl.check(nccl.groupStart(), "ncclGroupStart");
    if (!status.ok())
      return status;
    status = callOperation(nccl, plan.operations[0], comm, stream->get());
    Status ended = nccl.check(simulator.groupSimulateEnd(&info), "ncclGroupSimulateEnd", comm);
    if (info.microseconds >= 0)
      own = double(info.microseconds) * 1e-6;
    return status.ok() ? ended : status;
  }

  const Nccl &nccl;
  const Simulator &simulator;
  const int position, members;
  std::shared_ptr<const cuda::Gpu> gpu;
  std::unique_ptr<cuda::SideStream> stream;
  std::unique_ptr<Allocation> memory;
};

/// Asks on every member, since they rendezvous when NCCL connects them.
Status askAll(std::vector<Member> &members, const UniqueId &id,
              std::span<const CollectiveCall> calls) {
  std::vector<Status> statuses(members.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < members.size(); ++i)
    threads.emplace_back([&, i] {
      statuses[i] =
          catchExceptions([&] { return members[i].ask(id, calls); }).at({.rank = int64_t(i)});
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Status &status : statuses)
    if (!status.ok())
      return status;
  return {};
}

} // namespace

Expected<std::vector<std::optional<double>>> estimate(std::span<const int> gpus,
                                                      std::span<const CollectiveCall> calls) {
  static const Expected<Simulator> simulator = loadSimulator();
  const Expected<cuda::Driver> &driver = cuda::Driver::get();
  for (const Status &status : {Nccl::get().status(), simulator.status(), driver.status()})
    if (!status.ok())
      return status;
  std::vector<Member> members;
  for (size_t i = 0; i < gpus.size(); ++i) {
    members.emplace_back(*Nccl::get(), *simulator, int(i), int(gpus.size()));
    if (Status status = members.back().open(*driver, gpus[i]); !status.ok())
      return status;
  }
  UniqueId id = {};
  Status status = Nccl::get()->check(Nccl::get()->getUniqueId(&id), "ncclGetUniqueId");
  if (status.ok())
    status = askAll(members, id, calls);
  if (!status.ok())
    return status;
  return std::move(members.front().seconds);
}

} // namespace pcc::runtime::nccl
