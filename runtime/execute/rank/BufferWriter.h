// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes from the host to the buffers of a rank. If the host can address the rank's memory, it
// writes in place. Otherwise it writes to a staging copy of the buffer, which is then copied to the
// device.
//
//   BufferWriter writer(rank);
//   copyBlockOut(block, mesh, rank.rank(), global, writer.at(buffer));
//   Status status = writer.send();

#pragma once

#include "runtime/execute/rank/RankExecutor.h"

#include <map>

namespace pcc::runtime {

class BufferWriter {
public:
  explicit BufferWriter(RankExecutor &rank) : rank(rank) {}

  /// Returns the address at which the caller must write the full content of `buffer`: all of it is
  /// copied to the device. The device must not use the buffer any more, since writes may be in
  /// place. Call it at most once for a buffer between two calls of `send`, which would copy it
  /// twice.
  std::byte *at(uint32_t buffer);

  /// Copies to the device everything written since the last call. The staging copies are kept for
  /// reuse.
  Status send();

private:
  RankExecutor &rank;
  std::map<uint32_t, std::vector<std::byte>> images;
  std::vector<uint32_t> written;
};

} // namespace pcc::runtime
