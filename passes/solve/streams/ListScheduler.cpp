// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/streams/ListScheduler.h"

#include <algorithm>
#include <limits>

namespace pcc::streams {

static constexpr double never = std::numeric_limits<double>::infinity();

ListScheduler::ListScheduler(const StreamProblem &problem, const Guide &guide)
    : problem(problem), guide(guide), streams(problem.countStreams()), ready(problem.tasks.size()),
      finish(problem.tasks.size()), missing(problem.tasks.size()), behind(problem.tasks.size()) {
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    const Task &task = problem.tasks[i];
    missing[i] = int(task.after.size());
    for (int before : task.after)
      behind[before].push_back(i);
    if (!guide.comes.empty())
      streams[task.stream].coming.insert({guide.comes[i], i});
    if (task.after.empty())
      release(i);
  }
}

StreamOrder ListScheduler::run() {
  StreamOrder order;
  while (order.size() < problem.tasks.size()) {
    // Takes the task that can start first. Ties go to messages, because they delay no other stream.
    Choice first{never, -1};
    for (int stream = int(streams.size()) - 1; stream >= 0; --stream)
      if (Choice choice = choose(streams[stream]); choice.begin < first.begin)
        first = choice;
    begin(first);
    order.push_back(first.task);
  }
  return order;
}

void ListScheduler::release(int task) {
  Stream &stream = streams[problem.tasks[task].stream];
  stream.byUrgency.insert({-guide.urgency[task], task});
  stream.ready.insert(ready[task]);
}

ListScheduler::Choice ListScheduler::choose(const Stream &stream) const {
  if (stream.ready.empty())
    return {never, -1};
  for (double time = std::max(stream.free, *stream.ready.begin());; time = nextEvent(stream, time))
    for (auto [urgency, task] : stream.byUrgency)
      if (ready[task] <= time && mayBegin(stream, task, time))
        return {time, task};
}

/// Returns the next time at which a task becomes ready or is predicted to come.
double ListScheduler::nextEvent(const Stream &stream, double time) const {
  auto released = stream.ready.upper_bound(time);
  auto comes = stream.coming.upper_bound({time, int(problem.tasks.size())});
  return std::min(released == stream.ready.end() ? never : *released,
                  comes == stream.coming.end() ? never : comes->first);
}

/// Returns false if a more urgent task comes while this one runs, and would be late behind it.
bool ListScheduler::mayBegin(const Stream &stream, int task, double time) const {
  double end = time + problem.tasks[task].seconds;
  for (auto it = stream.coming.upper_bound({time, int(problem.tasks.size())});
       it != stream.coming.end() && it->first < end; ++it)
    if (guide.urgency[it->second] > guide.urgency[task] &&
        end > std::max(it->first, guide.latest[it->second]))
      return false;
  return true;
}

void ListScheduler::begin(const Choice &choice) {
  const Task &task = problem.tasks[choice.task];
  Stream &stream = streams[task.stream];
  stream.byUrgency.erase({-guide.urgency[choice.task], choice.task});
  stream.ready.erase(stream.ready.find(ready[choice.task]));
  if (!guide.comes.empty())
    stream.coming.erase({guide.comes[choice.task], choice.task});
  finish[choice.task] = stream.free = choice.begin + task.seconds;
  for (int next : behind[choice.task]) {
    ready[next] = std::max(ready[next], finish[choice.task]);
    if (--missing[next] == 0)
      release(next);
  }
}

} // namespace pcc::streams
