// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module computes, and how sharply: rounded after every op, in doubles, and in doubles from
// inputs moved there and back.

#include "compiler/interpret/Bounds.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace pcc::interpret {

/// Which inputs move up, and which down.
static constexpr uint64_t disturbSeed = 11;

FailureOr<Reference> makeReference(ModuleOp module, llvm::StringRef name,
                                   const NamedTensors &arguments, const GradientFactors &factors) {
  RunOptions inDoubles{Precision::Double, factors};
  auto values = runFunction(module, name, arguments, {Precision::Element, factors});
  auto doubles = runFunction(module, name, arguments, inDoubles);
  auto moved = [&](Direction direction) {
    return runFunction(module, name, disturb(arguments, disturbSeed, direction), inDoubles);
  };
  auto there = moved(Direction::There), back = moved(Direction::Back);
  if (failed(values) || failed(doubles) || failed(there) || failed(back))
    return failure();
  return Reference{*values, *doubles, {*there, *back}};
}

/// A run in doubles from batches and parameters moved in one direction.
static FailureOr<TrainingResult> runMoved(ModuleOp module, const TrainingReference &reference,
                                          const RunOptions &options, Direction direction) {
  std::vector<NamedTensors> batches;
  for (const NamedTensors &batch : reference.batches)
    batches.push_back(disturb(batch, disturbSeed, direction));
  return runTraining(module, batches, disturb(reference.parameters, disturbSeed, direction),
                     options);
}

/// All runs on the batches and parameters of `reference`.
static LogicalResult run(ModuleOp module, TrainingReference &reference,
                         const GradientFactors &factors) {
  RunOptions inDoubles{Precision::Double, factors};
  auto values =
      runTraining(module, reference.batches, reference.parameters, {Precision::Element, factors});
  auto doubles = runTraining(module, reference.batches, reference.parameters, inDoubles);
  auto there = runMoved(module, reference, inDoubles, Direction::There);
  auto back = runMoved(module, reference, inDoubles, Direction::Back);
  if (failed(values) || failed(doubles) || failed(there) || failed(back))
    return failure();
  reference.values = std::move(*values);
  reference.doubles = std::move(*doubles);
  reference.disturbed = {std::move(*there), std::move(*back)};
  return success();
}

FailureOr<TrainingReference> makeTrainingReference(ModuleOp module,
                                                   std::vector<NamedTensors> batches,
                                                   NamedTensors parameters,
                                                   const VerifyOptions &options) {
  if (!findStep(module))
    return emitError(module.getLoc()) << "expected a training step (pipe.step)";
  if (batches.empty())
    return emitError(module.getLoc()) << "expected at least 1 training step to compare, got 0";
  TrainingReference reference;
  reference.ownParameters = options.ownParameters;
  reference.batches = std::move(batches);
  reference.parameters = std::move(parameters);
  if (failed(run(module, reference, options.gradientFactors)))
    return failure();
  return reference;
}

FailureOr<TrainingReference> makeTrainingReference(ModuleOp module, const VerifyOptions &options) {
  if (options.steps < 1)
    return emitError(module.getLoc())
           << "expected at least 1 training step to compare, got " << options.steps;
  int64_t steps = options.ownParameters.empty() ? options.steps : 1;
  auto parameters = randomParameters(module, options.seed);
  if (failed(parameters))
    return failure();
  return makeTrainingReference(module, randomBatches(module, steps, options.seed),
                               std::move(*parameters), options);
}

/// The values of a training run by the names of its cases.
static NamedTensors caseValues(const TrainingResult &result) {
  NamedTensors values;
  for (auto [number, loss] : llvm::enumerate(result.losses))
    values["step " + std::to_string(number + 1) + " loss"] = loss;
  for (const auto &[key, value] : result.results)
    if (key != bindingKey(graph::RoleKind::Loss, ""))
      values[key] = value;
  for (const auto &[key, value] : result.parameters)
    values["updated " + key] = value;
  return values;
}

/// All values of the reference by the names of their cases. Takes out those of which each rank has
/// its own, and tells them in the report.
static Reference caseReference(const TrainingReference &reference, Report &report) {
  std::set<std::string> skipped;
  for (const std::string &key : reference.ownParameters)
    skipped.insert("updated " + key);
  Reference expected{caseValues(reference.values),
                     caseValues(reference.doubles),
                     {caseValues(reference.disturbed[0]), caseValues(reference.disturbed[1])}};
  report = skipNamed("", expected.values, skipped, "each rank has its own");
  return expected;
}

Bounds boundsOf(const TrainingReference &reference, double factor, Precision precision) {
  Report skipped;
  return boundsOf(caseReference(reference, skipped), factor, precision);
}

Report compareTraining(const TrainingReference &reference, const TrainingResult &actual,
                       double factor, Precision precision) {
  Report report;
  Reference expected = caseReference(reference, report);
  report.append(compareNamed("", expected, caseValues(actual), factor, precision));
  return report;
}

} // namespace pcc::interpret
