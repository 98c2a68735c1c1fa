// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/lanes/LaneProblem.h"

#include <algorithm>
#include <numeric>

namespace pcc::lanes {

int LaneProblem::countLanes() const {
  int lanes = 1;
  for (const Task &task : tasks)
    lanes = std::max(lanes, task.lane + 1);
  return lanes;
}

static std::string describe(const LaneProblem &problem, int task) {
  const std::string &name = problem.tasks[task].name;
  return name.empty() ? "task " + std::to_string(task) : "'" + name + "'";
}

static std::string checkOrder(const LaneProblem &problem, const LaneOrder &order) {
  int count = int(problem.tasks.size());
  std::vector<bool> done(count);
  for (int task : order) {
    if (task < 0 || task >= count)
      return "expected tasks 0 to " + std::to_string(count - 1) + ", got " + std::to_string(task);
    if (done[task])
      return describe(problem, task) + " comes twice";
    for (int before : problem.tasks[task].after)
      if (!done[before])
        return describe(problem, task) + " stands before " + describe(problem, before);
    done[task] = true;
  }
  for (int task = 0; task < count; ++task)
    if (!done[task])
      return describe(problem, task) + " is missing";
  return "";
}

/// Simulates one run: the last one or another one.
static LaneTimes runOnce(const LaneProblem &problem, const LaneOrder &order, bool isLast) {
  LaneTimes times;
  times.begin.resize(problem.tasks.size());
  std::vector<double> free(problem.countLanes());
  for (int number : order) {
    const Task &task = problem.tasks[number];
    if (task.isInLast && !isLast)
      continue;
    double begin = std::max(free[task.lane], free[computeLane]);
    for (int before : task.after)
      begin = std::max(begin, times.begin[before] + problem.tasks[before].seconds);
    times.begin[number] = begin;
    free[task.lane] = begin + task.seconds;
    times.finish = std::max(times.finish, free[task.lane]);
  }
  return times;
}

LaneTimes runInOrder(const LaneProblem &problem, const LaneOrder &order) {
  LaneTimes wrong;
  wrong.error = checkOrder(problem, order);
  return wrong.ok() ? runOnce(problem, order, /*isLast=*/true) : wrong;
}

double totalSeconds(const LaneProblem &problem, const LaneOrder &order) {
  double last = runOnce(problem, order, /*isLast=*/true).finish;
  if (problem.runs == 1)
    return last;
  return last + (problem.runs - 1) * runOnce(problem, order, /*isLast=*/false).finish;
}

static double boundOnce(const LaneProblem &problem, bool isLast) {
  std::vector<double> work(problem.countLanes()), finish(problem.tasks.size());
  double bound = 0;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const Task &task = problem.tasks[i];
    if (task.isInLast && !isLast)
      continue;
    for (int before : task.after)
      finish[i] = std::max(finish[i], finish[before]);
    finish[i] += task.seconds;
    work[task.lane] += task.seconds;
    bound = std::max({bound, finish[i], work[task.lane]});
  }
  return bound;
}

double lowerBound(const LaneProblem &problem) { return boundOnce(problem, /*isLast=*/true); }

double totalBound(const LaneProblem &problem) {
  double last = lowerBound(problem);
  return problem.runs == 1 ? last
                           : last + (problem.runs - 1) * boundOnce(problem, /*isLast=*/false);
}

LaneOrder givenOrder(const LaneProblem &problem) {
  LaneOrder order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string printOrder(const LaneProblem &problem, const LaneOrder &order) {
  std::string text;
  for (int task : order) {
    const std::string &name = problem.tasks[task].name;
    text += (text.empty() ? "" : " ") + (name.empty() ? std::to_string(task) : name);
  }
  return text;
}

} // namespace pcc::lanes
