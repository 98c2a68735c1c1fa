// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks with an emulated GPU each, joined by the emulated NCCL, by the suite that all communicators
// pass; and what NCCL is strict about.

#include "runtime/collective/local/LocalCommunicator.h"
#include "runtime/collective/nccl/NcclRanks.h"
#include "test/emulator/NcclLibrary.h"
#include "test/unit/runtime/CommunicatorConformance.h"
#include "test/unit/runtime/DeviceBuffers.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <chrono>

namespace pcc::test {
namespace {

using namespace runtime;

/// Both tags from each rank to each other, of few ranks: what the suite's messages need.
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

/// What each rank gets that joins.
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

World makeRanks(int ranks) {
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

// The sequence of calls is the one in which batches were started, the same on all ranks.
TEST(Nccl, CallsStandInTheOrderOfBatches) {
  constexpr int ranks = 5;
  onEveryRank(makeRanks(ranks), [](Communicator &rank) {
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

// NCCL refuses two ranks on a GPU, and both are told.
TEST(Nccl, TwoRanksOnOneGpu) {
  auto devices = makeDevices(1, 2);
  for (const std::optional<Joined> &joined : joinAll(*makeFamily(2), devices))
    EXPECT_NE(joined->status().message().find("have the same GPU"), std::string::npos)
        << joined->status().message();
}

// Whoever does not come ends the others' wait for it.
TEST(Nccl, ARankThatNeverJoins) {
  auto devices = makeDevices(2, 1);
  auto family = makeFamily(1, {.patience = 0.1});
  World hosts = makeLocalCommunicators(2);
  std::thread other([&] { // has the id, and does nothing with it
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

// A rank that is given up ends what others have on their GPUs, and who waits for these.
TEST(Nccl, AbortEndsWhatIsEnqueued) {
  World world = makeRanks(2);
  std::vector<float> data(8, 1);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    world[1]->abort("rank 1 died");
  });
  CollectiveCall call = allReduceOf(data);
  auto request = world[0]->start({&call, 1});
  EXPECT_TRUE(bool(request));
  (void)world[0]->wait(*request);
  later.join();
  EXPECT_EQ(world[0]->start({&call, 1}).status().message(), "rank 1 died");
}

// The emulated library names both sides where the order of collectives differs.
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
