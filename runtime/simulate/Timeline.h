// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The activities of a rank in a step, and the distribution of its time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pcc::simulate {

/// A time span in seconds from the beginning of the step.
struct Span {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
  bool hasTime() const { return end >= begin; }
};

/// The span of a run that does not take place.
inline constexpr Span never{0, -1};

/// A rank's seconds by activity or wait of the stream COMPUTE. They add up to the step. If an
/// instruction waits for several others, the last one to finish counts.
struct Seconds {
  /// Instructions without communication.
  double compute = 0;
  /// Part of `compute` lost to collectives that run beside it (DeviceFigures.collective_share).
  double slowed = 0;
  /// Collectives and messages on COMPUTE, while they move.
  double communication = 0;
  /// Waiting for a message: in the rank's first action; in later actions.
  double warmUp = 0, receive = 0;
  /// Waiting for an own message to be received. Waiting for the members of a collective, and for
  /// collectives on COMMUNICATION to be done.
  double send = 0, collective = 0;
  /// From the end of the rank's last instruction to the end of the last instruction of all ranks.
  double drain = 0;

  double bubble() const { return warmUp + receive + send + collective + drain; }
  double sum() const { return compute + communication + bubble(); }
};

/// TEMPORARY bytes that are live from `begin` on.
struct LiveBytes {
  double begin = 0;
  uint64_t bytes = 0;
};

/// A value that an instruction wrote in an action to a TEMPORARY buffer, or read there without a
/// writer.
struct LiveTensor {
  /// Section, position of the instruction in it, and buffer.
  uint32_t section = 0, instruction = 0, buffer = 0;
  size_t action = 0;
  uint64_t bytes = 0;
};

/// The memory of a rank. A byte of TEMPORARY is live from the beginning of the instruction that
/// writes it to the end of the last one that reads the value.
struct Memory {
  /// Bytes of PERSISTENT, INPUT and CONSTANT, which are always live.
  uint64_t held = 0;
  /// Peak of `held` plus live TEMPORARY bytes by turns, as in a run (spansInProgramOrder), and the
  /// planned bytes.
  uint64_t peakLive = 0, planned = 0;
  /// Live TEMPORARY bytes at the simulated times of their changes.
  std::vector<LiveBytes> live = {};
  /// Live values at the first peak by turns, the largest first.
  std::vector<LiveTensor> atPeak = {};
};

/// A class of ranks that do the same at the same times.
struct Timeline {
  int program = 0;
  /// Ascending.
  std::vector<int64_t> ranks = {};
  Seconds seconds;
  /// Time in which data of the rank moves between ranks, and its part beside computation.
  double moving = 0, hidden = 0;
  /// By run, in list order (forEachRun): the span; for communication, the time in which data moves.
  /// `never` for a message in which the ranks take no part.
  std::vector<Span> spans = {};
  Memory memory;
};

} // namespace pcc::simulate
