// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/verify/VerifyModel.h"

#include "compiler/verify/RuntimeTensors.h"
#include "compiler/verify/TrainOnRanks.h"
#include "runtime/execute/Session.h"

using namespace pcc;
using namespace pcc::verify;
using interpret::bindingKey;
using interpret::NamedTensors;
using interpret::Report;

namespace {

Report failedCase(std::string name, std::string reason) {
  return {{{std::move(name), interpret::CaseStatus::Failed, std::move(reason)}}};
}

Report prefixed(llvm::StringRef prefix, Report report) {
  for (interpret::Case &entry : report.cases)
    entry.name = (prefix + entry.name).str();
  return report;
}

Report verifyForward(const VerifiedModel &model, runtime::Session &session) {
  if (!hasForward(model))
    return {};
  auto reference = makeForwardReference(model);
  if (!reference)
    return failedCase("forward", reference.status().message());
  for (const auto &[parameter, value] : withoutPrefix(reference->arguments, "parameter "))
    if (runtime::Status status = session.setParameter(parameter, value); !status.ok())
      return failedCase("forward", status.describe());
  auto outputs = session.runForward(reference->inputsOf(session.program()));
  if (!outputs)
    return failedCase("forward", outputs.status().describe());
  NamedTensors actual;
  for (const auto &[output, value] : *outputs)
    actual[bindingKey(graph::RoleKind::Output, output)] = toInterpreter(value);
  return interpret::compareNamed("forward: ", reference->outputs, actual,
                                 interpret::compiledFactor(*model.one));
}

} // namespace

runtime::Expected<Report> pcc::verify::verifyModel(VerifiedModel model) {
  Report report =
      prefixed("interpreter: ", interpret::verifyModules(*model.one, *model.local, model.options));
  auto ranks = runtime::Session::load(std::move(model.program), {.seed = model.options.seed});
  if (!ranks)
    return ranks.status();
  std::string device = model.pipeline.gpuChip.empty() ? "cpu: " : "gpu: ";
  report.append(prefixed(device, verifyForward(model, **ranks)));
  if (model.pipeline.trains())
    report.append(prefixed(device, verifyTraining(*model.one, **ranks, model.programOptions())));
  return report;
}
