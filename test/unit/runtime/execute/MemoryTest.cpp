// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory use of a run equals the predictions to the byte: allocated bytes, peak live bytes, and
// the bytes that a step writes.

#include "runtime/abi/program/BufferRings.h"
#include "runtime/abi/program/ProgramRanks.h"
#include "runtime/check/Check.h"
#include "runtime/check/dataflow/ByteMap.h"
#include "runtime/execute/Session.h"
#include "runtime/machine/Cluster.h"
#include "runtime/simulate/Simulate.h"
#include "test/unit/runtime/Pipelines.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pcc::test {
namespace {

using runtime::NamedTensors;
using runtime::RankExecutor;
using runtime::Session;
using runtime::Tensor;

class Memory : public testing::TestWithParam<CompileOptions> {
protected:
  Memory() : executable(makePipeline(GetParam())) {}

  std::unique_ptr<Session> load() {
    auto session = Session::load(executable, {.seed = 3, .timeout = 20});
    EXPECT_TRUE(bool(session)) << session.status().describe();
    return session ? std::move(*session) : nullptr;
  }
  NamedTensors batch() const {
    Tensor image = Tensor::zeros(abi::F32, {GetParam().batch, GetParam().width});
    for (int64_t i = 0; i < image.count(); ++i)
      image.set(i, double(i * 7919 % 1000) / 500 - 1);
    return {{"image", image}, {"label", Tensor::zeros(abi::I64, {GetParam().batch})}};
  }

  const abi::Executable executable;
};

TEST_P(Memory, MeasuredIsWhatWasPlanned) {
  std::unique_ptr<Session> session = load();
  ASSERT_TRUE(session);
  for (const runtime::MemoryUse &use : session->memoryUse())
    EXPECT_EQ(use.peakLive, 0u);
  for (int step = 0; step < 2; ++step)
    ASSERT_TRUE(bool(session->runStep(batch())));
  std::vector<runtime::MemoryUse> measured = session->memoryUse();
  std::vector<uint64_t> planned = check::peakBytes(executable);
  auto cluster = machine::parseForm(std::to_string(session->ranks()) + "xcpu");
  auto simulation = simulate::simulate(executable, *cluster);
  ASSERT_TRUE(bool(simulation)) << simulation.status().describe();
  size_t seen = 0;
  for (const simulate::Timeline &timeline : simulation->timelines)
    for (int64_t rank : timeline.ranks) {
      EXPECT_EQ(measured[size_t(rank)].peakLive, timeline.memory.peakLive) << "rank " << rank;
      EXPECT_EQ(measured[size_t(rank)].allocated, timeline.memory.planned) << "rank " << rank;
      EXPECT_EQ(measured[size_t(rank)].allocated, planned[size_t(timeline.program)]);
      EXPECT_LE(timeline.memory.peakLive, timeline.memory.planned);
      ++seen;
    }
  EXPECT_EQ(seen, measured.size());
}

/// Returns the space TEMPORARY of a rank.
std::span<std::byte> temporaries(const RankExecutor &rank) {
  const abi::MemoryPlan &plan = rank.program().memory();
  for (int b = 0; b < plan.buffers_size(); ++b)
    if (plan.buffers(b).space() == abi::TEMPORARY)
      return {rank.address(uint32_t(b)) - plan.buffers(b).offset(), plan.temporary_bytes()};
  return {};
}

/// Returns the bytes of TEMPORARY that instructions of the step declare as written.
std::vector<bool> writtenBytes(const abi::Executable &executable, int number) {
  check::ProgramIndex index(executable, number);
  check::ByteMap bytes(index);
  std::vector<bool> written(index.program.memory().temporary_bytes(), false);
  std::vector<bool> runs(size_t(index.program.sections_size()), false);
  for (const abi::Action &action : index.program.actions())
    runs[action.section()] = true;
  for (uint32_t r = 0; r < index.instructions.size(); ++r)
    for (const check::Touch &touch : bytes.touchesOf(r)) {
      const abi::Buffer &buffer = index.program.memory().buffers(int(touch.buffer));
      if (!touch.writes || buffer.space() != abi::TEMPORARY || !runs[index.sectionOf(r)])
        continue;
      for (uint64_t copy = 0; copy < touch.pieces.size(); ++copy) {
        uint64_t begin = abi::ringOffset(buffer, copy) + touch.offset;
        std::fill_n(written.begin() + ptrdiff_t(begin), touch.bytes, true);
      }
    }
  return written;
}

// Memory is filled with two patterns. A byte that keeps both was not written.
TEST_P(Memory, StepsWriteWhatRecordsSay) {
  std::unique_ptr<Session> session = load();
  ASSERT_TRUE(session);
  std::vector<std::vector<bool>> touched(size_t(session->ranks()));
  for (int pattern : {0x35, 0xca}) {
    auto fill = [&](RankExecutor &rank) {
      std::memset(temporaries(rank).data(), pattern, temporaries(rank).size());
      return runtime::Status();
    };
    ASSERT_TRUE(session->onEveryRank(fill).ok());
    ASSERT_TRUE(bool(session->runStep(batch())));
    auto look = [&](RankExecutor &rank) {
      std::vector<bool> &own = touched[size_t(rank.rank())];
      own.resize(temporaries(rank).size(), false);
      for (size_t i = 0; i < own.size(); ++i)
        own[i] = own[i] || temporaries(rank)[i] != std::byte(pattern);
      return runtime::Status();
    };
    ASSERT_TRUE(session->onEveryRank(look).ok());
  }
  for (int64_t rank = 0; rank < session->ranks(); ++rank)
    EXPECT_EQ(touched[size_t(rank)], writtenBytes(executable, abi::programOfRank(executable, rank)))
        << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(
    Stages, Memory,
    testing::Values(CompileOptions{.stages = 1}, CompileOptions{.stages = 2, .rate = 0},
                    CompileOptions{.stages = 4, .microBatches = 8, .rate = 0},
                    CompileOptions{.stages = 4, .microBatches = 8, .early = true},
                    CompileOptions{.stages = 2, .shares = true}));

} // namespace
} // namespace pcc::test
