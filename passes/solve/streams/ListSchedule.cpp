// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/streams/ListScheduler.h"
#include "passes/solve/streams/StreamProblem.h"

#include <algorithm>

namespace pcc::streams {

/// Returns by task the longest chain of work from its start to the end. Communication counts
/// `weight` times: a communication stream that is never idle makes chains as long as its work.
static std::vector<double> findUrgency(const StreamProblem &problem, double weight) {
  std::vector<double> urgency(problem.tasks.size());
  for (int i = int(problem.tasks.size()) - 1; i >= 0; --i) {
    const Task &task = problem.tasks[i];
    urgency[i] += task.seconds * (task.stream == computeStream ? 1 : weight);
    for (int before : task.after)
      urgency[before] = std::max(urgency[before], urgency[i]);
  }
  return urgency;
}

/// Returns urgencies in which a continued chain stays as urgent as its beginning. So one copy is
/// computed up to its next message before another copy starts. Otherwise all copies would reach
/// their messages at once.
static std::vector<double> findUrgencyOfParts(const StreamProblem &problem, double weight) {
  std::vector<double> urgency = findUrgency(problem, weight);
  std::vector<int> next(problem.tasks.size(), -1);
  for (int i = 0; i < int(problem.tasks.size()); ++i)
    for (int before : problem.tasks[i].after)
      if (next[before] < 0 || urgency[i] > urgency[next[before]])
        next[before] = i;
  for (int i = 0; i < int(problem.tasks.size()); ++i)
    for (int before : problem.tasks[i].after)
      if (next[before] == i && problem.tasks[i].stream == computeStream &&
          problem.tasks[before].stream == computeStream)
        urgency[i] = std::max(urgency[i], urgency[before]);
  return urgency;
}

/// Keeps the order of each stream, but moves every message as far to the front as it can start. So
/// the rank starts it before computations that the message does not need.
static StreamOrder startMessagesEarly(const StreamProblem &problem, const StreamOrder &order) {
  std::vector<StreamOrder> byStream(problem.countStreams());
  for (int task : order)
    byStream[problem.tasks[task].stream].push_back(task);
  StreamOrder result;
  std::vector<bool> done(problem.tasks.size());
  std::vector<size_t> next(byStream.size());
  auto take = [&](int stream) {
    if (next[stream] == byStream[stream].size())
      return false;
    int number = byStream[stream][next[stream]];
    const std::vector<int> &after = problem.tasks[number].after;
    if (!std::all_of(after.begin(), after.end(), [&](int before) { return done[before]; }))
      return false;
    done[number] = true;
    result.push_back(number);
    ++next[stream];
    return true;
  };
  while (result.size() < order.size()) {
    int stream = int(byStream.size()) - 1;
    while (!take(stream))
      --stream;
  }
  return result;
}

namespace {
/// The best order so far.
class Best {
public:
  explicit Best(const StreamProblem &problem)
      : problem(problem), order(givenOrder(problem)), seconds(totalSeconds(problem, order)),
        tails(findUrgency(problem, 1)), bound(lowerBound(problem)),
        enough(totalBound(problem) * 1.001) {}

  /// Whether further improvement would be negligible.
  bool isGood() const { return seconds <= enough; }

  /// Keeps the result of a list schedule if it is better.
  bool improve(const Guide &guide) {
    if (isGood())
      return false;
    StreamOrder found = startMessagesEarly(problem, ListScheduler(problem, guide).run());
    double time = totalSeconds(problem, found);
    if (time >= seconds)
      return false;
    seconds = time;
    order = std::move(found);
    return true;
  }

  /// Repeats list schedules with the times of the best order, as long as they improve it. With
  /// `isStrict`, a task is late if it delays the end beyond the lower bound.
  void lookAhead(Guide guide, bool isStrict) {
    for (int round = 0; round < maxRounds && !isGood(); ++round) {
      StreamTimes times = runInOrder(problem, order);
      guide.comes.assign(problem.tasks.size(), 0);
      guide.latest.resize(problem.tasks.size());
      for (size_t i = 0; i < problem.tasks.size(); ++i) {
        for (int before : problem.tasks[i].after)
          guide.comes[i] =
              std::max(guide.comes[i], times.begin[before] + problem.tasks[before].seconds);
        guide.latest[i] = (isStrict ? bound : times.finish) - tails[i];
      }
      if (!improve(guide))
        return;
    }
  }

  StreamOrder take() { return std::move(order); }

private:
  static constexpr int maxRounds = 4;

  const StreamProblem &problem;
  StreamOrder order;
  double seconds;
  std::vector<double> tails;
  double bound;  ///< lower bound of the last run
  double enough; ///< total seconds, of all runs, that are good enough
};
} // namespace

StreamOrder schedule(const StreamProblem &problem) {
  Best best(problem);
  for (double weight : {1.0, 2.0, 8.0}) {
    best.improve({findUrgency(problem, weight), {}, {}});
    best.improve({findUrgencyOfParts(problem, weight), {}, {}});
  }
  for (double weight : {1.0, 8.0})
    for (bool isStrict : {false, true}) {
      best.lookAhead({findUrgency(problem, weight), {}, {}}, isStrict);
      best.lookAhead({findUrgencyOfParts(problem, weight), {}, {}}, isStrict);
    }
  return best.take();
}

} // namespace pcc::streams
