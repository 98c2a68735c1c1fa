// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places messages in three steps. First, each message that only fetches gets the latest start that
// its readers and its stream allow, the one needed last first. Then messages that only send take
// turns with them: one that is ready starts if the next fetch is not late behind it. The new start
// times are turned into an order, which is simulated and dropped if it takes longer.
//
// If fetches always start as late as possible, a stream may be idle until a fetch and have no time
// for what it must send later. So fetches may also start some seconds early, as few as the end
// allows.
#include "passes/solve/streams/StreamProblem.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace pcc::streams {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// When a task should start, so that memory is occupied for a short time.
enum class Wish {
  None,
  Late,  ///< it only fetches: its result occupies memory until a task reads it
  Early, ///< it only sends: its operands occupy memory until it is done
};

/// Returns by task when it should start. Only messages that take time have a wish.
std::vector<Wish> findWishes(const StreamProblem &problem) {
  std::vector<bool> isNeeded(problem.tasks.size());
  for (const Task &task : problem.tasks)
    for (int before : task.after)
      isNeeded[before] = true;
  std::vector<Wish> wishes(problem.tasks.size(), Wish::None);
  for (size_t i = 0; i < wishes.size(); ++i) {
    const Task &task = problem.tasks[i];
    if (task.stream == computeStream || task.seconds == 0 || task.after.empty() != isNeeded[i])
      continue;
    wishes[i] = isNeeded[i] ? Wish::Late : Wish::Early;
  }
  return wishes;
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

class MessagePlacer {
public:
  MessagePlacer(const StreamProblem &problem, const StreamOrder &order)
      : problem(problem), order(order), times(runInOrder(problem, order)),
        wishes(findWishes(problem)) {}

  StreamOrder run();

private:
  /// Sums the times for which messages occupy memory, up to a constant.
  double sumOccupied(const StreamOrder &some) const {
    StreamTimes begins = runInOrder(problem, some);
    double sum = 0;
    for (int i : some)
      if (wishes[i] != Wish::None)
        sum += wishes[i] == Wish::Early ? begins.begin[i] : -begins.begin[i];
    return sum;
  }
  std::vector<BusySpans> findBusy(const std::vector<double> &begin,
                                  const std::function<bool(int task)> &counts) const;
  bool delay(std::vector<double> &begin, bool movesEarly) const;
  void takeTurns(int stream, std::vector<double> &begin, double lead) const;
  bool isBetter(const StreamOrder &some) const;
  StreamOrder sortBy(const std::vector<double> &begin) const;

  const StreamProblem &problem;
  const StreamOrder &order;
  StreamTimes times;
  std::vector<Wish> wishes; ///< by task
};

/// Returns whether the order takes no longer than the given one, and messages occupy no more
/// memory. Sums of equal times differ in rounding.
bool MessagePlacer::isBetter(const StreamOrder &some) const {
  return totalSeconds(problem, some) <= totalSeconds(problem, order) * (1 + 1e-12) &&
         sumOccupied(some) <= sumOccupied(order);
}

StreamOrder MessagePlacer::run() {
  std::vector<double> late = times.begin;
  double longest = 0;
  for (const Task &task : problem.tasks)
    longest = std::max(longest, task.stream == computeStream ? 0 : task.seconds);
  bool hasEarly = std::find(wishes.begin(), wishes.end(), Wish::Early) != wishes.end();
  if (hasEarly && delay(late, /*movesEarly=*/true))
    for (double lead = 0; lead < times.finish; lead = std::max(2 * lead, longest)) {
      std::vector<double> begin = late;
      for (int stream = computeStream + 1; stream < problem.countStreams(); ++stream)
        takeTurns(stream, begin, lead);
      if (StreamOrder placed = sortBy(begin); isBetter(placed))
        return placed;
    }
  late = times.begin;
  if (delay(late, /*movesEarly=*/false))
    if (StreamOrder placed = sortBy(late); isBetter(placed))
      return placed;
  return order;
}

/// Returns the times by stream at which the messages for which `counts` is true run.
std::vector<BusySpans> MessagePlacer::findBusy(const std::vector<double> &begin,
                                               const std::function<bool(int task)> &counts) const {
  std::vector<BusySpans> streams(problem.countStreams());
  for (int i = 0; i < int(problem.tasks.size()); ++i)
    if (const Task &task = problem.tasks[i]; task.seconds > 0 && counts(i))
      streams[task.stream].add(begin[i], task.seconds);
  return streams;
}

/// Gives each message that should start late the latest possible start time, the one needed last
/// first. Messages that will move to the front (`movesEarly`) keep no time free. Returns false if a
/// message would have to start before time 0.
bool MessagePlacer::delay(std::vector<double> &begin, bool movesEarly) const {
  std::vector<BusySpans> streams = findBusy(begin, [&](int task) {
    return wishes[task] == Wish::None || (wishes[task] == Wish::Early && !movesEarly);
  });
  std::vector<double> needed(problem.tasks.size(), times.finish);
  StreamOrder waiting;
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    for (int before : problem.tasks[i].after)
      needed[before] = std::min(needed[before], times.begin[i]);
    if (wishes[i] == Wish::Late)
      waiting.push_back(i);
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

/// Moves messages of one stream that should start early between the others, which have latest
/// starts in `begin`. Those that should start late may start `lead` seconds earlier.
void MessagePlacer::takeTurns(int stream, std::vector<double> &begin, double lead) const {
  std::vector<double> ready(problem.tasks.size(), 0);
  StreamOrder sends, others;
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    for (int before : problem.tasks[i].after)
      ready[i] = std::max(ready[i], begin[before] + problem.tasks[before].seconds);
    if (problem.tasks[i].stream == stream && problem.tasks[i].seconds > 0)
      (wishes[i] == Wish::Early ? sends : others).push_back(i);
  }
  std::stable_sort(sends.begin(), sends.end(), [&](int a, int b) { return ready[a] < ready[b]; });
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) { return begin[a] < begin[b]; });
  double now = 0;
  auto send = sends.begin(), other = others.begin();
  while (send != sends.end() || other != others.end()) {
    double sendBegin = send == sends.end() ? never : std::max(now, ready[*send]);
    double latest = other == others.end() ? never : begin[*other];
    bool mayLead = other != others.end() && wishes[*other] == Wish::Late;
    double otherBegin = mayLead ? std::max(now, latest - lead) : latest;
    bool fits = send != sends.end() && sendBegin + problem.tasks[*send].seconds <= latest;
    if (fits && sendBegin <= otherBegin) {
      begin[*send] = sendBegin;
      now = sendBegin + problem.tasks[*send++].seconds;
      continue;
    }
    begin[*other] = mayLead && !fits ? std::max(now, std::min(otherBegin, sendBegin)) : otherBegin;
    now = begin[*other] + problem.tasks[*other].seconds;
    ++other;
  }
}

/// Keeps computation in its order. Puts each message before the first computation that ends after
/// the message's start or waits for the message.
StreamOrder MessagePlacer::sortBy(const std::vector<double> &begin) const {
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

StreamOrder placeMessages(const StreamProblem &problem, const StreamOrder &order) {
  return MessagePlacer(problem, order).run();
}

} // namespace pcc::streams
