// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IDX format of MNIST: two zero bytes, a type (8: unsigned bytes), the number of dimensions,
// each extent as a big-endian 32-bit number, then the elements. Files may be gzip-compressed.

#ifndef PCC_RUNTIME_DATA_IDX_H
#define PCC_RUNTIME_DATA_IDX_H

#include "runtime/base/Base.h"

#include <string>
#include <vector>

namespace pcc::runtime {

struct IdxTensor {
  std::vector<int64_t> shape;
  std::vector<std::byte> values;
};

/// Reads a file of unsigned bytes. Errors name the file: not there, truncated, too long, another
/// type.
Expected<IdxTensor> readIdx(const std::string &path);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_IDX_H
