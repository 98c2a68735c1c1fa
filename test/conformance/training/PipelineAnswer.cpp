// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Pipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::conformance {
namespace json = llvm::json;

static std::string ofMicrobatch(std::optional<int64_t> microbatch) {
  return microbatch ? ", microbatch " + std::to_string(*microbatch) : "";
}

static std::string phaseText(bool isForward) { return isForward ? "forward" : "backward"; }

std::string nodeText(bool isForward, llvm::StringRef node, int64_t microbatch) {
  return phaseText(isForward) + " " + node.str() + ofMicrobatch(microbatch);
}

std::string callText(bool isForward, int64_t chunk, int64_t microbatch) {
  return phaseText(isForward) + " chunk " + std::to_string(chunk) + ofMicrobatch(microbatch);
}

std::string Message::str() const {
  std::string text = microbatch ? phaseText(isForward) : "parameter";
  llvm::raw_string_ostream(text) << (sends ? " send [" : " receive [") << llvm::interleaved(shape)
                                 << (sends ? "] to " : "] from ") << peer
                                 << ofMicrobatch(microbatch);
  return text;
}

std::string parameterText(llvm::StringRef what, llvm::StringRef parameter) {
  return (what + " " + parameter).str();
}

int64_t stageOf(const StepOptions &options) { return options.rank / options.ranks; }

namespace {

/// An event of the answer.
struct Event {
  explicit Event(const json::Object &object)
      : object(object), op(text("op")), isForward(text("phase") == "forward"),
        microbatch(object.getInteger("micro")) {}

  llvm::StringRef text(llvm::StringRef field) const { return object.getString(field).value_or(""); }
  bool isMessage() const { return op == "Send" || op == "Receive"; }
  bool isOfParameter() const { return object.getBoolean("shared_parameter").value_or(false); }
  bool isCollective() const { return object.getArray("group"); }
  int64_t chunk() const { return object.getInteger("chunk").value_or(0); }

  Message message() const {
    return {isForward, op == "Send", integers(*object.getArray("shape")),
            *object.getInteger("peer"),
            isOfParameter() ? std::nullopt : std::optional(microbatch.value_or(0))};
  }

  const json::Object &object;
  llvm::StringRef op;
  bool isForward;
  std::optional<int64_t> microbatch;
};

} // namespace

/// Returns the text of an event. It is empty for an event without a place of its own; the order of
/// the events around it is still checked.
static std::string placeOf(const Event &event) {
  llvm::StringRef parameter = event.text("of");
  if (event.isOfParameter())
    return "";
  if (event.isMessage())
    return event.message().str();
  if (event.op == "AssignAdd" && parameter.consume_front("accu_grads."))
    return parameterText("add gradient", parameter);
  if (event.op == "ApplyMomentum")
    return parameterText("update", parameter);
  if (event.isCollective())
    return event.text("role") == "gradient" ? parameterText("reduce gradient", parameter) : "";
  if (event.op == "call")
    return callText(event.isForward, event.chunk(), event.microbatch.value_or(0));
  if (!event.text("node").empty() && event.microbatch)
    return nodeText(event.isForward, event.text("node"), *event.microbatch);
  return "";
}

/// Counts a node that the rank computes, once for all microbatches.
static void countNode(const Event &event, int64_t chunk, Counts &nodes) {
  bool isNode = event.isForward && !event.isMessage() && !event.isCollective();
  if (isNode && !event.text("node").empty() && event.op != "Add")
    nodes[llvm::formatv("{0} in chunk {1}", event.text("node"), chunk)] = 1;
}

/// Counts the nodes of an event. An addition counts only if it names a node of the question, not if
/// it adds losses.
static void countNodes(const Case &question, const Event &event, Counts &nodes) {
  if (const json::Array *contained = event.object.getArray("contains")) {
    for (const json::Value &inner : *contained)
      countNode(Event(*inner.getAsObject()), event.chunk(), nodes);
    return;
  }
  countNode(event, event.chunk(), nodes);
  for (const Node &node : question.nodes)
    if (event.op == "Add" && event.isForward && node.name == event.text("node").str())
      nodes[llvm::formatv("{0} in chunk {1}", node.name, event.chunk())] = 1;
}

PipelineRank readPipelineAnswer(const Case &question) {
  PipelineRank rank;
  rank.parameters = readStepAnswer(question);
  for (const json::Value &value : *question.object->getArray("events")) {
    Event event(*value.getAsObject());
    countNodes(question, event, rank.nodes);
    if (event.isMessage())
      rank.messages.push_back(event.message());
  }
  return rank;
}

OrderCheck checkOrder(const Case &question, const Places &places) {
  OrderCheck check;
  const json::Array &events = *question.object->getArray("events");
  std::vector<std::set<std::string>> before(events.size()); ///< nearest events with a place
  std::vector<std::string> texts;
  for (auto [index, value] : llvm::enumerate(events)) {
    const json::Object &object = *value.getAsObject();
    std::string text = placeOf(Event(object));
    texts.push_back(places.count(text) ? text : "");
    std::vector<int64_t> control;
    if (const json::Array *added = object.getArray("control"))
      control = integers(*added);
    for (int64_t earlier : integers(*object.getArray("after"))) {
      if (llvm::is_contained(control, earlier))
        continue;
      if (texts[earlier].empty())
        before[index].insert(before[earlier].begin(), before[earlier].end());
      else
        before[index].insert(texts[earlier]);
    }
    if (texts.back().empty())
      continue;
    for (const std::string &earlier : before[index]) {
      ++check.constraints;
      if (places.at(earlier).first >= places.at(text).last && earlier != text)
        check.broken.push_back(earlier + " before " + text);
    }
  }
  return check;
}

/// Adapts the answer for a parameter that several stages use. It belongs to the first stage. The
/// other stages have no state of it: they receive the new value at the end of a step, after their
/// gradients, which each stage reduces by itself.
static std::string updateInOwner(const Case &question, PipelineRank &rank) {
  StepOptions options(question);
  std::string reason;
  for (auto &[name, share] : rank.parameters) {
    std::set<int64_t> stages;
    for (const Node &node : question.nodes)
      if (llvm::is_contained(node.inputs, name))
        stages.insert(node.object->getInteger("stage").value_or(0));
    if (stages.size() < 2)
      continue;
    reason = "a parameter has its state in one stage, which sends the others the new value";
    if (*stages.begin() == stageOf(options))
      continue;
    share.states.clear();
    for (const auto &[other, known] : rank.parameters)
      for (Transfer transfer : known.transfers)
        if (other != name && share.transfers.empty()) {
          transfer.input = share.slice;
          share.transfers.insert(transfer);
          reason += "; each stage reduces its own gradient";
        }
  }
  return reason;
}

std::vector<std::string> applyPipelineDocuments(const Case &question, PipelineRank &rank) {
  std::vector<std::string> reasons = applyDocuments(question, rank.parameters);
  if (std::string reason = updateInOwner(question, rank); !reason.empty())
    reasons.push_back(reason);
  return reasons;
}

} // namespace pcc::conformance
