// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/lanes/ListScheduler.h"

#include <algorithm>
#include <limits>

namespace pcc::lanes {

static constexpr double never = std::numeric_limits<double>::infinity();

ListScheduler::ListScheduler(const LaneProblem &problem, const Guide &guide)
    : problem(problem), guide(guide), lanes(problem.countLanes()), ready(problem.tasks.size()),
      finish(problem.tasks.size()), missing(problem.tasks.size()), behind(problem.tasks.size()) {
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    const Task &task = problem.tasks[i];
    missing[i] = int(task.after.size());
    for (int before : task.after)
      behind[before].push_back(i);
    if (!guide.comes.empty())
      lanes[task.lane].coming.insert({guide.comes[i], i});
    if (task.after.empty())
      release(i);
  }
}

LaneOrder ListScheduler::run() {
  LaneOrder order;
  while (order.size() < problem.tasks.size()) {
    // Takes the task that can start first. Ties go to messages, because they delay no other stream.
    Choice first{never, -1};
    for (int lane = int(lanes.size()) - 1; lane >= 0; --lane)
      if (Choice choice = choose(lanes[lane]); choice.begin < first.begin)
        first = choice;
    begin(first);
    order.push_back(first.task);
  }
  return order;
}

void ListScheduler::release(int task) {
  Lane &lane = lanes[problem.tasks[task].lane];
  lane.byUrgency.insert({-guide.urgency[task], task});
  lane.ready.insert(ready[task]);
}

ListScheduler::Choice ListScheduler::choose(const Lane &lane) const {
  if (lane.ready.empty())
    return {never, -1};
  for (double time = std::max(lane.free, *lane.ready.begin());; time = nextEvent(lane, time))
    for (auto [urgency, task] : lane.byUrgency)
      if (ready[task] <= time && mayBegin(lane, task, time))
        return {time, task};
}

/// Returns the next time at which a task becomes ready or is predicted to come.
double ListScheduler::nextEvent(const Lane &lane, double time) const {
  auto released = lane.ready.upper_bound(time);
  auto comes = lane.coming.upper_bound({time, int(problem.tasks.size())});
  return std::min(released == lane.ready.end() ? never : *released,
                  comes == lane.coming.end() ? never : comes->first);
}

/// Returns false if a more urgent task comes while this one runs, and would be late behind it.
bool ListScheduler::mayBegin(const Lane &lane, int task, double time) const {
  double end = time + problem.tasks[task].seconds;
  for (auto it = lane.coming.upper_bound({time, int(problem.tasks.size())});
       it != lane.coming.end() && it->first < end; ++it)
    if (guide.urgency[it->second] > guide.urgency[task] &&
        end > std::max(it->first, guide.latest[it->second]))
      return false;
  return true;
}

void ListScheduler::begin(const Choice &choice) {
  const Task &task = problem.tasks[choice.task];
  Lane &lane = lanes[task.lane];
  lane.byUrgency.erase({-guide.urgency[choice.task], choice.task});
  lane.ready.erase(lane.ready.find(ready[choice.task]));
  if (!guide.comes.empty())
    lane.coming.erase({guide.comes[choice.task], choice.task});
  finish[choice.task] = lane.free = choice.begin + task.seconds;
  for (int next : behind[choice.task]) {
    ready[next] = std::max(ready[next], finish[choice.task]);
    if (--missing[next] == 0)
      release(next);
  }
}

} // namespace pcc::lanes
