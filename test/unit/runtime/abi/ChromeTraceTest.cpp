// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/files/ChromeTrace.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <malloc.h>
#include <sys/resource.h>

namespace pcc::abi {
namespace {

TEST(ChromeTrace, TracksOfARank) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "trace.json").string();
  Expected<ChromeTrace> trace = ChromeTrace::create(path);
  ASSERT_TRUE(trace) << trace.status().describe();
  trace->addRank(2, "ranks 2-3");
  Instruction instruction;
  instruction.set_op("say \"h\"");
  instruction.set_location("model.py:7");
  instruction.set_stream(TRANSFER);
  instruction.mutable_copy();
  trace->addInstruction(2, instruction, 5, 1.5, 0.25);
  instruction.set_stream(COMMUNICATION);
  instruction.mutable_collective()->set_kind(ALL_REDUCE);
  trace->addInstruction(2, instruction, 6, 2, 1);
  trace->addCounter(2, "live bytes", 0.5, 64);
  ASSERT_TRUE(trace->finish().ok());
  EXPECT_EQ(*readFile(path), R"([
{"name":"process_name","ph":"M","pid":2,"args":{"name":"ranks 2-3"}},
{"name":"thread_name","ph":"M","pid":2,"tid":0,"args":{"name":"compute"}},
{"name":"thread_name","ph":"M","pid":2,"tid":1,"args":{"name":"communication"}},
{"name":"thread_name","ph":"M","pid":2,"tid":2,"args":{"name":"transfer"}},
{"name":"say \"h\"","cat":"copy","ph":"X","pid":2,"tid":2,"ts":1.500,"dur":0.250,"args":{"step":5,"location":"model.py:7"}},
{"name":"say \"h\"","cat":"all_reduce","ph":"X","pid":2,"tid":1,"ts":2.000,"dur":1.000,"args":{"step":6,"location":"model.py:7"}},
{"name":"live bytes","ph":"C","pid":2,"ts":0.500,"args":{"bytes":64}}
]
)");
  std::filesystem::remove(path);
}

TEST(ChromeTrace, AFileThatCannotBeWritten) {
  Expected<ChromeTrace> trace = ChromeTrace::create("/nowhere/trace.json");
  EXPECT_EQ(trace.status().kind(), StatusKind::BadInput);
  EXPECT_NE(trace.status().describe().find("/nowhere/trace.json: "), std::string::npos);
}

// Files of this process may not grow beyond 2 MiB. The text of later events is discarded.
TEST(ChromeTrace, MemoryDoesNotGrowAfterAWriteError) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "limited.json").string();
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = {2 << 20, before.rlim_max};
  auto handler = std::signal(SIGXFSZ, SIG_IGN); // write returns EFBIG instead
  setrlimit(RLIMIT_FSIZE, &small);
  Expected<ChromeTrace> trace = ChromeTrace::create(path);
  ASSERT_TRUE(trace) << trace.status().describe();
  size_t used = mallinfo2().uordblks;
  std::string name(1 << 10, 'n');
  for (int event = 0; event < 64 << 10; ++event) // 64 MiB
    trace->addCounter(0, name, 0, 1);
  EXPECT_LT(mallinfo2().uordblks, used + (16 << 20));
  Status status = trace->finish();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.message(), path + ": cannot write: File too large");
}

} // namespace
} // namespace pcc::abi
