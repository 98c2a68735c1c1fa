// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/lanes/LaneProblem.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace pcc::lanes {

/// By task: the longest chain of work from its begin to the end of all, with what communicates
/// counted `weight` times: a lane of messages that is never idle makes chains as long as its work.
static std::vector<double> findUrgency(const LaneProblem &problem, double weight) {
  std::vector<double> urgency(problem.tasks.size());
  for (int i = int(problem.tasks.size()) - 1; i >= 0; --i) {
    const Task &task = problem.tasks[i];
    urgency[i] += task.seconds * (task.lane == computeLane ? 1 : weight);
    for (int before : task.after)
      urgency[before] = std::max(urgency[before], urgency[i]);
  }
  return urgency;
}

namespace {

/// What one lane can take: first what waits for its time to come, by that, then what could begin
/// at once, by urgency.
class Queue {
public:
  void add(int task, double ready, double urgency) { waiting.push({-ready, urgency, -task}); }
  bool empty() const { return waiting.empty() && able.empty(); }

  /// When this lane, free from `free` on, can begin something.
  double beginOfNext(double free) const {
    if (!able.empty())
      return free;
    return waiting.empty() ? std::numeric_limits<double>::infinity()
                           : std::max(free, -waiting.top().key);
  }

  /// Takes the most urgent of what can begin by `time`.
  int take(double time) {
    while (!waiting.empty() && -waiting.top().key <= time) {
      Item item = waiting.top();
      waiting.pop();
      able.push({item.other, item.key, item.task});
    }
    int task = -able.top().task;
    able.pop();
    return task;
  }

private:
  struct Item {
    double key, other;
    int task; ///< negative: of equal ones the first is taken
    bool operator<(const Item &right) const {
      return key != right.key ? key < right.key : task < right.task;
    }
  };
  std::priority_queue<Item> waiting, able;
};

class ListScheduler {
public:
  ListScheduler(const LaneProblem &problem, const std::vector<double> &urgency)
      : problem(problem), urgency(urgency), queues(problem.countLanes()),
        free(problem.countLanes()), finish(problem.tasks.size()), missing(problem.tasks.size()),
        behind(problem.tasks.size()) {}

  LaneOrder run() {
    for (int i = 0; i < int(problem.tasks.size()); ++i) {
      missing[i] = int(problem.tasks[i].after.size());
      for (int before : problem.tasks[i].after)
        behind[before].push_back(i);
      if (missing[i] == 0)
        queues[problem.tasks[i].lane].add(i, 0, urgency[i]);
    }
    LaneOrder order;
    while (order.size() < problem.tasks.size()) {
      int lane = findLane();
      int task = queues[lane].take(queues[lane].beginOfNext(free[lane]));
      begin(task);
      order.push_back(task);
    }
    return order;
  }

private:
  /// The lane that can begin something first; messages first, for they delay nobody.
  int findLane() const {
    int first = int(queues.size()) - 1;
    for (int lane = first - 1; lane >= 0; --lane)
      if (queues[lane].beginOfNext(free[lane]) < queues[first].beginOfNext(free[first]))
        first = lane;
    return first;
  }

  void begin(int number) {
    const Task &task = problem.tasks[number];
    double ready = 0;
    for (int before : task.after)
      ready = std::max(ready, finish[before]);
    finish[number] = free[task.lane] = std::max(free[task.lane], ready) + task.seconds;
    for (int next : behind[number]) {
      if (--missing[next] > 0)
        continue;
      double able = 0;
      for (int before : problem.tasks[next].after)
        able = std::max(able, finish[before]);
      queues[problem.tasks[next].lane].add(next, able, urgency[next]);
    }
  }

  const LaneProblem &problem;
  const std::vector<double> &urgency;
  std::vector<Queue> queues;
  std::vector<double> free, finish;
  std::vector<int> missing; ///< by task: how many that it comes after have not begun
  std::vector<std::vector<int>> behind;
};

} // namespace

/// The same order of each lane, with every message as early among the others as it can stand: the
/// rank comes to it before it computes what the message does not need.
static LaneOrder beginEarly(const LaneProblem &problem, const LaneOrder &order) {
  std::vector<LaneOrder> ofLane(problem.countLanes());
  for (int task : order)
    ofLane[problem.tasks[task].lane].push_back(task);
  LaneOrder result;
  std::vector<bool> done(problem.tasks.size());
  std::vector<size_t> next(ofLane.size());
  auto take = [&](int lane) {
    if (next[lane] == ofLane[lane].size())
      return false;
    int number = ofLane[lane][next[lane]];
    const std::vector<int> &after = problem.tasks[number].after;
    if (!std::all_of(after.begin(), after.end(), [&](int before) { return done[before]; }))
      return false;
    done[number] = true;
    result.push_back(number);
    ++next[lane];
    return true;
  };
  while (result.size() < order.size()) {
    int lane = int(ofLane.size()) - 1;
    while (!take(lane))
      --lane;
  }
  return result;
}

LaneOrder schedule(const LaneProblem &problem) {
  LaneOrder best = givenOrder(problem);
  double finish = runInOrder(problem, best).finish, bound = lowerBound(problem);
  for (double weight : {1.0, 2.0, 8.0}) {
    if (finish <= bound)
      break;
    LaneOrder order =
        beginEarly(problem, ListScheduler(problem, findUrgency(problem, weight)).run());
    double time = runInOrder(problem, order).finish;
    if (time < finish) {
      finish = time;
      best = std::move(order);
    }
  }
  return best;
}

} // namespace pcc::lanes
