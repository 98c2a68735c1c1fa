// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of programs on the emulated GPU have the times at which instructions ran, not at which
// they were enqueued.

#include "runtime/execute/Session.h"
#include "runtime/execute/Train.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace pcc::test {
namespace {

using namespace runtime;

/// Far larger than the error of the GPU's clock.
constexpr int64_t tolerance = 2'000'000;

class TraceTest : public testing::Test {
protected:
  static constexpr int steps = 3;

  void run(int ranks, TraceOptions trace) {
    auto loaded = Session::load(forGpu(makeMlp({.ranks = ranks,
                                                .batch = 64,
                                                .microBatches = 2,
                                                .widths = {20, 16, 12, 4},
                                                .overlapped = true})),
                                {.threads = 1, .timeout = 60, .trace = trace});
    ASSERT_TRUE(bool(loaded)) << loaded.status().describe();
    session = std::move(*loaded);
    begin = nowNanoseconds();
    auto report =
        train(*session, makeSyntheticDataset(session->program(), 64 * steps, 1), {.steps = steps});
    ASSERT_TRUE(bool(report)) << report.status().describe();
    end = nowNanoseconds();
    auto traces = session->traces();
    ASSERT_TRUE(bool(traces)) << traces.status().describe();
    ofRanks = std::move(*traces);
    ASSERT_EQ(ofRanks.size(), size_t(ranks));
  }

  static std::vector<TraceEntry> onLane(const std::vector<TraceEntry> &entries,
                                        abi::StreamKind stream) {
    std::vector<TraceEntry> own;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(own),
                 [&](const TraceEntry &entry) { return entry.instruction->stream() == stream; });
    return own;
  }

  std::unique_ptr<Session> session;
  int64_t begin = 0, end = 0;
  std::vector<std::vector<TraceEntry>> ofRanks;
};

// The compute instructions of a rank run one after the other, in program order.
TEST_F(TraceTest, RecordsRunInTheirOrder) {
  run(2, {.capacity = 4096, .hasEach = true});
  for (const std::vector<TraceEntry> &entries : ofRanks) {
    int64_t last = begin - tolerance;
    for (const TraceEntry &entry : onLane(entries, abi::COMPUTE)) {
      EXPECT_GE(entry.begin, last) << entry.instruction->op();
      EXPECT_GT(entry.end, entry.begin) << entry.instruction->op();
      last = entry.end;
    }
    EXPECT_LE(last, end + tolerance);
  }
}

bool waitsFor(const abi::Instruction &instruction, const abi::Instruction &other) {
  return std::ranges::find_first_of(instruction.waits(), other.signals()) !=
         instruction.waits().end();
}

// Collectives are done before their waiting readers begin. The rank that comes last marks a
// collective for all ranks, on its own clock. The clocks differ by a fraction of a microsecond, or
// by more on a busy machine.
TEST_F(TraceTest, CollectivesHaveTimesOfTheirOwn) {
  run(2, {.capacity = 4096, .hasEach = true});
  int pairs = 0;
  for (const std::vector<TraceEntry> &entries : ofRanks) {
    std::vector<TraceEntry> moves = onLane(entries, abi::COMMUNICATION);
    ASSERT_FALSE(moves.empty());
    for (const TraceEntry &move : moves) {
      EXPECT_GT(move.end, move.begin);
      EXPECT_GE(move.begin, begin - tolerance);
      EXPECT_LE(move.end, end + tolerance);
      for (const TraceEntry &entry : onLane(entries, abi::COMPUTE))
        if (entry.step == move.step && waitsFor(*entry.instruction, *move.instruction)) {
          ++pairs;
          EXPECT_LE(move.end, entry.begin + tolerance) << entry.instruction->op();
        }
    }
  }
  EXPECT_GT(pairs, 0);
}

// Instructions that the device runs as one are one entry, unless single entries are requested.
TEST_F(TraceTest, JoinedRecordsAreOneEntry) {
  run(1, {.capacity = 4096, .hasEach = true});
  std::vector<TraceEntry> each = ofRanks[0];
  run(1, {.capacity = 4096});
  std::vector<TraceEntry> joined = ofRanks[0];
  auto inStep = [](const std::vector<TraceEntry> &entries, int64_t step) {
    return std::count_if(entries.begin(), entries.end(),
                         [&](const TraceEntry &entry) { return entry.step == step; });
  };
  EXPECT_EQ(inStep(joined, 0), inStep(each, 0)) << "the first step measures memory";
  EXPECT_EQ(inStep(each, 2), inStep(each, 0));
  EXPECT_LT(inStep(joined, 2), inStep(each, 2));
}

std::vector<std::string> names(const std::vector<TraceEntry> &entries) {
  std::vector<std::string> list;
  for (const TraceEntry &entry : entries)
    list.push_back(entry.instruction->op());
  return list;
}

// A short ring keeps the last entries; a ring of size zero costs nothing and keeps none.
TEST_F(TraceTest, OnlyTheLatestAreKept) {
  run(2, {.capacity = 4096, .hasEach = true});
  std::vector<std::string> all = names(ofRanks[0]);
  run(2, {.capacity = 5, .hasEach = true});
  EXPECT_EQ(names(ofRanks[0]), std::vector<std::string>(all.end() - 5, all.end()));
  run(2, {});
  EXPECT_TRUE(ofRanks[0].empty());
}

} // namespace
} // namespace pcc::test
