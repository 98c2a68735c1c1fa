// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timestamps of asynchronous device work. A position in the device's queue is marked, and has a
// time once the device has reached it.

#pragma once

#include "runtime/base/Base.h"

#include <memory>
#include <optional>

namespace pcc::runtime {

/// A marked position in the queue of a device.
class DeviceTimestamp {
public:
  virtual ~DeviceTimestamp() = default;
  /// Returns the time at which the device reached the position, on the clock of nowNanoseconds().
  /// Returns nothing before that. May be called from any thread. Errors: the device's.
  virtual Expected<std::optional<int64_t>> time() const = 0;
};

using TimestampHandle = std::shared_ptr<const DeviceTimestamp>;

/// The span between two marked positions.
struct TimestampSpan {
  TimestampHandle begin = {}, end = {};
};

} // namespace pcc::runtime
