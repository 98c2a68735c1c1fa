// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from the host to the buffers of a rank. Where the host reaches the rank's memory, it
// writes in place; else to an image of the buffer, which is then copied.
//
//   BufferWriter writer(rank);
//   copyBlockOut(block, mesh, rank.rank(), global, writer.at(buffer));
//   Status status = writer.send();

#ifndef PCC_RUNTIME_EXECUTE_BUFFERWRITER_H
#define PCC_RUNTIME_EXECUTE_BUFFERWRITER_H

#include "runtime/execute/RankExecutor.h"

#include <map>

namespace pcc::runtime {

class BufferWriter {
public:
  explicit BufferWriter(RankExecutor &rank) : rank(rank) {}

  /// Where to write the content of a buffer, all of it.
  std::byte *at(uint32_t buffer);

  /// Brings there what was written since the last time. Images are kept for the next.
  Status send();

private:
  RankExecutor &rank;
  std::map<uint32_t, std::vector<std::byte>> images;
  std::vector<uint32_t> written;
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_EXECUTE_BUFFERWRITER_H
