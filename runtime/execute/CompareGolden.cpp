// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets the golden parameters before the forward run and again before the steps, then compares
// element by element in f64. A gradient is the one of the last step; it is converted to the
// expected type first.

#include "runtime/execute/CompareGolden.h"

#include "runtime/abi/CompareNumbers.h"
#include "runtime/abi/ElementTypes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pcc::runtime {
namespace {

Tensor tensorOf(const abi::GoldenTensor &message) {
  Tensor tensor = Tensor::zeros(message.type(), {message.shape().begin(), message.shape().end()});
  std::memcpy(tensor.data.data(), message.data().data(), tensor.data.size());
  return tensor;
}

template <typename Messages> NamedTensors tensorsOf(const Messages &messages) {
  NamedTensors tensors;
  for (const abi::GoldenTensor &message : messages)
    tensors[message.name()] = tensorOf(message);
  return tensors;
}

std::string typeText(const Tensor &tensor) {
  return fmt::format("{}[{}]", abi::elementName(tensor.type), fmt::join(tensor.shape, ", "));
}

/// Formats the index of element number `flat`, for example `[2, 0, 5]`.
std::string indexText(int64_t flat, const std::vector<int64_t> &shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t dimension = shape.size(); dimension-- > 0; flat /= shape[dimension])
    index[dimension] = flat % shape[dimension];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

std::string nameOf(const abi::GoldenResult &result) {
  switch (result.kind()) {
  case abi::GOLDEN_LOSS:
    return fmt::format("step {} loss", result.step());
  case abi::GOLDEN_GRADIENT:
    return "gradient " + result.value().name();
  case abi::GOLDEN_PARAMETER:
    return "updated parameter " + result.value().name();
  default:
    return "output " + result.value().name();
  }
}

/// Values that the runs produced and that golden results describe.
struct ActualResults {
  NamedTensors outputs, gradients, parameters;
  std::vector<double> losses;

  /// Returns the value that belongs to a result; null if there is none.
  const Tensor *find(const abi::GoldenResult &result) const {
    const NamedTensors &values = result.kind() == abi::GOLDEN_GRADIENT    ? gradients
                                 : result.kind() == abi::GOLDEN_PARAMETER ? parameters
                                                                          : outputs;
    auto found = values.find(result.value().name());
    return found == values.end() ? nullptr : &found->second;
  }
};

/// Converts `tensor` to another element type. A gradient accumulated over actions is in f32 or
/// wider, and the update reads it in the parameter's type.
Tensor convertTo(const Tensor &tensor, abi::ElementType type) {
  Tensor result = Tensor::zeros(type, tensor.shape);
  for (int64_t i = 0; i < tensor.count(); ++i)
    result.set(i, tensor.at(i));
  return result;
}

ComparedResult compareResult(const abi::GoldenResult &result, const ActualResults &actualResults) {
  Tensor expected = tensorOf(result.value());
  if (result.kind() == abi::GOLDEN_LOSS) {
    Tensor loss = Tensor::zeros(expected.type, {});
    loss.set(0, actualResults.losses[result.step() - 1]);
    return compareTensors(nameOf(result), expected, loss, result.tolerance());
  }
  const Tensor *actual = actualResults.find(result);
  if (!actual)
    return {nameOf(result), "the program has no such result", HUGE_VAL, result.tolerance()};
  if (result.kind() == abi::GOLDEN_GRADIENT && actual->type != expected.type)
    return compareTensors(nameOf(result), expected, convertTo(*actual, expected.type),
                          result.tolerance());
  return compareTensors(nameOf(result), expected, *actual, result.tolerance());
}

Status setParameters(Session &session, const abi::GoldenResults &golden) {
  for (const abi::GoldenTensor &parameter : golden.parameters())
    if (Status status = session.setParameter(parameter.name(), tensorOf(parameter)); !status.ok())
      return status;
  return {};
}

bool expects(const abi::GoldenResults &golden, abi::GoldenKind kind) {
  return std::any_of(golden.results().begin(), golden.results().end(),
                     [kind](const abi::GoldenResult &result) { return result.kind() == kind; });
}

Status runForward(Session &session, const abi::GoldenResults &golden,
                  ActualResults &actualResults) {
  if (Status status = setParameters(session, golden); !status.ok())
    return status;
  auto outputs = session.runForward(tensorsOf(golden.forward_inputs()));
  if (!outputs)
    return outputs.status();
  actualResults.outputs = std::move(*outputs);
  return {};
}

Status runSteps(Session &session, const abi::GoldenResults &golden, ActualResults &actualResults) {
  if (Status status = setParameters(session, golden); !status.ok())
    return status;
  for (const abi::GoldenBatch &batch : golden.batches()) {
    auto step = session.runStep(tensorsOf(batch.inputs()));
    if (!step)
      return step.status();
    actualResults.losses.push_back(step->loss);
    actualResults.gradients = std::move(step->gradients);
  }
  for (const abi::GoldenResult &result : golden.results()) {
    if (result.kind() != abi::GOLDEN_PARAMETER)
      continue;
    auto updated = session.parameter(result.value().name());
    if (!updated)
      return updated.status();
    actualResults.parameters[result.value().name()] = std::move(*updated);
  }
  return {};
}

} // namespace

double ComparedResult::usedTolerance() const { return error == 0 ? 0 : error / tolerance; }

ComparedResult compareTensors(std::string name, const Tensor &expected, const Tensor &actual,
                              double tolerance) {
  if (expected.type != actual.type || expected.shape != actual.shape)
    return {std::move(name),
            fmt::format("expected {}, got {}", typeText(expected), typeText(actual)), HUGE_VAL,
            tolerance};
  ComparedResult result{std::move(name), "", 0, tolerance};
  int64_t worst = 0;
  for (int64_t i = 0; i < expected.count(); ++i)
    if (double apart = abi::distanceOf(expected.at(i), actual.at(i)); apart > result.error) {
      result.error = apart;
      worst = i;
    }
  if (result.error > tolerance)
    result.reason = fmt::format("element {}: expected {:.9g}, got {:.9g} (error {:.3g}, tolerance "
                                "{:.3g})",
                                indexText(worst, expected.shape), expected.at(worst),
                                actual.at(worst), result.error, tolerance);
  return result;
}

Expected<std::vector<ComparedResult>> compareWithGolden(Session &session,
                                                        const abi::GoldenResults &golden) {
  ActualResults actualResults;
  Status status;
  if (expects(golden, abi::GOLDEN_OUTPUT))
    status = runForward(session, golden, actualResults);
  if (status.ok() && golden.batches_size() > 0)
    status = runSteps(session, golden, actualResults);
  if (!status.ok())
    return status;
  std::vector<ComparedResult> compared;
  for (const abi::GoldenResult &result : golden.results())
    compared.push_back(compareResult(result, actualResults));
  return compared;
}

} // namespace pcc::runtime
