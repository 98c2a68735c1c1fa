// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Delays messages in three steps. Each gets the latest start that its readers and its stream allow,
// the one needed last first. The new start times are then turned into an order. The order is
// simulated and dropped if it takes longer.
#include "passes/solve/streams/StreamProblem.h"

#include <algorithm>
#include <set>

namespace pcc::streams {
namespace {

/// Returns by task whether it can be delayed: a message without dependencies that takes time and
/// whose result another task needs.
std::vector<bool> findDelayable(const StreamProblem &problem) {
  std::vector<bool> waits(problem.tasks.size());
  for (const Task &task : problem.tasks)
    for (int before : task.after)
      waits[before] = true;
  for (size_t i = 0; i < waits.size(); ++i) {
    const Task &task = problem.tasks[i];
    waits[i] = waits[i] && task.stream != computeStream && task.after.empty() && task.seconds > 0;
  }
  return waits;
}

/// The busy times of a stream.
class BusySpans {
public:
  void add(double begin, double seconds) { spans.insert({begin, begin + seconds}); }

  /// Returns the latest start of a free span of `seconds` that ends by `end`; negative if there is
  /// none.
  double findLast(double seconds, double end) const {
    for (auto span = spans.lower_bound({end, 0}); span != spans.begin();) {
      --span;
      if (end - span->second >= seconds)
        break;
      end = std::min(end, span->first);
    }
    return end - seconds;
  }

private:
  std::set<std::pair<double, double>> spans; ///< disjoint
};

class MessageDelayer {
public:
  MessageDelayer(const StreamProblem &problem, const StreamOrder &order)
      : problem(problem), order(order), times(runInOrder(problem, order)),
        isDelayable(findDelayable(problem)) {}

  StreamOrder run() {
    StreamTimes late = times;
    if (!delay(late.begin))
      return order;
    StreamOrder delayed = sortBy(late.begin);
    // Sums of equal times differ in rounding.
    bool isWorse = totalSeconds(problem, delayed) > totalSeconds(problem, order) * (1 + 1e-12) ||
                   sumBegins(delayed) < sumBegins(order);
    return isWorse ? order : delayed;
  }

private:
  /// Sums the start times of the delayable messages.
  double sumBegins(const StreamOrder &some) const {
    StreamTimes begins = runInOrder(problem, some);
    double sum = 0;
    for (int i : some)
      sum += isDelayable[i] ? begins.begin[i] : 0;
    return sum;
  }
  bool delay(std::vector<double> &begin) const;
  StreamOrder sortBy(const std::vector<double> &begin) const;

  const StreamProblem &problem;
  const StreamOrder &order;
  StreamTimes times;
  std::vector<bool> isDelayable; ///< by task
};

/// Gives each delayable message the latest possible start time, the message needed last first.
/// Returns false if a message would have to start before time 0.
bool MessageDelayer::delay(std::vector<double> &begin) const {
  std::vector<BusySpans> streams(problem.countStreams());
  std::vector<double> needed(problem.tasks.size(), times.finish);
  StreamOrder waiting;
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    const Task &task = problem.tasks[i];
    for (int before : task.after)
      needed[before] = std::min(needed[before], times.begin[i]);
    if (isDelayable[i])
      waiting.push_back(i);
    else if (task.seconds > 0)
      streams[task.stream].add(times.begin[i], task.seconds);
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [&](int a, int b) { return needed[a] > needed[b]; });
  for (int i : waiting) {
    const Task &task = problem.tasks[i];
    begin[i] = streams[task.stream].findLast(task.seconds, needed[i]);
    if (begin[i] < -1e-9 * times.finish) // tolerance for rounding
      return false;
    streams[task.stream].add(begin[i], task.seconds);
  }
  return true;
}

/// Keeps computation in its order. Puts each message before the first computation that ends after
/// the message's start or waits for the message.
StreamOrder MessageDelayer::sortBy(const std::vector<double> &begin) const {
  StreamOrder computing, messages;
  for (int i : order)
    (problem.tasks[i].stream == computeStream ? computing : messages).push_back(i);
  /// By task: index in `computing` of the computation before which the task must start.
  std::vector<size_t> front(problem.tasks.size(), computing.size());
  for (size_t k = 0; k < computing.size(); ++k)
    front[computing[k]] = k;
  for (int i = int(problem.tasks.size()) - 1; i >= 0; --i) {
    if (problem.tasks[i].stream != computeStream) {
      auto isBefore = [&](int k) { return times.begin[k] + problem.tasks[k].seconds <= begin[i]; };
      size_t first =
          std::partition_point(computing.begin(), computing.end(), isBefore) - computing.begin();
      front[i] = std::min(front[i], first);
    }
    for (int before : problem.tasks[i].after)
      if (problem.tasks[before].stream != computeStream)
        front[before] = std::min(front[before], front[i]);
  }
  std::stable_sort(messages.begin(), messages.end(), [&](int a, int b) {
    return std::pair(front[a], begin[a]) < std::pair(front[b], begin[b]);
  });
  StreamOrder sorted;
  auto next = messages.begin();
  for (size_t k = 0; k <= computing.size(); ++k) {
    for (; next != messages.end() && front[*next] == k; ++next)
      sorted.push_back(*next);
    if (k < computing.size())
      sorted.push_back(computing[k]);
  }
  return sorted;
}

} // namespace

StreamOrder delayMessages(const StreamProblem &problem, const StreamOrder &order) {
  return MessageDelayer(problem, order).run();
}

} // namespace pcc::streams
