// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/verify/VerifyModel.h"

#include "runtime/execute/Session.h"
#include "tools/pcc/verify/ModelReference.h"
#include "tools/pcc/verify/RuntimeTensors.h"
#include "tools/pcc/verify/TrainOnRanks.h"

using namespace pcc;
using namespace pcc::cli;
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

Report pcc::cli::verifyModel(Session &session, const CompileFlags &compileFlags,
                             const interpret::VerifyOptions &options, ExitCode &code) {
  VerifiedModel model;
  code = compileVerified(session, compileFlags, options, model);
  if (code != Success)
    return {};
  Report report =
      prefixed("interpreter: ", interpret::verifyModules(*model.one, *model.local, model.options));
  auto ranks = runtime::Session::load(std::move(model.program), {.seed = options.seed});
  if (!ranks) {
    code = fail(ExitCode(ranks.status().exitCode()), ranks.status().describe());
    return {};
  }
  std::string device = model.pipeline.gpuChip.empty() ? "cpu: " : "gpu: ";
  report.append(prefixed(device, verifyForward(model, **ranks)));
  if (model.pipeline.trains())
    report.append(prefixed(device, verifyTraining(*model.one, **ranks, model.programOptions())));
  return report;
}
