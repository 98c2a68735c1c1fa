// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes one staging area for each input and copy from the rank, which owns them.

#include "runtime/execute/rank/InputFeed.h"

#include "runtime/abi/program/BufferRings.h"

namespace pcc::runtime {

Expected<InputFeed> InputFeed::make(RankExecutor &rank, uint32_t copies) {
  InputFeed feed(rank);
  for (const abi::Input &input : rank.program().inputs())
    for (uint32_t copy = 0; copy < copies; ++copy) {
      uint32_t buffer = abi::bufferOfCopy(input, copy);
      Expected<HostToDeviceStaging *> inputStaging = rank.inputStaging(buffer);
      if (!inputStaging)
        return inputStaging.status();
      feed.inputStagings[buffer] = *inputStaging;
    }
  return feed;
}

Status InputFeed::wait() const {
  for (const auto &[buffer, inputStaging] : inputStagings)
    if (Status status = rank->wait(*inputStaging); !status.ok())
      return status;
  return {};
}

Status InputFeed::send() const {
  for (const auto &[buffer, inputStaging] : inputStagings)
    if (Status status = rank->send(*inputStaging); !status.ok())
      return status;
  return {};
}

} // namespace pcc::runtime
