// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Step.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::conformance {
namespace json = llvm::json;

namespace {

/// One event of the answer.
struct Event {
  explicit Event(const json::Object &object)
      : transfer{object.getString("op").value_or("").str(), integers(*object.getArray("group")),
                 integers(*object.getArray("in")),
                 object.getString("dtype").value_or("float32") == "float16" ? "f16" : "f32"},
        parameter(object.getString("of").value_or("").str()), output(*object.getArray("out")) {
    llvm::sort(transfer.group);
    const json::Array *then = object.getArray("then");
    for (size_t index = 0; then && index < then->size(); ++index)
      if (const json::Array &scaling = *(*then)[index].getAsArray();
          scaling[0].getAsString() == "Mul")
        factor *= scaling[1].getAsNumber().value_or(1);
  }

  Transfer transfer;
  std::string parameter; ///< empty if unknown
  const json::Array &output;
  double factor = 1;
};

bool isOnParameter(const json::Object &event) {
  llvm::StringRef role = event.getString("role").value_or("");
  return role == "parameter" || role == "gradient";
}

/// Returns the factor common to all parameters: the number of times that a rank's gradient counts
/// in the gradient of the whole batch. With a loss on each rank, the loss is the mean over the
/// rank's part of the batch. A common loss enters the gradient on each rank. With pipeline stages
/// only the last stage divides, so other stages do not show the divisor.
double repeatsOf(const Case &question) {
  if (modeOf(question) == abi::STAND_ALONE)
    return 1;
  StepOptions options(question);
  double repeats = options.ranks;
  if (const json::Object *divisors = question.object->getObject("loss_divisor"))
    for (const auto &[node, divisor] : *divisors)
      repeats /= divisor.getAsNumber().value_or(1);
  else if (options.rank < question.devices - options.ranks && options.lossRepeatedMean)
    repeats = 1;
  return repeats;
}

Share readShare(const json::Object &parameter) {
  Share share;
  share.slice = integers(*parameter.getArray("slice"));
  for (const auto &[name, state] : *parameter.getObject("states")) {
    Shape shape = integers(*state.getAsArray());
    if (name == "accu_grads")
      share.accumulator = shape;
    else
      share.states.push_back(shape);
  }
  return share;
}

} // namespace

Step readStepAnswer(const Case &question) {
  Step step;
  const json::Object *parameters = question.object->getObject("parameters");
  if (!parameters)
    return step;
  double scale = repeatsOf(question);
  if (std::optional<double> accumulated = question.object->getNumber("accumulated_scale"))
    scale *= *accumulated;
  for (const auto &[name, parameter] : *parameters) {
    Share &share = step[name.str()] = readShare(*parameter.getAsObject());
    share.factor = scale;
  }
  for (const json::Value &value : *question.object->getArray("events")) {
    const json::Object &object = *value.getAsObject();
    if (!isOnParameter(object))
      continue;
    Event event(object);
    Shape output = integers(event.output);
    for (auto &[name, share] : step) {
      bool fits =
          event.parameter.empty() ? output == share.states.front() : event.parameter == name;
      if (!fits)
        continue;
      share.transfers.insert(event.transfer);
      share.factor *= event.factor;
    }
  }
  return step;
}

} // namespace pcc::conformance
