// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries list schedules and keeps the best. Fifteen schedules combine three weights of communication
// with five rules of urgency. Then schedules with lookahead predict ready times from the best
// order so far, and repeat while they improve it. The search ends within 0.1 % of the lower bound.
#include "passes/solve/streams/StreamProblem.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <tuple>

namespace pcc::streams {

// One list schedule: each stream takes the most urgent task that can start, unless waiting is
// better.
//
//   communication stream     free     long message r is ready, nothing waits for it
//   predicted                         message s, which many tasks need, comes soon
//
//   without lookahead        rrrrrrrrrrrrssss      s and all tasks that need it are late
//   with lookahead           ...ssssrrrrrrrrrrrr

namespace {

/// Priorities of a schedule, by task.
struct Guide {
  std::vector<double> urgency;        ///< the longest chain of work from its start to the end
  std::vector<double> predictedReady; ///< predicted time at which it can start; empty: unknown
  std::vector<double>
      latest; ///< latest start that does not delay the end; as many as `predictedReady`
  /// By task: whether it starts after all more urgent ones, in the order in which such tasks become
  /// ready. Empty: no task does. Computations that no send needs do so, so that messages that
  /// nothing waits for are sent early: the sum of a gradient, while the pass goes on.
  std::vector<bool> isFirstCome = {};
};

class ListScheduler {
public:
  /// `problem` and `guide` must outlive this.
  ListScheduler(const StreamProblem &problem, const Guide &guide);

  StreamOrder run();

private:
  using Key = std::tuple<bool, double, int>; ///< the smallest of a stream is preferred
  struct Stream {
    double free = 0;                         ///< end of its last started task
    std::set<Key> byUrgency;                 ///< tasks that may start
    std::multiset<double> ready;             ///< their ready times
    std::set<std::pair<double, int>> coming; ///< tasks not yet started, by predicted ready time
  };
  struct Choice {
    double begin;
    int task; ///< -1: none may start
  };

  Key keyOf(int task) const;
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

} // namespace

static constexpr double never = std::numeric_limits<double>::infinity();

ListScheduler::ListScheduler(const StreamProblem &problem, const Guide &guide)
    : problem(problem), guide(guide), streams(problem.countStreams()), ready(problem.tasks.size()),
      finish(problem.tasks.size()), missing(problem.tasks.size()), behind(problem.tasks.size()) {
  for (int i = 0; i < int(problem.tasks.size()); ++i) {
    const Task &task = problem.tasks[i];
    missing[i] = int(task.after.size());
    for (int before : task.after)
      behind[before].push_back(i);
    if (!guide.predictedReady.empty())
      streams[task.stream].coming.insert({guide.predictedReady[i], i});
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

/// Returns the key of a task that may start.
ListScheduler::Key ListScheduler::keyOf(int task) const {
  bool isFirstCome = !guide.isFirstCome.empty() && guide.isFirstCome[task];
  return {isFirstCome, isFirstCome ? ready[task] : -guide.urgency[task], task};
}

void ListScheduler::release(int task) {
  Stream &stream = streams[problem.tasks[task].stream];
  stream.byUrgency.insert(keyOf(task));
  stream.ready.insert(ready[task]);
}

ListScheduler::Choice ListScheduler::choose(const Stream &stream) const {
  if (stream.ready.empty())
    return {never, -1};
  for (double time = std::max(stream.free, *stream.ready.begin());; time = nextEvent(stream, time))
    for (auto [isFirstCome, urgency, task] : stream.byUrgency)
      if (ready[task] <= time && mayBegin(stream, task, time))
        return {time, task};
}

/// Returns the next time at which a task becomes ready or is predicted to come.
double ListScheduler::nextEvent(const Stream &stream, double time) const {
  auto released = stream.ready.upper_bound(time);
  auto next = stream.coming.upper_bound({time, int(problem.tasks.size())});
  return std::min(released == stream.ready.end() ? never : *released,
                  next == stream.coming.end() ? never : next->first);
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
  stream.byUrgency.erase(keyOf(choice.task));
  stream.ready.erase(stream.ready.find(ready[choice.task]));
  if (!guide.predictedReady.empty())
    stream.coming.erase({guide.predictedReady[choice.task], choice.task});
  finish[choice.task] = stream.free = choice.begin + task.seconds;
  for (int next : behind[choice.task]) {
    ready[next] = std::max(ready[next], finish[choice.task]);
    if (--missing[next] == 0)
      release(next);
  }
}

/// Returns by task the longest chain of work from its start to the end. Communication counts
/// `weight` times, because tasks that wait for a busy communication stream make a chain longer.
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
static std::vector<double> findChainUrgency(const StreamProblem &problem, double weight) {
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

/// Returns by task the computing that cannot start before it. A chain does not show that a message
/// lets more begin than the computing stream can do at once. Of the tasks behind it, about the next
/// thousand are told apart, and all later ones are counted.
static std::vector<double> findWorkBehind(const StreamProblem &problem) {
  constexpr size_t wordBits = 64, numWords = 16;
  size_t count = problem.tasks.size();
  auto computing = [&](size_t task) {
    return problem.tasks[task].stream == computeStream ? problem.tasks[task].seconds : 0;
  };
  std::vector<double> work(count);
  std::vector<std::array<uint64_t, numWords>> behind(count); ///< bits from task i / 64 * 64 on
  double beyond = 0;                                         ///< computing of tasks without a bit
  for (size_t i = count; i-- > 0;) {
    size_t base = i / wordBits, end = (base + numWords) * wordBits;
    if (i % wordBits == wordBits - 1)
      for (size_t task = end; task < std::min(end + wordBits, count); ++task)
        beyond += computing(task);
    behind[i][0] |= uint64_t(1) << i % wordBits;
    work[i] = beyond;
    for (size_t word = 0; word < numWords; ++word)
      for (uint64_t bits = behind[i][word]; bits; bits &= bits - 1)
        work[i] += computing((base + word) * wordBits + std::countr_zero(bits));
    for (int before : problem.tasks[i].after)
      for (size_t word = base - before / wordBits, own = 0; word < numWords; ++word, ++own)
        behind[before][word] |= behind[i][own];
  }
  return work;
}

/// Returns by task whether it computes, and no send depends on it.
static std::vector<bool> findFirstCome(const StreamProblem &problem) {
  std::vector<bool> isSent(problem.tasks.size()), isFirstCome(problem.tasks.size());
  for (int i = int(problem.tasks.size()) - 1; i >= 0; --i) {
    const Task &task = problem.tasks[i];
    isSent[i] = isSent[i] || task.isSend;
    isFirstCome[i] = task.stream == computeStream && !isSent[i];
    for (int before : task.after)
      isSent[before] = isSent[before] || isSent[i];
  }
  return isFirstCome;
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
      guide.predictedReady.assign(problem.tasks.size(), 0);
      guide.latest.resize(problem.tasks.size());
      for (size_t i = 0; i < problem.tasks.size(); ++i) {
        for (int before : problem.tasks[i].after)
          guide.predictedReady[i] = std::max(guide.predictedReady[i],
                                             times.begin[before] + problem.tasks[before].seconds);
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

/// Adds `share` of the work behind each task to its urgency.
static std::vector<double> addWork(std::vector<double> urgency, const std::vector<double> &work,
                                   double share) {
  for (size_t i = 0; i < work.size(); ++i)
    urgency[i] += share * work[i];
  return urgency;
}

StreamOrder schedule(const StreamProblem &problem) {
  Best best(problem);
  if (best.isGood())
    return best.take();
  std::vector<double> work = findWorkBehind(problem);
  std::vector<bool> firstCome = findFirstCome(problem);
  for (double weight : {1.0, 2.0, 8.0}) {
    std::vector<double> urgency = findUrgency(problem, weight);
    std::vector<double> chain = findChainUrgency(problem, weight);
    best.improve({urgency, {}, {}, firstCome});
    best.improve({urgency, {}, {}});
    best.improve({chain, {}, {}});
    for (double share : {1.0, 8.0})
      best.improve({addWork(chain, work, share), {}, {}});
  }
  for (double weight : {1.0, 8.0}) {
    std::vector<double> urgency = findUrgency(problem, weight);
    std::vector<double> chain = findChainUrgency(problem, weight);
    for (bool isStrict : {false, true}) {
      best.lookAhead({urgency, {}, {}}, isStrict);
      best.lookAhead({chain, {}, {}}, isStrict);
      best.lookAhead({addWork(chain, work, 1), {}, {}}, isStrict);
    }
  }
  return best.take();
}

} // namespace pcc::streams
