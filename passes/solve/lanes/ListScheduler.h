// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list schedule: each lane takes the most urgent of what it can begin, unless it would do
// better to wait.
//
//   lane of messages     free     long message r is there, nothing waits for it
//   predicted                        message s, which much waits for, comes soon
//
//   without looking ahead    rrrrrrrrrrrrssss      s is late, and all that waits for it
//   looking ahead            ...ssssrrrrrrrrrrrr
#pragma once

#include "passes/solve/lanes/LaneProblem.h"

#include <set>

namespace pcc::lanes {

/// What a schedule goes by; all by task.
struct Guide {
  std::vector<double> urgency; ///< the longest chain of work from its begin to the end of all
  std::vector<double> comes;   ///< when it is thought to be able to begin; empty: nothing is known
  std::vector<double> latest;  ///< a later begin would delay the end; as many as `comes`
};

class ListScheduler {
public:
  /// Both outlive this.
  ListScheduler(const LaneProblem &problem, const Guide &guide);

  LaneOrder run();

private:
  struct Lane {
    double free = 0;                            ///< when it has done what it took
    std::set<std::pair<double, int>> byUrgency; ///< of what may begin: falling, then by number
    std::multiset<double> ready;                ///< when each of these may
    std::set<std::pair<double, int>> coming;    ///< what it has not taken, by when it is thought to
  };
  struct Choice {
    double begin;
    int task; ///< -1: nothing may begin
  };

  void release(int task);
  Choice choose(const Lane &lane) const;
  double nextEvent(const Lane &lane, double time) const;
  bool mayBegin(const Lane &lane, int task, double time) const;
  void begin(const Choice &choice);

  const LaneProblem &problem;
  const Guide &guide;
  std::vector<Lane> lanes;
  std::vector<double> ready, finish;
  std::vector<int> missing; ///< how many that it comes after have not begun
  std::vector<std::vector<int>> behind;
};

} // namespace pcc::lanes
