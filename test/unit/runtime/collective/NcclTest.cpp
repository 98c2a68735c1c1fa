// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks with an emulated GPU each, joined by the emulated NCCL. Runs the suite of all
// communicators, and tests NCCL's own restrictions.

#include "runtime/collective/local/LocalCommunicator.h"
#include "runtime/collective/nccl/NcclRanks.h"
#include "runtime/collective/nccl/Plan.h"
#include "test/emulator/GpuWork.h"
#include "test/emulator/NcclLibrary.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"
#include "test/unit/runtime/collective/DeviceBuffers.h"

#include <chrono>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns the routes that the suite's messages need: both tags from each rank to each other one,
/// for few ranks.
std::vector<nccl::Route> routesOf(int ranks) {
  std::vector<nccl::Route> routes;
  for (int sender = 0; ranks <= 3 && sender < ranks; ++sender)
    for (int receiver = 0; receiver < ranks; ++receiver)
      for (uint32_t tag : {0, 1})
        if (sender != receiver)
          routes.push_back({sender, receiver, {tag}});
  return routes;
}

std::shared_ptr<nccl::NcclRanks> makeFamily(int ranks, nccl::CommOptions options = {}) {
  return std::make_shared<nccl::NcclRanks>(*nccl::Nccl::get(), routesOf(ranks), options);
}

std::vector<std::shared_ptr<Device>> makeDevices(int gpus, int ranks) {
  static const abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  setenv("PCC_EMULATED_GPUS", std::to_string(gpus).c_str(), 1);
  auto devices = makeCudaDevices(executable, 0, ranks);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  return {std::make_move_iterator(devices->begin()), std::make_move_iterator(devices->end())};
}

using Joined = Expected<std::unique_ptr<Communicator>>;

/// Joins all ranks and returns the result of each rank.
std::vector<std::optional<Joined>> joinAll(nccl::NcclRanks &family,
                                           std::vector<std::shared_ptr<Device>> &devices) {
  World hosts = makeLocalCommunicators(int(devices.size()));
  std::vector<std::optional<Joined>> joined(devices.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < devices.size(); ++rank)
    threads.emplace_back([&, rank] {
      joined[rank] = family.join(std::move(hosts[rank]), cuda::partsOf(*devices[rank]));
    });
  for (std::thread &thread : threads)
    thread.join();
  return joined;
}

/// Makes ranks that allocate the buffers of a batch while other ranks are in flight.
World makeRanks(int ranks) {
  setWaitsForMemory(false);
  auto devices = makeDevices(ranks, ranks);
  World world;
  for (std::optional<Joined> &joined : joinAll(*makeFamily(ranks), devices)) {
    EXPECT_TRUE(bool(*joined)) << joined->status().describe();
    world.push_back(std::make_unique<OnDevice>(std::move(**joined), devices[world.size()]));
  }
  return world;
}

INSTANTIATE_TEST_SUITE_P(Nccl, CommunicatorConformance,
                         testing::Values(Conformance{"emulator", makeRanks,
                                                     /*comparesCalls=*/false}),
                         [](const auto &info) { return info.param.name; });

CollectiveCall allReduceOf(std::vector<float> &data) {
  CollectiveCall call{.kind = abi::ALL_REDUCE, .source = data.data()};
  call.destination = data.data();
  call.shape = {int64_t(data.size())};
  return call;
}

// The sequence of calls is the order in which batches were started, the same on all ranks.
TEST(Nccl, CallsStandInTheOrderOfBatches) {
  constexpr int ranks = 5;
  World world = makeRanks(ranks);
  onEveryRank(world, [](Communicator &rank) {
    std::vector<float> first(8, 1), second(4, 1);
    CollectiveCall calls[] = {allReduceOf(first), allReduceOf(second)};
    calls[1].kind = abi::BROADCAST;
    calls[1].root = 3;
    EXPECT_TRUE(rank.run(calls).ok());
    calls[1].kind = abi::REDUCE;
    EXPECT_TRUE(rank.run({&calls[1], 1}).ok());
  });
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(recordedCalls(ranks, rank),
              (std::vector<std::string>{"AllReduce of 8 f32, sum", "Broadcast of 4 f32, root 3",
                                        "Reduce of 4 f32, sum, root 3"}));
}

// Otherwise NCCL allocates GPU memory in the first collective, while receives may be in flight.
TEST(Nccl, MembersConnectWhenTheyJoin) {
  ASSERT_TRUE(bool(nccl::Nccl::get()));
  EXPECT_STREQ(std::getenv("NCCL_RUNTIME_CONNECT"), "0");
}

// NCCL refuses two ranks on one GPU, and both ranks get the error.
TEST(Nccl, TwoRanksOnOneGpu) {
  auto devices = makeDevices(1, 2);
  for (const std::optional<Joined> &joined : joinAll(*makeFamily(2), devices))
    EXPECT_NE(joined->status().message().find("have the same GPU"), std::string::npos)
        << joined->status().message();
}

// A missing rank ends the others' wait for it.
TEST(Nccl, ARankThatNeverJoins) {
  auto devices = makeDevices(2, 1);
  auto family = makeFamily(1, {.timeout = 0.1});
  World hosts = makeLocalCommunicators(2);
  std::thread other([&] { // gets the id and does nothing with it
    char id[sizeof(nccl::UniqueId)];
    CollectiveCall call{
        .kind = abi::BROADCAST, .type = abi::I8, .source = id, .shape = {sizeof id}};
    call.destination = id;
    EXPECT_TRUE(hosts[1]->run({&call, 1}).ok());
  });
  auto joined = family->join(std::move(hosts[0]), cuda::partsOf(*devices[0]));
  other.join();
  EXPECT_EQ(joined.status().message(),
            "the members of a communicator of NCCL have not come within 0.1 s");
}

/// The host communicator of a rank that fails when it receives the id of its first route.
class FailsAtARoute : public Communicator {
public:
  explicit FailsAtARoute(std::unique_ptr<Communicator> host) : host(std::move(host)) {}
  int position() const override { return host->position(); }
  int size() const override { return host->size(); }
  Expected<Request> start(std::span<const CollectiveCall> calls) override {
    isMessage = calls[0].kind == abi::RECV;
    return host->start(calls);
  }
  Status wait(Request request, TransferInterval &interval) override {
    Status status = host->wait(request, interval);
    return isMessage ? Status::failed("rank 1 fails") : status;
  }
  void abort(const std::string &reason) override { host->abort(reason); }
  Expected<std::unique_ptr<Communicator>> split(int color, int key) override {
    return host->split(color, key);
  }

private:
  std::unique_ptr<Communicator> host;
  bool isMessage = false;
};

// A rank that fails during the join ends the wait of the others, long before their timeout.
TEST(Nccl, ARankThatFailsWhileAllJoin) {
  auto devices = makeDevices(2, 2);
  auto family = makeFamily(2, {.timeout = 600});
  World hosts = makeLocalCommunicators(2);
  hosts[1] = std::make_unique<FailsAtARoute>(std::move(hosts[1]));
  std::vector<Status> statuses(2);
  std::vector<std::thread> threads;
  for (size_t rank : {0, 1})
    threads.emplace_back([&, rank] {
      statuses[rank] = family->join(std::move(hosts[rank]), cuda::partsOf(*devices[rank])).status();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(statuses[0].kind(), StatusKind::Aborted);
  for (const Status &status : statuses)
    EXPECT_EQ(status.message(), "rank 1 fails");
}

/// Two ranks with a GPU each, without a session: waiting for a batch only enqueues it.
struct Pair {
  Pair() : devices(makeDevices(2, 2)) {
    for (std::optional<Joined> &joined : joinAll(*makeFamily(2), devices)) {
      EXPECT_TRUE(bool(*joined)) << joined->status().describe();
      ranks.push_back(std::move(**joined));
    }
  }
  std::vector<std::shared_ptr<Device>> devices; ///< destroyed last
  std::vector<std::unique_ptr<Communicator>> ranks;
};

/// GPU memory, and an all-reduce of it.
struct Sum {
  explicit Sum(Device &device) {
    device.enterThread();
    memory = std::move(*device.allocate(64));
    call.source = call.destination = memory->base;
    call.shape = {16};
  }
  std::unique_ptr<Allocation> memory;
  CollectiveCall call{.kind = abi::ALL_REDUCE};
};

std::thread abortLater(Communicator &rank) {
  return std::thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    rank.abort("rank 1 died");
  });
}

void expectGivenUp(Communicator &rank, const CollectiveCall &call) {
  for (const Status &status : {rank.status(), rank.start({&call, 1}).status()}) {
    EXPECT_EQ(status.kind(), StatusKind::Aborted);
    EXPECT_EQ(status.message(), "rank 1 died");
  }
}

// Aborting a rank ends the other rank's enqueued collectives, and the waits for them.
TEST(Nccl, AbortEndsWhatIsEnqueued) {
  Pair pair;
  Sum sum(*pair.devices[0]);
  auto request = pair.ranks[0]->start({&sum.call, 1});
  ASSERT_TRUE(bool(request)) << request.status().describe();
  EXPECT_TRUE(pair.ranks[0]->wait(*request).ok());
  EXPECT_TRUE(pair.ranks[0]->status().ok());
  std::thread later = abortLater(*pair.ranks[1]);
  EXPECT_TRUE(pair.devices[0]->synchronize().ok());
  later.join();
  expectGivenUp(*pair.ranks[0], sum.call);
}

// All communicators of a GPU end, although each one alone would wait for another one's collective.
TEST(Nccl, AbortEndsAllThatAGpuHas) {
  Pair pair;
  std::vector<std::unique_ptr<Communicator>> parts(2);
  onEveryRank(pair.ranks, [&](Communicator &rank) {
    size_t own = size_t(rank.position());
    pair.devices[own]->enterThread();
    auto part = rank.split(0, 0);
    ASSERT_TRUE(bool(part)) << part.status().describe();
    parts[own] = std::move(*part);
  });
  Sum all(*pair.devices[0]), some(*pair.devices[0]);
  auto first = pair.ranks[0]->start({&all.call, 1});
  auto second = parts[0]->start({&some.call, 1});
  ASSERT_TRUE(bool(first) && bool(second));
  EXPECT_TRUE(pair.ranks[0]->wait(*first).ok());
  EXPECT_TRUE(parts[0]->wait(*second).ok());
  std::thread later = abortLater(*pair.ranks[1]);
  EXPECT_TRUE(pair.devices[0]->synchronize().ok());
  later.join();
  expectGivenUp(*pair.ranks[0], all.call);
  expectGivenUp(*parts[0], some.call);
}

/// Makes a communicator of two ranks, one on each device.
std::vector<nccl::CommHandle> meetTwo(std::vector<std::shared_ptr<Device>> &devices,
                                      std::vector<std::unique_ptr<nccl::RankComms>> &ranks) {
  nccl::UniqueId id;
  EXPECT_EQ(nccl::Nccl::get()->getUniqueId(&id), nccl::Code::Success);
  std::vector<nccl::CommHandle> comms(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      devices[size_t(rank)]->enterThread();
      auto comm = ranks[size_t(rank)]->init(2, rank, id, nccl::Purpose::Collectives);
      EXPECT_TRUE(bool(comm)) << comm.status().message();
      comms[size_t(rank)] = comm ? *comm : nullptr;
    });
  for (std::thread &thread : threads)
    thread.join();
  return comms;
}

// NCCL registers a split when the last member joins, although this member no longer waits for it.
TEST(Nccl, ASplitThatIsLate) {
  int before = openCommunicators();
  auto devices = makeDevices(2, 2);
  std::vector<std::unique_ptr<nccl::RankComms>> ranks;
  for (double timeout : {1.0, 60.0})
    ranks.push_back(std::make_unique<nccl::RankComms>(*nccl::Nccl::get(),
                                                      nccl::CommOptions{.timeout = timeout}));
  std::vector<nccl::CommHandle> comms = meetTwo(devices, ranks);
  devices[0]->enterThread();
  EXPECT_EQ(ranks[0]->split(comms[0], 0, 0).status().message(),
            "the members of a communicator of NCCL have not come within 1 s");
  devices[1]->enterThread();
  EXPECT_TRUE(bool(ranks[1]->split(comms[1], 0, 0)));
  EXPECT_EQ(openCommunicators(), before + 4);
  ranks.clear();
  EXPECT_EQ(openCommunicators(), before) << "the part that nobody got has gone with the others";
}

// A split that completes after the end of its communicator is not registered.
TEST(Nccl, ASplitThatIsGivenUp) {
  int before = openCommunicators();
  auto devices = makeDevices(2, 2);
  std::vector<std::unique_ptr<nccl::RankComms>> ranks;
  for (int rank = 0; rank < 2; ++rank)
    ranks.push_back(
        std::make_unique<nccl::RankComms>(*nccl::Nccl::get(), nccl::CommOptions{.timeout = 1}));
  std::vector<nccl::CommHandle> comms = meetTwo(devices, ranks);
  devices[0]->enterThread();
  EXPECT_FALSE(bool(ranks[0]->split(comms[0], 0, 0)));
  ranks[0].reset();
  devices[1]->enterThread();
  (void)ranks[1]->split(comms[1], 0, 0);
  ranks.clear();
  EXPECT_EQ(openCommunicators(), before);
}

// Many messages may be pending at once, so their communicators use fewer blocks of a GPU.
TEST(Nccl, MessagesTakeTwoBlocks) {
  int collectives = openCommunicatorsOf(16), messages = openCommunicatorsOf(2);
  Pair pair;
  EXPECT_EQ(openCommunicatorsOf(16) - collectives, 2);
  EXPECT_EQ(openCommunicatorsOf(2) - messages, 2 * int(routesOf(2).size())) << "both ends";
}

// An error names its call.
TEST(Nccl, ErrorsNameTheCall) {
  nccl::Nccl library = *nccl::Nccl::get();
  library.getLastError = [](nccl::CommHandle) { return ""; };
  library.send = [](const void *, size_t, nccl::Type, int, nccl::CommHandle, cuda::StreamHandle) {
    return nccl::Code::InvalidArgument;
  };
  nccl::Operation send{
      .kind = nccl::Operation::Kind::Send, .count = 64, .type = nccl::Type::Float32, .peer = 3};
  EXPECT_EQ(nccl::callOperation(library, send, nullptr, nullptr).message(),
            "ncclSend to rank 3 of 64 f32: invalid argument");
}

// If the orders of collectives differ, the emulated library names both sides.
TEST(Nccl, NamesCollectivesThatDiffer) {
  World world = makeRanks(2);
  std::vector<std::string> messages(2);
  onEveryRank(world, [&](Communicator &rank) {
    std::vector<float> data(rank.position() == 0 ? 8 : 4);
    CollectiveCall call = allReduceOf(data);
    Status status = rank.run({&call, 1});
    messages[size_t(rank.position())] = status.message();
    rank.abort("they differ");
  });
  std::string all = messages[0] + messages[1];
  EXPECT_NE(all.find("called AllReduce of "), std::string::npos) << all;
  EXPECT_NE(all.find("of 8 f32, sum"), std::string::npos) << all;
  EXPECT_NE(all.find("of 4 f32, sum"), std::string::npos) << all;
}

} // namespace
} // namespace pcc::test
