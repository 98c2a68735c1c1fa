// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/execute/InputFeed.h"

#include "runtime/abi/RingCopy.h"

namespace pcc::runtime {

Expected<InputFeed> InputFeed::make(RankExecutor &rank, uint32_t copies) {
  InputFeed feed(rank);
  for (const abi::Input &input : rank.program().inputs())
    for (uint32_t copy = 0; copy < copies; ++copy) {
      uint32_t buffer = abi::bufferOfCopy(input, copy);
      Expected<Inlet *> inlet = rank.inlet(buffer);
      if (!inlet)
        return inlet.status();
      feed.inlets[buffer] = *inlet;
    }
  return feed;
}

Status InputFeed::wait() const {
  for (const auto &[buffer, inlet] : inlets)
    if (Status status = rank->wait(*inlet); !status.ok())
      return status;
  return {};
}

Status InputFeed::send() const {
  for (const auto &[buffer, inlet] : inlets)
    if (Status status = rank->send(*inlet); !status.ok())
      return status;
  return {};
}

} // namespace pcc::runtime
