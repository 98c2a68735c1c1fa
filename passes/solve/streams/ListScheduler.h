// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list schedule: each stream takes the most urgent task that can start, unless waiting is
// better.
//
//   communication stream     free     long message r is ready, nothing waits for it
//   predicted                         message s, which many tasks need, comes soon
//
//   without lookahead        rrrrrrrrrrrrssss      s and all tasks that need it are late
//   with lookahead           ...ssssrrrrrrrrrrrr
#pragma once

#include "passes/solve/streams/StreamProblem.h"

#include <set>

namespace pcc::streams {

/// Priorities of a schedule, by task.
struct Guide {
  std::vector<double> urgency; ///< the longest chain of work from its start to the end
  std::vector<double> comes;   ///< predicted time at which it can start; empty: unknown
  std::vector<double> latest;  ///< latest start that does not delay the end; as many as `comes`
};

class ListScheduler {
public:
  /// `problem` and `guide` must outlive this.
  ListScheduler(const StreamProblem &problem, const Guide &guide);

  StreamOrder run();

private:
  struct Stream {
    double free = 0;                            ///< end of its last task
    std::set<std::pair<double, int>> byUrgency; ///< tasks that may start, most urgent first
    std::multiset<double> ready;                ///< their ready times
    std::set<std::pair<double, int>> coming;    ///< tasks not yet started, by predicted ready time
  };
  struct Choice {
    double begin;
    int task; ///< -1: none may start
  };

  void release(int task);
  Choice choose(const Stream &stream) const;
  double nextEvent(const Stream &stream, double time) const;
  bool mayBegin(const Stream &stream, int task, double time) const;
  void begin(const Choice &choice);

  const StreamProblem &problem;
  const Guide &guide;
  std::vector<Stream> streams;
  std::vector<double> ready, finish;
  std::vector<int> missing; ///< number of dependencies that have not started
  std::vector<std::vector<int>> behind;
};

} // namespace pcc::streams
