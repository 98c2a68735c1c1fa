// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs public functions by name over all stages, and the training steps. The first module is the
// reference: it runs several times to measure tolerances (Reference.cpp), the second module once.
// Diagnostics of a run become the reason of a failed case.
#include "compiler/interpret/compare/Verify.h"

#include "compiler/interpret/training/StepPlan.h"
#include "dialects/dist/Dist.h"
#include "dialects/pipe/Stages.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Collects errors as the reason of a case.
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

/// Returns the factors that turn the gradients of `module` into the gradients of `other`.
GradientFactors factorsFor(ModuleOp module, ModuleOp other, const GradientFactors &given) {
  if (!isOneRank(module) || isOneRank(other))
    return {};
  GradientFactors factors = given;
  for (auto &[name, factor] : gradientFactors(other))
    factors.insert({name, factor});
  return factors;
}

/// Returns parameters whose values differ by rank, if only one of the two modules has several
/// ranks.
std::set<std::string> findDifferingParameters(ModuleOp a, ModuleOp b) {
  return isOneRank(a) == isOneRank(b) ? std::set<std::string>() : findPerRankParameters(a);
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
    options.perRankParameters.merge(findDifferingParameters(a, b));
  }
};

Case failedCase(const std::string &name, const std::string &reason) {
  return {name, CaseStatus::Failed, reason};
}

/// Functions of one name, one for each stage that has it.
using StageFunctions = llvm::SmallVector<func::FuncOp, 1>;

/// Returns whether `function` is a section of a stage, which can only run inside its step. Run
/// alone, a section would wait for messages of other stages.
bool isStageSection(func::FuncOp function) {
  auto program = cast<ModuleOp>(function->getParentOp());
  if (!pipe::getStage(program))
    return false;
  bool isInAction = program
                        .walk([&](pipe::ActionOp action) {
                          return action.getSection() == function.getName() ? WalkResult::interrupt()
                                                                           : WalkResult::advance();
                        })
                        .wasInterrupted();
  return isInAction || function.getName() == pipe::startName;
}

/// Returns the functions that can be compared, by name, in program order.
llvm::MapVector<StringRef, StageFunctions> listFunctions(ModuleOp module) {
  llvm::MapVector<StringRef, StageFunctions> functions;
  module.walk([&](func::FuncOp function) {
    if (!function.isPrivate() && !isStageSection(function))
      functions[function.getName()].push_back(function);
  });
  return functions;
}

/// Returns how the first argument of one key differs in its global type; empty if none differs.
std::string findDifferentArgument(func::FuncOp a, func::FuncOp b) {
  Signature first = Signature::of(a), second = Signature::of(b);
  for (const Binding &x : first.arguments)
    for (const Binding &y : second.arguments) {
      if (x.globalKey != y.globalKey)
        continue;
      std::string typeOfX, typeOfY;
      llvm::raw_string_ostream(typeOfX) << x.type.clone(x.globalShape);
      llvm::raw_string_ostream(typeOfY) << y.type.clone(y.globalShape);
      if (typeOfX != typeOfY)
        return "\"" + x.globalKey + "\" is " + typeOfX + " in the first module and " + typeOfY +
               " in the second";
    }
  return "";
}

std::string findDifferentArgument(const StageFunctions &a, const StageFunctions &b) {
  for (func::FuncOp x : a)
    for (func::FuncOp y : b)
      if (std::string reason = findDifferentArgument(x, y); !reason.empty())
        return reason;
  return "";
}

/// Returns seeded values for the arguments of both functions. If ranges of indices differ, the
/// function with global types wins, because its uses of indices are the most direct.
FailureOr<NamedTensors> commonArguments(const StageFunctions &a, const StageFunctions &b,
                                        uint64_t seed) {
  bool isLocal = Signature::of(a.front()).isLocal;
  FailureOr<NamedTensors> first = randomArguments(isLocal ? b : a, seed);
  FailureOr<NamedTensors> second = randomArguments(isLocal ? a : b, seed);
  if (failed(first) || failed(second))
    return failure();
  first->insert(second->begin(), second->end());
  return first;
}

Report verifyFunction(Pair &pair, const StageFunctions &a, const StageFunctions &b) {
  std::string name = func::FuncOp(a.front()).getName().str();
  if (std::string reason = findDifferentArgument(a, b); !reason.empty())
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
  reference->mayBeNaN = pair.options.mayBeNaN;
  Report report = skipNamed(name + ": ", reference->values, pair.options.perRankParameters,
                            "each rank has its own");
  report.append(
      compareNamed(name + ": ", *reference, *actual, pair.options.factor, pair.options.precision));
  return report;
}

Report verifyFunctions(Pair &pair) {
  Report report;
  auto a = listFunctions(pair.a), b = listFunctions(pair.b);
  for (const auto &[name, parts] : a) {
    if (auto other = b.find(name); other != b.end())
      report.append(verifyFunction(pair, parts, other->second));
    else
      report.cases.push_back(
          {name.str(), CaseStatus::Skipped, "only the first module has this function"});
  }
  for (const auto &[name, parts] : b)
    if (!a.contains(name))
      report.cases.push_back(
          {name.str(), CaseStatus::Skipped, "only the second module has this function"});
  return report;
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
  VerifyOptions options = pair.options;
  options.gradientFactors = pair.runA.gradientFactors;
  auto reference = makeTrainingReference(pair.a, options);
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

std::set<std::string> findPerRankParameters(ModuleOp module) {
  std::set<std::string> keys;
  module.walk([&](graph::ParameterOp parameter) {
    if (parameter.getLayerwiseParallel())
      keys.insert(bindingKey(graph::RoleKind::Parameter, parameter.getSymName()));
  });
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

} // namespace pcc::interpret
