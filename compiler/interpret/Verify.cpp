// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/interpret/Verify.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// What disturbs inputs by a unit in the last place.
constexpr uint64_t disturbSeed = 11;

/// Turns errors into the reason of a case.
class ErrorCatcher {
public:
  explicit ErrorCatcher(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) { return take(diagnostic); }) {}

  const std::string &getText() const { return text; }

private:
  LogicalResult take(Diagnostic &diagnostic) {
    text += (text.empty() ? "" : "; ") + diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      text += "; " + note.str();
    return success();
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

bool isOneRank(ModuleOp module) { return dist::getMesh(module).getNumRanks() == 1; }

/// What has to be multiplied into the gradients of `module` so that they are those of `other`.
GradientFactors factorsFor(ModuleOp module, ModuleOp other, const GradientFactors &given) {
  if (!isOneRank(module) || isOneRank(other))
    return {};
  GradientFactors factors = given;
  for (auto &[name, factor] : gradientFactors(other))
    factors.insert({name, factor});
  return factors;
}

/// Parameters of which only one of two modules has several.
std::set<std::string> findDifferingParameters(ModuleOp a, ModuleOp b) {
  return isOneRank(a) == isOneRank(b) ? std::set<std::string>() : findOwnParameters(a);
}

/// Two modules under comparison.
struct Pair {
  ModuleOp a, b;
  VerifyOptions options;
  RunOptions runA, runB;

  Pair(ModuleOp a, ModuleOp b, const VerifyOptions &given)
      : a(a), b(b), options(given),
        runA{options.precision, factorsFor(a, b, options.gradientFactors)},
        runB{options.precision, factorsFor(b, a, options.gradientFactors)} {
    options.ownParameters.merge(findDifferingParameters(a, b));
  }
};

Case failedCase(const std::string &name, const std::string &reason) {
  return {name, CaseStatus::Failed, reason};
}

/// Takes what cannot be equal out of the values to compare, each with a case that says so.
Report skipOwn(llvm::StringRef prefix, NamedTensors &values,
               const std::set<std::string> &ownParameters) {
  Report report;
  for (const std::string &key : ownParameters)
    if (values.erase(key))
      report.cases.push_back({(prefix + key).str(), CaseStatus::Skipped, "each rank has its own"});
  return report;
}

/// Empty if arguments of one key have one global type, else how the first differs.
std::string findDifferentArgument(const Signature &a, const Signature &b) {
  for (const Binding &x : a.arguments)
    for (const Binding &y : b.arguments) {
      if (x.key != y.key)
        continue;
      std::string first, second;
      llvm::raw_string_ostream(first) << x.type.clone(x.globalShape);
      llvm::raw_string_ostream(second) << y.type.clone(y.globalShape);
      if (first != second)
        return "\"" + x.key + "\" is " + first + " in the first module and " + second +
               " in the second";
    }
  return "";
}

/// Seeded values for the arguments of both functions. Uses of indices are plainest where the types
/// are global: that function's ranges win.
FailureOr<NamedTensors> commonArguments(func::FuncOp a, func::FuncOp b, uint64_t seed) {
  bool isLocal = Signature::of(a).isLocal;
  FailureOr<NamedTensors> first = randomArguments(isLocal ? b : a, seed);
  FailureOr<NamedTensors> second = randomArguments(isLocal ? a : b, seed);
  if (failed(first) || failed(second))
    return failure();
  first->insert(second->begin(), second->end());
  return first;
}

Report verifyFunction(Pair &pair, func::FuncOp a, func::FuncOp b) {
  std::string name = a.getName().str();
  if (std::string reason = findDifferentArgument(Signature::of(a), Signature::of(b));
      !reason.empty())
    return {{failedCase(name, reason)}};
  ErrorCatcher errorsA(pair.a.getContext());
  auto arguments = commonArguments(a, b, pair.options.seed);
  if (failed(arguments))
    return {{failedCase(name, errorsA.getText())}};
  auto reference = makeReference(pair.a, name, *arguments, pair.runA.gradientFactors);
  if (failed(reference))
    return {{failedCase(name, "the first module: " + errorsA.getText())}};
  ErrorCatcher errorsB(pair.b.getContext());
  auto actual = runFunction(pair.b, name, *arguments, pair.runB);
  if (failed(actual))
    return {{failedCase(name, "the second module: " + errorsB.getText())}};
  Report report = skipOwn(name + ": ", reference->values, pair.options.ownParameters);
  report.append(
      compareNamed(name + ": ", *reference, *actual, pair.options.factor, pair.options.precision));
  return report;
}

Report verifyFunctions(Pair &pair) {
  Report report;
  for (auto function : pair.a.getOps<func::FuncOp>()) {
    if (function.isPrivate())
      continue;
    auto other = pair.b.lookupSymbol<func::FuncOp>(function.getName());
    if (other)
      report.append(verifyFunction(pair, function, other));
    else
      report.cases.push_back({function.getName().str(), CaseStatus::Skipped,
                              "only the first module has this function"});
  }
  for (auto function : pair.b.getOps<func::FuncOp>())
    if (!function.isPrivate() && !pair.a.lookupSymbol(function.getName()))
      report.cases.push_back({function.getName().str(), CaseStatus::Skipped,
                              "only the second module has this function"});
  return report;
}

/// The values of a training run by the names of its cases.
NamedTensors caseValues(const TrainingResult &result) {
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

FailureOr<TrainingReference> trainingReference(ModuleOp module, const VerifyOptions &options,
                                               const RunOptions &run) {
  pipe::StepOp step = findStep(module);
  if (!step)
    return emitError(module.getLoc()) << "expected a training step (pipe.step)";
  if (options.steps < 1)
    return emitError(module.getLoc())
           << "expected at least 1 training step to compare, got " << options.steps;
  TrainingReference reference;
  reference.ownParameters = options.ownParameters;
  int64_t steps = options.ownParameters.empty() ? options.steps : 1;
  reference.batches = randomBatches(step, steps, options.seed);
  auto parameters = randomParameters(module, options.seed);
  if (failed(parameters))
    return failure();
  reference.parameters = *parameters;
  std::vector<NamedTensors> disturbedBatches;
  for (const NamedTensors &batch : reference.batches)
    disturbedBatches.push_back(disturb(batch, disturbSeed));
  RunOptions inDoubles{Precision::Double, run.gradientFactors};
  auto values = runTraining(module, reference.batches, *parameters,
                            {Precision::Element, run.gradientFactors});
  auto doubles = runTraining(module, reference.batches, *parameters, inDoubles);
  auto disturbed =
      runTraining(module, disturbedBatches, disturb(*parameters, disturbSeed), inDoubles);
  if (failed(values) || failed(doubles) || failed(disturbed))
    return failure();
  reference.values = std::move(*values);
  reference.doubles = std::move(*doubles);
  reference.disturbed = std::move(*disturbed);
  return reference;
}

Report verifyTrainingStep(Pair &pair) {
  pipe::StepOp a = findStep(pair.a), b = findStep(pair.b);
  if (!a && !b)
    return {};
  std::string name = (a ? a : b).getSymName().str();
  if (!a || !b)
    return {{{name, CaseStatus::Skipped,
              std::string("only the ") + (a ? "first" : "second") + " module has this step"}}};
  ErrorCatcher errorsA(pair.a.getContext());
  auto reference = trainingReference(pair.a, pair.options, pair.runA);
  if (failed(reference))
    return {{failedCase(name, "the first module: " + errorsA.getText())}};
  ErrorCatcher errorsB(pair.b.getContext());
  auto actual = runTraining(pair.b, reference->batches, reference->parameters, pair.runB);
  if (failed(actual))
    return {{failedCase(name, "the second module: " + errorsB.getText())}};
  Report report = compareTraining(*reference, *actual, pair.options.factor, pair.options.precision);
  for (Case &c : report.cases)
    c.name = name + ": " + c.name;
  return report;
}

} // namespace

std::set<std::string> findOwnParameters(ModuleOp module) {
  std::set<std::string> keys;
  for (auto parameter : module.getOps<graph::ParameterOp>())
    if (parameter.getLayerwiseParallel())
      keys.insert(bindingKey(graph::RoleKind::Parameter, parameter.getSymName()));
  return keys;
}

Report verifyModules(ModuleOp a, ModuleOp b, const VerifyOptions &options) {
  Pair pair(a, b, options);
  Report report = verifyFunctions(pair);
  report.append(verifyTrainingStep(pair));
  bool compared =
      llvm::any_of(report.cases, [](const Case &c) { return c.status != CaseStatus::Skipped; });
  if (!compared)
    report.cases.push_back(
        failedCase("modules", "expected a function of the same name in both modules, got none"));
  return report;
}

FailureOr<Reference> makeReference(ModuleOp module, llvm::StringRef name,
                                   const NamedTensors &arguments, const GradientFactors &factors) {
  RunOptions inDoubles{Precision::Double, factors};
  auto values = runFunction(module, name, arguments, {Precision::Element, factors});
  auto doubles = runFunction(module, name, arguments, inDoubles);
  auto disturbed = runFunction(module, name, disturb(arguments, disturbSeed), inDoubles);
  if (failed(values) || failed(doubles) || failed(disturbed))
    return failure();
  return Reference{*values, *doubles, *disturbed};
}

FailureOr<TrainingReference> makeTrainingReference(ModuleOp module, const VerifyOptions &options) {
  return trainingReference(module, options, {Precision::Element, options.gradientFactors});
}

Report compareTraining(const TrainingReference &reference, const TrainingResult &actual,
                       double factor, Precision precision) {
  std::set<std::string> skipped;
  for (const std::string &key : reference.ownParameters)
    skipped.insert("updated " + key);
  NamedTensors values = caseValues(reference.values);
  Report report = skipOwn("", values, skipped);
  report.append(
      compareNamed("", {values, caseValues(reference.doubles), caseValues(reference.disturbed)},
                   caseValues(actual), factor, precision));
  return report;
}

} // namespace pcc::interpret
