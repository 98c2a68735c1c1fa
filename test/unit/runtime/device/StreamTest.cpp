// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the emulated GPU, where an error of one stream is the result of every later call.

#include "runtime/device/cuda/driver/Stream.h"

#include <gtest/gtest.h>

namespace pcc::test {
namespace {

using namespace runtime;
using namespace runtime::cuda;

template <typename T> T take(Expected<T> made) {
  EXPECT_TRUE(bool(made)) << made.status().describe();
  return std::move(*made);
}

// Calls that only enqueue report an error of earlier work, with the instructions that may have
// caused it.
TEST(Stream, CallsThatEnqueueNameTheInstructionsBefore) {
  auto gpu = take(Gpu::open(*Driver::get(), 0));
  auto stream = take(Stream::make(gpu)), other = take(Stream::make(gpu));
  Event event = take(Event::make(gpu));
  abi::Instruction instruction;
  instruction.set_op("add");
  ASSERT_TRUE(stream->enqueued(instruction, Status()).ok());
  std::byte nobodys[8];
  ASSERT_TRUE(other->fill(pointer(nobodys), sizeof(nobodys)).ok());
  ASSERT_FALSE(other->synchronize().ok());
  const std::string error = "CUDA_ERROR_ILLEGAL_ADDRESS: so says the emulator";
  EXPECT_EQ(stream->waitFor(event).message(), "'add': cuStreamWaitEvent: " + error);
  EXPECT_EQ(stream->fill(pointer(nobodys), sizeof(nobodys)).message(),
            "'add': cuMemsetD8Async: " + error);
}

} // namespace
} // namespace pcc::test
