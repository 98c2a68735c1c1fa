// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order a rank begins its work, so that what it sends hides under what it computes.
//
// A rank has a lane that computes and others that communicate. Each does one task at a time, in the
// order in which the rank comes to them; the rank itself computes, and so begins a message when all
// computing tasks before it are done. Two copies (a, b) of two layers, each computed in 1 (C) and
// then summed over ranks in 1 (R); a layer needs the sum of the one before:
//
//   given:  Ca1 Ra1 Ca2 Ra2 Cb1 Rb1 Cb2 Rb2      found:  Ca1 Ra1 Cb1 Rb1 Ca2 Ra2 Cb2 Rb2
//   computes        Ca1     Ca2     Cb1     Cb2          computes        Ca1 Cb1 Ca2 Cb2
//   communicates        Ra1     Ra2     Rb1     Rb2      communicates        Ra1 Rb1 Ra2 Rb2
//
// The given order takes 7, as nothing stops b from beginning under Ra2; the one found takes 5, the
// least that there is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pcc::lanes {

inline constexpr int computeLane = 0;

struct Task {
  int lane = computeLane;
  double seconds = 0;
  std::vector<int> after = {}; ///< tasks that must be done before this one begins
  std::string name = {};
  bool isInLast = false; ///< done in the last run only; what is done in all never comes after it
};

struct LaneProblem {
  /// In an order in which they can run: each behind all that it comes after.
  std::vector<Task> tasks;
  int runs = 1; ///< one behind the other, all in the same order

  /// One more than the highest lane.
  int countLanes() const;
};

/// All tasks, each once, by number.
using LaneOrder = std::vector<int>;

struct LaneTimes {
  std::vector<double> begin; ///< by task, seconds
  double finish = 0;         ///< of all, in the last run
  std::string error;         ///< why this is no order; empty if it is one

  bool ok() const { return error.empty(); }
};

/// When each task runs in the last run if the rank comes to them in this order, or the first thing
/// that is wrong with it: a task that is missing or comes twice, or stands before one that it comes
/// after.
LaneTimes runInOrder(const LaneProblem &problem, const LaneOrder &order);

/// Of all runs; the order is one.
double totalSeconds(const LaneProblem &problem, const LaneOrder &order);

/// No order is through the last run earlier: the longest chain of tasks, the work of the busiest
/// lane.
double lowerBound(const LaneProblem &problem);
/// The same of all runs.
double totalBound(const LaneProblem &problem);

/// The order of the problem itself.
LaneOrder givenOrder(const LaneProblem &problem);

/// The best that several list schedules find (Graham, SIAM J. Appl. Math. 17(2), 1969), each in as
/// many steps as there are tasks, times those that could be next. A lane that is free takes, of
/// what can begin first, the task from which the longest chain of work leads to the end; so what
/// nothing waits for fills the gaps. Some of the schedules look ahead: a lane leaves a task for
/// later if another, from which a longer chain leads on, is about to come and would be late behind
/// it. Never more seconds in total than the given order takes.
LaneOrder schedule(const LaneProblem &problem);

/// The same end, with what needs nothing and communicates as late as what needs it allows, for what
/// it brings is kept until then: a parameter that is gathered for a layer comes while the layer
/// before is computed. Computation begins when it did, and so does what else communicates, as what
/// is sent and nothing here needs; the order itself where that cannot be. `order` is one.
///
///   given   communicates  g1g2g3g4                held   communicates  g1g2  g3  g4
///           computes        c1  c2  c3  c4               computes        c1  c2  c3  c4
LaneOrder holdBack(const LaneProblem &problem, const LaneOrder &order);

/// The text form: a line for each task, `#` to the end of a line is a comment.
///
///   compute 1 a1            seconds, name
///   send 1 1 ra1 after a1   lane, seconds, name; what it comes after, by name
///   runs 4                  of all of it
///   last send 1 1 w         in the last run only
struct ParsedLanes {
  LaneProblem problem;
  std::string error; ///< with the line; empty if there is none
};
ParsedLanes parseProblem(const std::string &text);
/// `a1 ra1 b1`
std::string printOrder(const LaneProblem &problem, const LaneOrder &order);

} // namespace pcc::lanes
