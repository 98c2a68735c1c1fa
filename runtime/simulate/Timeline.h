// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rank does in a step, and where its time goes.

#ifndef PCC_RUNTIME_SIMULATE_TIMELINE_H
#define PCC_RUNTIME_SIMULATE_TIMELINE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcc::simulate {

/// From when to when, in seconds from the beginning of the step.
struct Span {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
  bool isEver() const { return end >= begin; }
};

/// Of what does not run.
inline constexpr Span never{0, -1};

/// A rank's seconds by what the lane COMPUTE does or waits for. They add up to the step. As for
/// waiting, the last to come of what a record waits for counts.
struct Seconds {
  /// Records that meet nobody.
  double compute = 0;
  /// Of these, lost to collectives that run beside them (DeviceFigures.collective_share).
  double slowed = 0;
  /// Collectives and messages on COMPUTE, while they move.
  double communication = 0;
  /// Waiting for a message in the rank's first slot; in later ones.
  double warmUp = 0, receive = 0;
  /// Waiting for a message of its own to be taken, for a collective: for its members, and for
  /// those of COMMUNICATION until they are done.
  double send = 0, collective = 0;
  /// From the end of its last record to the end of the last record of all ranks.
  double drain = 0;

  double bubble() const { return warmUp + receive + send + collective + drain; }
  double sum() const { return compute + communication + bubble(); }
};

/// TEMPORARY bytes that are live from `begin` on.
struct LiveBytes {
  double begin = 0;
  uint64_t bytes = 0;
};

/// What a record has written in a slot to a TEMPORARY buffer, or has read there that nobody wrote.
struct LiveTensor {
  /// In the program: the section, the place of the record in it, and the buffer.
  uint32_t section = 0, record = 0, buffer = 0;
  size_t slot = 0;
  uint64_t bytes = 0;
};

/// What a rank keeps in memory. A byte of TEMPORARY is live from the beginning of the record that
/// writes it to the end of the last one that reads what was written.
struct Memory {
  /// PERSISTENT, INPUT and CONSTANT, which are there all the time.
  uint64_t held = 0;
  /// The most of these and of live TEMPORARY bytes by turns, as in a run (ListOrder.h), and what
  /// the plan sets aside.
  uint64_t peakLive = 0, planned = 0;
  /// The level of live TEMPORARY bytes at the simulated times, where it changes.
  std::vector<LiveBytes> live = {};
  /// What is live when the most is, by turns: the first time, the largest first.
  std::vector<LiveTensor> atPeak = {};
};

/// Ranks that do the same at the same times.
struct Timeline {
  int program = 0;
  /// Ascending.
  std::vector<int64_t> ranks = {};
  Seconds seconds;
  /// While something of the rank's moves between ranks, and of that, beside its computing.
  double moving = 0, hidden = 0;
  /// By run, in the order of the list (forEachRun): of what meets others, while it moves; `never`
  /// of a message that the ranks sit out.
  std::vector<Span> spans = {};
  Memory memory;
};

} // namespace pcc::simulate

#endif // PCC_RUNTIME_SIMULATE_TIMELINE_H
