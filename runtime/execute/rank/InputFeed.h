// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds the input data to a rank, action by action and step by step. The host writes to the image
// of each input, the host memory of its staging (HostToDeviceStaging). If the device runs
// asynchronously, the host writes the next inputs while the device still computes.
//
//   Status status = feed.wait();
//   reader.read(rows, [&](const abi::Input &input) { return feed.at(input.buffer()); }, …);
//   status = feed.send();

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

#include <map>

namespace pcc::runtime {

class InputFeed {
public:
  /// Creates a feed for all inputs of the rank's program and the first `copies` copies of a
  /// microbatch. `rank` must outlive it.
  static Expected<InputFeed> make(RankExecutor &rank, uint32_t copies);

  /// Waits until all images may be written.
  Status wait() const;
  /// Returns the address at which the caller must write the full content of an input's buffer.
  std::byte *at(uint32_t buffer) const { return inputStagings.at(buffer)->image(); }
  /// Sends all images to the device.
  Status send() const;

private:
  explicit InputFeed(RankExecutor &rank) : rank(&rank) {}

  RankExecutor *rank;
  std::map<uint32_t, HostToDeviceStaging *> inputStagings;
};

} // namespace pcc::runtime
