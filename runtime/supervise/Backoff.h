// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a supervisor waits before it starts a failed run again. A run that completes no
// checkpoint may fail again and again for the same reason, such as a full disk or an absent peer.

#pragma once

#include <algorithm>
#include <cstdint>

namespace pcc::runtime {

class Backoff {
public:
  /// Longest wait in seconds.
  static constexpr double longest = 300;

  /// The first wait is `first` seconds; each further one in succession is twice as long.
  explicit Backoff(double first) : first(first), seconds(first) {}

  /// Returns the seconds to wait after a run whose latest checkpoint is of `step`, or 0 if it has
  /// none. After a run that completed a later checkpoint than those before, there is no wait, and
  /// the next one is the first again.
  double next(int64_t step) {
    if (step > lastStep) {
      lastStep = step;
      seconds = first;
      return 0;
    }
    double now = std::min(seconds, longest);
    seconds = 2 * now;
    return now;
  }

private:
  const double first;
  double seconds; ///< next wait, before the limit
  int64_t lastStep = 0;
};

} // namespace pcc::runtime
