// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local ranks over an emulated link: nothing arrives before the link would have delivered it,
// results do not change, waiting ranks sleep, and a started collective does not block its starter.

#include "runtime/collective/local/EmulatedLink.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/CollectiveName.h"
#include "runtime/collective/local/LocalCommunicator.h"
#include "test/unit/runtime/collective/Ranks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <ctime>
#include <mutex>

namespace pcc::test {
namespace {

using namespace runtime;
using machine::UniformLink;

/// 1 MB takes 10 ms on this link.
constexpr UniformLink slow{.bytesPerSecond = 1e8, .latencySeconds = 1e-3};
constexpr int64_t count = 250'000; // 1 MB of f32

int64_t nanoseconds(double seconds) { return int64_t(seconds * 1e9); }

/// Returns the processor time of this thread in seconds.
double processorSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// The arrival time of the last rank.
class LastToCome {
public:
  void come() {
    std::lock_guard lock(mutex);
    time = std::max<int64_t>(time, nowNanoseconds());
  }
  int64_t get() const { return time; }

private:
  std::mutex mutex;
  std::atomic<int64_t> time = 0;
};

/// A call with its own buffers, which are large enough for any kind.
struct OwnCall {
  OwnCall(abi::CollectiveKind kind, int members, int position)
      : source(count, float(position)), destination(count * members) {
    call.kind = kind;
    call.source = source.data();
    call.destination = destination.data();
    call.shape = {count};
    if (kind == abi::COLLECTIVE_PERMUTE)
      for (int32_t m = 0; m < members; ++m)
        call.boxes.push_back({m, (m + 1) % members, {0}, {count}, {0}});
  }
  std::vector<float> source, destination;
  CollectiveCall call;
};

class DeliveredNotBefore : public testing::TestWithParam<abi::CollectiveKind> {};

// The lower bound is the cost of runtime/machine, counted from the arrival of the last member.
TEST_P(DeliveredNotBefore, TheLinkWouldHave) {
  constexpr int ranks = 4, rounds = 3;
  double bytes = count * 4.0 * (GetParam() == abi::ALL_GATHER ? ranks : 1);
  double price = machine::estimateLinkCost(slow, ranks, {.kind = GetParam(), .bytes = bytes});
  ASSERT_GT(price, 1e-3);
  LastToCome last[rounds];
  onEveryRank(makeLocalCommunicators(ranks, 0, slow), [&](Communicator &rank) {
    OwnCall own(GetParam(), ranks, rank.position());
    for (LastToCome &comer : last) {
      EXPECT_TRUE(rank.barrier().ok());
      comer.come();
      Expected<Request> request = rank.start({&own.call, 1});
      TransferInterval interval;
      EXPECT_TRUE(rank.wait(*request, interval).ok());
      EXPECT_GE(nowNanoseconds(), interval.end);
      EXPECT_GE(interval.end, comer.get() + nanoseconds(price));
      EXPECT_TRUE(rank.barrier().ok());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(EmulatedLink, DeliveredNotBefore,
                         testing::Values(abi::ALL_REDUCE, abi::ALL_GATHER, abi::REDUCE_SCATTER,
                                         abi::ALL_TO_ALL, abi::BROADCAST, abi::REDUCE,
                                         abi::COLLECTIVE_PERMUTE),
                         [](const auto &info) { return abi::collectiveName(info.param); });

// A channel serves one call after the other; every call of a batch is paid for.
TEST(EmulatedLink, InOrder) {
  constexpr int ranks = 2, flights = 3;
  double price = machine::estimateLinkCost(slow, ranks, {.bytes = count * 4.0});
  LastToCome last;
  onEveryRank(makeLocalCommunicators(ranks, 0, slow), [&](Communicator &rank) {
    OwnCall own[flights] = {
        {abi::ALL_REDUCE, ranks, 0}, {abi::ALL_REDUCE, ranks, 0}, {abi::ALL_REDUCE, ranks, 0}};
    EXPECT_TRUE(rank.barrier().ok());
    last.come();
    std::vector<Request> requests;
    for (OwnCall &each : own)
      requests.push_back(*rank.start({&each.call, 1}));
    for (int i = 0; i < flights; ++i) {
      TransferInterval interval;
      EXPECT_TRUE(rank.wait(requests[i], interval).ok());
      EXPECT_GE(interval.begin, last.get() + nanoseconds(i * price));
      EXPECT_GE(interval.end, last.get() + nanoseconds((i + 1) * price));
    }
    CollectiveCall batch[] = {own[0].call, own[1].call};
    int64_t begin = nowNanoseconds();
    EXPECT_TRUE(rank.run(batch).ok());
    EXPECT_GE(nowNanoseconds(), begin + nanoseconds(2 * price));
  });
}

// A fused collective costs one latency, also in a batch with other calls, and changes no result.
TEST(EmulatedLink, FusedCallsAreOneMessage) {
  local::EmulatedLink link(slow, 4);
  std::vector<CollectiveCall> calls(4, {.kind = abi::ALL_REDUCE, .shape = {count}});
  auto price = [&](int64_t members) {
    return machine::estimateLinkCost(slow, 4, {.bytes = double(members * count) * sizeof(float)});
  };
  EXPECT_DOUBLE_EQ(link.seconds(calls, 4), 4 * price(1));
  calls[1].fused = calls[3].fused = true;
  EXPECT_DOUBLE_EQ(link.seconds(calls, 4), 2 * price(2));
  calls[2].fused = true;
  EXPECT_DOUBLE_EQ(link.seconds(calls, 4), price(4));
  EXPECT_LT(price(4), 2 * price(2) - 1e-3);
  EXPECT_EQ(link.seconds(calls, 1), 0);

  onEveryRank(makeLocalCommunicators(2, 0, slow), [](Communicator &rank) {
    OwnCall own[2] = {{abi::ALL_REDUCE, 2, rank.position()}, {abi::ALL_REDUCE, 2, rank.position()}};
    CollectiveCall batch[] = {own[0].call, own[1].call};
    batch[1].fused = true;
    EXPECT_TRUE(rank.run(batch).ok());
    for (OwnCall &each : own)
      EXPECT_EQ(each.destination[count - 1], 1);
  });
}

// All groups of a rank share its channel: its all-gather runs after its all-reduce.
TEST(EmulatedLink, OneChannelForAllGroups) {
  double price = machine::estimateLinkCost(slow, 2, {.bytes = count * 4.0});
  onEveryRank(makeLocalCommunicators(4, 0, slow), [&](Communicator &rank) {
    auto row = rank.split(rank.position() / 2, 0), column = rank.split(rank.position() % 2, 0);
    OwnCall one(abi::ALL_REDUCE, 2, 0), two(abi::ALL_REDUCE, 2, 0);
    EXPECT_TRUE(rank.barrier().ok());
    int64_t begin = nowNanoseconds();
    Request first = *(*row)->start({&one.call, 1}), second = *(*column)->start({&two.call, 1});
    EXPECT_TRUE((*row)->wait(first).ok());
    EXPECT_TRUE((*column)->wait(second).ok());
    EXPECT_GE(nowNanoseconds(), begin + nanoseconds(2 * price));
  });
}

// Messages follow each other without the latency. Each direction has its own channel.
TEST(EmulatedLink, Messages) {
  constexpr int messages = 3;
  LastToCome last;
  onEveryRank(makeLocalCommunicators(2, 0, slow), [&](Communicator &rank) {
    std::vector<float> sent(count, 1), received(count);
    CollectiveCall calls[2];
    calls[0] = {.kind = abi::SEND, .source = sent.data(), .shape = {count}};
    calls[1] = {.kind = abi::RECV, .shape = {count}};
    calls[1].destination = received.data();
    calls[0].root = calls[1].root = 1 - rank.position();
    EXPECT_TRUE(rank.barrier().ok());
    last.come();
    std::vector<Request> requests;
    for (int i = 0; i < messages; ++i)
      requests.push_back(*rank.start(calls));
    for (int i = 0; i < messages; ++i) {
      TransferInterval interval;
      EXPECT_TRUE(rank.wait(requests[i], interval).ok());
      EXPECT_GE(interval.end, last.get() + nanoseconds((i + 1) * 0.01 + 1e-3));
      EXPECT_GE(nowNanoseconds(), interval.end);
    }
  });
}

/// Runs an all-reduce of numbers that round, and a reduce-scatter of its result.
std::vector<std::vector<float>> sumOf(const World &world) {
  constexpr int64_t elements = 120'000;
  std::vector<std::vector<float>> results(world.size());
  onEveryRank(world, [&](Communicator &rank) {
    std::vector<float> own(elements), parts(elements / rank.size());
    for (int64_t i = 0; i < elements; ++i)
      own[i] = std::sin(float(i) * 0.1f + float(rank.position()));
    CollectiveCall call{.kind = abi::ALL_REDUCE, .source = own.data(), .shape = {elements}};
    call.destination = own.data();
    EXPECT_TRUE(rank.run({&call, 1}).ok());
    call.kind = abi::REDUCE_SCATTER;
    call.destination = parts.data();
    EXPECT_TRUE(rank.run({&call, 1}).ok());
    results[rank.position()] = parts;
  });
  return results;
}

TEST(EmulatedLink, TheSameBits) {
  for (int ranks : {1, 2, 3, 8})
    EXPECT_EQ(sumOf(makeLocalCommunicators(ranks, 0, slow)), sumOf(makeLocalCommunicators(ranks)));
}

// The link takes a third of a second. Starting and waiting take almost no processor time, and the
// starting thread continues meanwhile.
TEST(EmulatedLink, SleepsWhileOthersMayWork) {
  constexpr UniformLink tardy{.bytesPerSecond = 1e9, .latencySeconds = 0.3};
  onEveryRank(makeLocalCommunicators(2, 0, tardy), [&](Communicator &rank) {
    int32_t value = 1, sum = 0;
    CollectiveCall call{.kind = abi::ALL_REDUCE, .type = abi::I32, .source = &value, .shape = {1}};
    call.destination = &sum;
    double before = processorSeconds();
    Request request = *rank.start({&call, 1});
    int64_t started = nowNanoseconds();
    TransferInterval interval;
    EXPECT_TRUE(rank.wait(request, interval).ok());
    EXPECT_LT(processorSeconds() - before, 0.1);
    EXPECT_LT(started, interval.end);
    EXPECT_EQ(sum, 2);
  });
}

// An abort ends a sleep of one minute.
TEST(EmulatedLink, AbortEndsASleep) {
  constexpr UniformLink stuck{.bytesPerSecond = 1e9, .latencySeconds = 60};
  std::atomic<int> started = 0;
  onEveryRank(makeLocalCommunicators(2, 0, stuck), [&](Communicator &rank) {
    static const CollectiveCall barrier;
    Request request = *rank.start({&barrier, 1});
    if (++started == 2)
      rank.abort("enough");
    EXPECT_EQ(rank.wait(request).kind(), StatusKind::Aborted);
  });
}

} // namespace
} // namespace pcc::test
