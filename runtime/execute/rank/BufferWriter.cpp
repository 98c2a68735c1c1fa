// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a copy in host memory, an image, of each buffer whose device has no host memory. The caller
// writes to the image, and send() uploads it.

#include "runtime/execute/rank/BufferWriter.h"

namespace pcc::runtime {

std::byte *BufferWriter::at(uint32_t buffer) {
  if (rank.device().hasHostMemory())
    return rank.address(buffer);
  std::vector<std::byte> &image = images[buffer];
  image.resize(rank.program().memory().buffers(int(buffer)).bytes());
  written.push_back(buffer);
  return image.data();
}

Status BufferWriter::send() {
  for (uint32_t buffer : written)
    if (Status status = rank.write(buffer, images[buffer]); !status.ok())
      return status;
  written.clear();
  return {};
}

} // namespace pcc::runtime
