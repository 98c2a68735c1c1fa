// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the extents of the header with the size of the file before it copies the elements.

#include "runtime/data/formats/Formats.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/data/ReadDecompressed.h"

namespace pcc::runtime {
namespace {

int64_t bigEndian(const std::byte *bytes) {
  int64_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8 | int64_t(bytes[i]);
  return value;
}

} // namespace

Expected<IdxTensor> readIdx(const std::string &path) {
  Expected<std::vector<std::byte>> content = readDecompressed(path);
  if (!content)
    return content.status();
  const std::vector<std::byte> &bytes = *content;
  if (bytes.size() < 4 || bytes[0] != std::byte(0) || bytes[1] != std::byte(0))
    return Status::badInput(fmt::format("{}: not an IDX file", path));
  if (bytes[2] != std::byte(8))
    return Status::badInput(fmt::format("{}: expected elements of type 8 (unsigned bytes), got {}",
                                        path, int(bytes[2])));
  size_t dimensions = size_t(bytes[3]), header = 4 + 4 * dimensions;
  if (dimensions == 0 || bytes.size() < header)
    return Status::badInput(
        fmt::format("{}: expected {} extents, got {} bytes", path, dimensions, bytes.size()));
  IdxTensor tensor;
  for (size_t d = 0; d < dimensions; ++d)
    tensor.shape.push_back(bigEndian(bytes.data() + 4 + 4 * d));
  std::optional<int64_t> count = abi::elementCount(tensor.shape);
  if (!count || uint64_t(*count) != bytes.size() - header)
    return Status::badInput(fmt::format("{}: expected {} elements, got {}", path,
                                        count ? std::to_string(*count) : "too many",
                                        bytes.size() - header));
  tensor.values.assign(bytes.begin() + header, bytes.end());
  return tensor;
}

} // namespace pcc::runtime
