// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When a device did what it was given, where that is not when it was given: a place is marked, and
// asked for its time once the device has come there.

#ifndef PCC_RUNTIME_BASE_TIMEMARK_H
#define PCC_RUNTIME_BASE_TIMEMARK_H

#include "runtime/base/Base.h"

#include <memory>
#include <optional>

namespace pcc::runtime {

/// A place in what a device was given to do.
class TimeMark {
public:
  virtual ~TimeMark() = default;
  /// When the device was there, on the clock of nowNanoseconds(); nothing: it is not there yet. May
  /// be called from any thread. Errors: the device's.
  virtual Expected<std::optional<int64_t>> time() const = 0;
};

using Mark = std::shared_ptr<const TimeMark>;

/// From one place to another.
struct MarkedSpan {
  Mark begin = {}, end = {};
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_TIMEMARK_H
