// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulation of an order in one pass over its tasks, and the lower bounds. Runs before the last one
// skip the tasks that run only in the last run. A total is one simulated earlier run, multiplied,
// plus the last run.
#include "passes/solve/streams/StreamProblem.h"

#include <algorithm>
#include <numeric>

namespace pcc::streams {

int StreamProblem::countStreams() const {
  int streams = 1;
  for (const Task &task : tasks)
    streams = std::max(streams, task.stream + 1);
  return streams;
}

static std::string describe(const StreamProblem &problem, int task) {
  const std::string &name = problem.tasks[task].name;
  return name.empty() ? "task " + std::to_string(task) : "'" + name + "'";
}

static std::string checkOrder(const StreamProblem &problem, const StreamOrder &order) {
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

/// Simulates one run: the last one or another one. A task waits for its stream, for the compute
/// tasks before it in the order, and for the tasks in `after`.
static StreamTimes runOnce(const StreamProblem &problem, const StreamOrder &order, bool isLast) {
  StreamTimes times;
  times.begin.resize(problem.tasks.size());
  std::vector<double> free(problem.countStreams());
  for (int number : order) {
    const Task &task = problem.tasks[number];
    if (task.isLastRunOnly && !isLast)
      continue;
    double begin = std::max(free[task.stream], free[computeStream]);
    for (int before : task.after)
      begin = std::max(begin, times.begin[before] + problem.tasks[before].seconds);
    times.begin[number] = begin;
    free[task.stream] = begin + task.seconds;
    times.finish = std::max(times.finish, free[task.stream]);
  }
  return times;
}

StreamTimes runInOrder(const StreamProblem &problem, const StreamOrder &order) {
  StreamTimes wrong;
  wrong.error = checkOrder(problem, order);
  return wrong.ok() ? runOnce(problem, order, /*isLast=*/true) : wrong;
}

double totalSeconds(const StreamProblem &problem, const StreamOrder &order) {
  double last = runOnce(problem, order, /*isLast=*/true).finish;
  if (problem.runs == 1)
    return last;
  return last + (problem.runs - 1) * runOnce(problem, order, /*isLast=*/false).finish;
}

static double boundOnce(const StreamProblem &problem, bool isLast) {
  std::vector<double> work(problem.countStreams()), finish(problem.tasks.size());
  double bound = 0;
  for (size_t i = 0; i < problem.tasks.size(); ++i) {
    const Task &task = problem.tasks[i];
    if (task.isLastRunOnly && !isLast)
      continue;
    for (int before : task.after)
      finish[i] = std::max(finish[i], finish[before]);
    finish[i] += task.seconds;
    work[task.stream] += task.seconds;
    bound = std::max({bound, finish[i], work[task.stream]});
  }
  return bound;
}

double lowerBound(const StreamProblem &problem) { return boundOnce(problem, /*isLast=*/true); }

double totalBound(const StreamProblem &problem) {
  double last = lowerBound(problem);
  return problem.runs == 1 ? last
                           : last + (problem.runs - 1) * boundOnce(problem, /*isLast=*/false);
}

StreamOrder givenOrder(const StreamProblem &problem) {
  StreamOrder order(problem.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

} // namespace pcc::streams
