// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/solve/streams/StreamProblem.h"
#include "test/conformance/training/Interleave.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

namespace pcc::conformance {
namespace json = llvm::json;

std::string doingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy) {
  return llvm::formatv("{0} {1}, copy {2}", phase, node, copy);
}

std::string reducingText(llvm::StringRef phase, llvm::StringRef node, int64_t copy) {
  return "reduce " + doingText(phase, node, copy);
}

std::string reducingGradientText(llvm::StringRef parameter) {
  return "reduce gradient " + parameter.str();
}

std::string updateText(llvm::StringRef parameter) { return "update " + parameter.str(); }

namespace {

/// An event of the answer.
struct Event {
  std::string text; ///< empty if pcc has no such event
  bool communicates = false;
  std::vector<int64_t> data, added; ///< earlier events: data dependences, added ones
  std::vector<int64_t> kernels;     ///< earlier events: reads of and by pcc's other kernels
};

bool isOfParameter(const json::Object &event) {
  return event.getString("op") == "ApplyMomentum" || event.getString("role") == "gradient";
}

std::string textOf(const json::Object &event, bool isWeights) {
  auto field = [&](llvm::StringRef name) { return event.getString(name).value_or(""); };
  if (field("op") == "ApplyMomentum")
    return updateText(field("of"));
  if (field("role") == "gradient")
    return reducingGradientText(field("of"));
  std::optional<int64_t> copy = event.getInteger("copy");
  if (field("node").empty() || !copy)
    return "";
  if (event.getArray("group"))
    return reducingText(field("phase"), field("node"), *copy);
  return doingText(isWeights ? "weights" : field("phase"), field("node"), *copy);
}

/// Reads the events in order. A matmul read by a gradient's collective or by an update computes a
/// weight's gradient.
std::vector<Event> readEvents(const json::Array &array) {
  std::vector<Event> events;
  std::set<int64_t> weights;
  for (const json::Value &value : array) {
    const json::Object &object = *value.getAsObject();
    Event &event = events.emplace_back();
    event.communicates = object.getArray("group");
    if (const json::Array *control = object.getArray("control"))
      event.added = integers(*control);
    for (int64_t earlier : integers(*object.getArray("after")))
      if (!llvm::is_contained(event.added, earlier))
        event.data.push_back(earlier);
    if (isOfParameter(object))
      weights.insert(event.data.begin(), event.data.end());
  }
  for (auto [index, event] : llvm::enumerate(events)) {
    const json::Object &object = *array[index].getAsObject();
    bool isProduct = object.getString("op") == "MatMul" && object.getString("phase") != "forward";
    event.text = textOf(object, isProduct && weights.count(int64_t(index)));
  }
  return events;
}

/// Returns the texts of the kernels that only pcc has, in its order.
std::vector<std::string> listKernels(const Doings &ours) {
  std::map<int64_t, std::string> texts;
  for (const auto &[text, doing] : ours)
    if (doing.isOnlyOurs)
      texts[doing.first] = text;
  auto sorted = llvm::make_second_range(texts);
  return {sorted.begin(), sorted.end()};
}

/// Adds to each event the kernels that only pcc has and that it reads, and to each such kernel the
/// events that it reads.
void addReads(std::vector<Event> &events, const Doings &ours) {
  std::map<std::string, std::vector<int64_t>> numbers; // of the events so far, by text
  for (auto [number, event] : llvm::enumerate(events)) {
    auto known = ours.find(event.text);
    if (known == ours.end())
      continue;
    for (const std::string &earlier : known->second.after)
      if (known->second.isOnlyOurs || ours.at(earlier).isOnlyOurs)
        llvm::append_range(event.kernels, numbers[earlier]);
    numbers[event.text].push_back(int64_t(number));
  }
}

/// Inserts the kernels that only pcc has, each behind the last event that it reads.
std::vector<Event> insertKernels(std::vector<Event> events, const Doings &ours) {
  std::map<std::string, size_t> placeOf; // by text: index behind its last event
  for (auto [index, event] : llvm::enumerate(events))
    placeOf[event.text] = index + 1;
  std::vector<std::vector<std::string>> kernels(events.size() + 1); // by the event behind them
  for (const std::string &text : listKernels(ours)) {
    size_t place = 0;
    for (const std::string &earlier : ours.at(text).after)
      place = std::max(place, placeOf[earlier]);
    placeOf[text] = place;
    kernels[place].push_back(text);
  }
  std::vector<Event> all;
  std::vector<int64_t> numberOf; // in `all`
  auto addKernels = [&](size_t place) {
    for (const std::string &text : kernels[place])
      all.emplace_back().text = text;
  };
  addKernels(0);
  for (auto [index, event] : llvm::enumerate(events)) {
    numberOf.push_back(int64_t(all.size()));
    all.push_back(std::move(event));
    addKernels(index + 1);
  }
  for (Event &event : all)
    for (std::vector<int64_t> *list : {&event.data, &event.added})
      for (int64_t &earlier : *list)
        earlier = numberOf[earlier];
  addReads(all, ours);
  return all;
}

class Comparison {
public:
  Comparison(std::vector<Event> answer, const Doings &ours)
      : events(insertKernels(std::move(answer), ours)), ours(ours) {}

  CopyOrder run() {
    for (const Event &event : events)
      ++counts[event.text];
    for (Event &event : events) {
      if (!ours.count(event.text))
        event.text.clear();
      check(event);
    }
    streams::StreamProblem theirs = makeProblem(/*isAll=*/true),
                           data = makeProblem(/*isAll=*/false);
    order.seconds = streams::runInOrder(theirs, streams::schedule(theirs)).finish;
    streams::StreamTimes times = streams::runInOrder(data, ourOrder());
    order.ours = times.finish;
    if (!times.ok())
      order.broken.push_back(times.error);
    return std::move(order);
  }

private:
  void check(const Event &event);
  bool isMet(const Event &earlier, const Event &event) const {
    return ours.at(earlier.text).first < ours.at(event.text).last;
  }
  streams::StreamProblem makeProblem(bool isAll) const;
  streams::StreamOrder ourOrder() const;

  std::vector<Event> events;
  const Doings &ours;
  std::map<std::string, int> counts;
  CopyOrder order;
};

} // namespace

void Comparison::check(const Event &event) {
  if (event.text.empty())
    return;
  for (int64_t index : event.data) {
    const Event &earlier = events[index];
    if (earlier.text.empty() || earlier.communicates == event.communicates)
      continue;
    ++order.crossing;
    if (!isMet(earlier, event))
      order.broken.push_back(earlier.text + " before " + event.text);
  }
  for (int64_t index : event.added) {
    if (events[index].text.empty())
      continue;
    ++order.added;
    if (!isMet(events[index], event))
      order.unmet.push_back(events[index].text + " before " + event.text);
  }
}

streams::StreamProblem Comparison::makeProblem(bool isAll) const {
  streams::StreamProblem problem;
  for (const Event &event : events) {
    // A message that pcc does not have waits for no other message.
    int messageStream = event.text.empty() ? 2 : 1;
    streams::Task task{
        event.communicates ? messageStream : streams::computeStream, 0, {}, event.text, false};
    if (!event.text.empty())
      task.seconds = ours.at(event.text).seconds / counts.at(event.text);
    task.after.assign(event.data.begin(), event.data.end());
    task.after.insert(task.after.end(), event.kernels.begin(), event.kernels.end());
    if (isAll)
      task.after.insert(task.after.end(), event.added.begin(), event.added.end());
    problem.tasks.push_back(std::move(task));
  }
  return problem;
}

/// Returns pcc's order. An event that pcc does not have follows its data dependences.
streams::StreamOrder Comparison::ourOrder() const {
  std::vector<int64_t> positions;
  for (const Event &event : events) {
    int64_t position = event.text.empty() ? -1 : ours.at(event.text).first;
    for (int64_t earlier : event.data)
      if (event.text.empty())
        position = std::max(position, positions[earlier]);
    positions.push_back(position);
  }
  streams::StreamOrder sorted(events.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  llvm::stable_sort(sorted, [&](int a, int b) { return positions[a] < positions[b]; });
  return sorted;
}

std::set<std::string> listEvents(const Case &question) {
  std::set<std::string> texts;
  for (const Event &event : readEvents(*question.object->getArray("events")))
    if (!event.text.empty())
      texts.insert(event.text);
  return texts;
}

CopyOrder compareOrder(const Case &question, const Doings &ours) {
  return Comparison(readEvents(*question.object->getArray("events")), ours).run();
}

} // namespace pcc::conformance
