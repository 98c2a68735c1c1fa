// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of the data to a rank, slot after slot and step after step. Where the device works beside
// the host, the host writes what comes next while the device still computes.
//
//   Status status = feed.wait();
//   reader.read(place, [&](const abi::Input &input) { return feed.at(input.buffer()); }, …);
//   status = feed.send();

#ifndef PCC_RUNTIME_EXECUTE_INPUTFEED_H
#define PCC_RUNTIME_EXECUTE_INPUTFEED_H

#include "runtime/execute/RankExecutor.h"

#include <map>

namespace pcc::runtime {

class InputFeed {
public:
  /// For all inputs of the rank's program, of the first `copies` copies.
  static Expected<InputFeed> make(RankExecutor &rank, uint32_t copies);

  /// Returns when all may be written.
  Status wait() const;
  /// Where to write the content of an input's buffer, all of it.
  std::byte *at(uint32_t buffer) const { return inlets.at(buffer)->image(); }
  /// Brings all to the device.
  Status send() const;

private:
  explicit InputFeed(RankExecutor &rank) : rank(&rank) {}

  RankExecutor *rank;
  std::map<uint32_t, Inlet *> inlets;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_INPUTFEED_H
