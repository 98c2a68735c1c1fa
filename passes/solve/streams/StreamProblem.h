// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order in which a rank starts its tasks, so that communication overlaps with computation.
//
// A rank has one compute stream and some communication streams. Each stream runs one task at a
// time, in the order in which the rank starts them. A message is a task of a communication stream:
// a send, a receive or a collective. On a CPU the rank's thread does the computing, so it issues a
// message only after all compute tasks before it in the order. Example: two copies (a, b) of two
// layers. Each layer is computed in time 1 (C) and then summed over ranks in time 1 (R). A layer
// needs the sum of the layer before:
//
//   given:  Ca1 Ra1 Ca2 Ra2 Cb1 Rb1 Cb2 Rb2      found:  Ca1 Ra1 Cb1 Rb1 Ca2 Ra2 Cb2 Rb2
//   computes        Ca1     Ca2 Cb1     Cb2              computes        Ca1 Cb1 Ca2 Cb2
//   communicates        Ra1     Ra2 Rb1     Rb2          communicates        Ra1 Rb1 Ra2 Rb2
//
// The given order takes 7, because only Ra2 overlaps with computation. The found order takes 5,
// which is optimal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::streams {

inline constexpr int computeStream = 0;

struct Task {
  int stream = computeStream;
  double seconds = 0;
  std::vector<int> after = {}; ///< tasks that must be done before this one starts
  std::string name = {};
  /// Runs in the last run only. A task that runs in every run never depends on one.
  bool isLastRunOnly = false;
  bool isSend = false; ///< another rank waits for it
};

struct StreamProblem {
  /// In a valid order: each task comes after its dependencies.
  std::vector<Task> tasks;
  int runs = 1; ///< number of runs, one after the other, all in the same order

  /// Returns the number of streams: one more than the highest stream number of a task.
  int countStreams() const;
};

/// All tasks, each once, by number.
using StreamOrder = std::vector<int>;

struct StreamTimes {
  std::vector<double> begin; ///< by task: start in seconds
  double finish = 0;         ///< end of the last run
  std::string error;         ///< reason why the order is invalid; empty if it is valid

  bool ok() const { return error.empty(); }
};

/// Returns the times of all tasks in the last run if the rank starts them in this order. Otherwise
/// returns the first error: a missing or repeated task, or a task before one of its dependencies.
StreamTimes runInOrder(const StreamProblem &problem, const StreamOrder &order);

/// Returns the seconds of all runs; `order` is valid.
double totalSeconds(const StreamProblem &problem, const StreamOrder &order);

/// Returns a lower bound on the last run: the maximum of the longest chain of tasks and of the work
/// of the busiest stream.
double lowerBound(const StreamProblem &problem);
/// Returns the same bound for all runs.
double totalBound(const StreamProblem &problem);

/// Returns the order of the problem itself.
StreamOrder givenOrder(const StreamProblem &problem);

/// Returns the best order of several list schedules (Graham, SIAM J. Appl. Math. 17(2), 1969). Each
/// schedule takes as many steps as there are tasks, times the number of candidates for the next
/// task.
///
/// A free stream takes one of the tasks that can start first: the one with the longest chain of
/// work to the end. So tasks that nothing waits for fill the gaps. Some schedules look ahead: a
/// stream delays a task if a more urgent task arrives soon and would be late behind it. The result
/// never takes longer in total than the given order.
StreamOrder schedule(const StreamProblem &problem);

/// Moves messages so that they occupy memory for a short time, with the same end. Computation keeps
/// its order and start times.
///
/// * Messages that depend on nothing are delayed as far as their readers allow, because their
///   results occupy memory until then: a parameter gathered for a layer arrives while the layer
///   before is computed.
/// * Messages that no task needs start as soon as these leave room, because their operands occupy
///   memory: a gradient of which a rank keeps a slice.
///
/// All other messages keep their start times. Returns `order` if that is not possible. `order` is
/// valid.
///
///   given   communicates  g1g2g3g4  s1    s2     placed   communicates  g1g2s1g3s2g4
///           computes        c1  c2  c3  c4                computes        c1  c2  c3  c4
StreamOrder placeMessages(const StreamProblem &problem, const StreamOrder &order);

} // namespace pcc::streams
