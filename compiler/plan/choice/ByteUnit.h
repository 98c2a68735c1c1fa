// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unit in which reports state bytes of a device: GB, or MB on devices with less than one GB.
#pragma once

#include <cstdint>

namespace pcc::plan {

class ByteUnit {
public:
  /// `memory`: bytes of a device.
  explicit ByteUnit(int64_t memory) : isSmall(memory < int64_t(1e9)) {}

  const char *getName() const { return isSmall ? "MB" : "GB"; }
  double convert(int64_t bytes) const { return double(bytes) / (isSmall ? 1e6 : 1e9); }

private:
  bool isSmall;
};

} // namespace pcc::plan
