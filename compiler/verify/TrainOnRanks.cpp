// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds the reference's global batches and parameters to a session, and reads the results back
// under the interpreter's keys: losses of all steps, gradients of the last step, parameters at the
// end.
#include "compiler/verify/VerifyModel.h"

#include "compiler/interpret/training/Training.h"
#include "compiler/values/Map.h"
#include "compiler/verify/RuntimeTensors.h"

using namespace pcc;
using namespace pcc::verify;
using interpret::bindingKey;
using interpret::NamedTensors;
using interpret::Report;

/// Rounds a sum over actions, which is f32, to the type of `like`, in which the update reads it.
static values::Tensor asRead(const values::Tensor &sum, const values::Tensor &like) {
  return values::generate(like.getType(), sum.getShape(), [&](int64_t n) { return sum[n]; })
      .rounded(values::Precision::Element);
}

runtime::Expected<interpret::TrainingResult>
pcc::verify::trainOnRanks(runtime::Session &session,
                          const interpret::TrainingReference &reference) {
  for (const auto &[name, value] : withoutPrefix(reference.parameters, "parameter "))
    if (runtime::Status status = session.setParameter(name, value); !status.ok())
      return status;
  interpret::TrainingResult result;
  for (const NamedTensors &batch : reference.batches) {
    auto step = session.runStep(withoutPrefix(batch, "input "));
    if (!step)
      return step.status();
    const values::Tensor &like = reference.values.losses[result.losses.size()];
    result.losses.push_back(values::Tensor::floats(like.getType(), {}, {step->loss}));
    for (const auto &[name, gradient] : step->gradients) {
      std::string key = bindingKey(graph::RoleKind::Gradient, name);
      result.results[key] = asRead(toInterpreter(gradient), reference.values.results.at(key));
    }
  }
  for (const auto &[key, value] : reference.parameters) {
    auto updated = session.parameter(llvm::StringRef(key).drop_front(strlen("parameter ")).str());
    if (!updated)
      return updated.status();
    result.parameters[key] = toInterpreter(*updated);
  }
  return result;
}

static Report failedTraining(std::string reason) {
  return {{{"training", interpret::CaseStatus::Failed, std::move(reason)}}};
}

Report pcc::verify::verifyTraining(mlir::ModuleOp one, runtime::Session &session,
                                   const interpret::VerifyOptions &options) {
  auto reference = interpret::makeTrainingReference(one, options);
  if (mlir::failed(reference))
    return failedTraining("the interpreter cannot run the step");
  auto actual = trainOnRanks(session, *reference);
  if (!actual)
    return failedTraining(actual.status().describe());
  return interpret::compareTraining(*reference, *actual, interpret::compiledFactor(one));
}
