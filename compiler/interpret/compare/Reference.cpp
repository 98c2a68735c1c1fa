// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a reference: a run rounded after every op, a run in doubles, and runs in doubles with
// inputs and roundings moved in opposite directions.

#include "compiler/interpret/compare/Bounds.h"
#include "compiler/interpret/rank/World.h"
#include "compiler/interpret/training/StepPlan.h"
#include "compiler/values/Map.h"
#include "dialects/dist/Dist.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/graph/Passes.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Seed that decides which inputs move up and which move down.
constexpr uint64_t perturbSeed = 11;

/// Program whose runs measure how far results move.
class PerturbedProgram {
public:
  /// Clones `module`. Decomposes composites of a program of one device, except for composites that
  /// select elements or accumulate; these model their own roundings. With several ranks, roundings
  /// do not move, because equal computations on different ranks must stay equal.
  static FailureOr<PerturbedProgram> of(ModuleOp module) {
    FailureOr<SmallVector<ModuleOp>> programs = findPrograms(module);
    if (failed(programs))
      return failure();
    PerturbedProgram moved;
    moved.module = module.clone();
    moved.movesRoundings = programs->size() == 1 && dist::getMesh(module).getNumRanks() == 1;
    if (!moved.movesRoundings)
      return moved;
    graph::GraphDecomposeOptions options;
    options.keep = {"argmax", "argmin", "top_k", "cumsum", "einsum"};
    PassManager passes(module.getContext());
    passes.addPass(graph::createGraphDecompose(options));
    if (failed(passes.run(*moved.module)))
      return failure();
    return moved;
  }

  /// Runs `run(module, precision, values)` three times. `moveInputs` returns the inputs for a
  /// direction.
  template <typename T, typename Inputs>
  FailureOr<Moved<T>>
  run(const Inputs &inputs, llvm::function_ref<Inputs(Direction)> moveInputs,
      llvm::function_ref<FailureOr<T>(ModuleOp, Precision, const Inputs &)> run) const {
    auto in = [&](Direction direction) {
      bool isThere = direction == Direction::Plus;
      Precision precision = !movesRoundings ? Precision::Double
                            : isThere       ? Precision::MovedPlus
                                            : Precision::MovedMinus;
      return run(*module, precision, moveInputs(direction));
    };
    FailureOr<T> steady = run(*module, Precision::Double, inputs);
    FailureOr<T> there = in(Direction::Plus), back = in(Direction::Minus);
    if (failed(steady) || failed(there) || failed(back))
      return failure();
    return Moved<T>{std::move(*steady), std::move(*there), std::move(*back)};
  }

private:
  OwningOpRef<ModuleOp> module;
  bool movesRoundings = false;
};

/// Batches and initial parameters of a training run.
struct TrainingInputs {
  std::vector<NamedTensors> batches;
  NamedTensors parameters;

  TrainingInputs perturbed(Direction direction) const {
    TrainingInputs moved;
    for (const NamedTensors &batch : batches)
      moved.batches.push_back(perturb(batch, perturbSeed, direction));
    moved.parameters = perturb(parameters, perturbSeed, direction);
    return moved;
  }
};

/// Fills in the results of all runs. `run(module, precision, inputs)` executes one of them;
/// `moveInputs` returns the inputs for a direction.
template <typename Result, typename T, typename Inputs>
LogicalResult runAll(ModuleOp module, Result &result, const Inputs &inputs,
                     llvm::function_ref<Inputs(Direction)> moveInputs,
                     llvm::function_ref<FailureOr<T>(ModuleOp, Precision, const Inputs &)> run) {
  FailureOr<T> values = run(module, Precision::Element, inputs);
  FailureOr<T> doubles = run(module, Precision::Double, inputs);
  FailureOr<PerturbedProgram> program = PerturbedProgram::of(module);
  if (failed(values) || failed(doubles) || failed(program))
    return failure();
  FailureOr<Moved<T>> moved = program->run<T, Inputs>(inputs, moveInputs, run);
  if (failed(moved))
    return failure();
  result.values = std::move(*values);
  result.doubles = std::move(*doubles);
  result.moved = std::move(*moved);
  return success();
}

} // namespace

FailureOr<Reference> makeReference(ModuleOp module, llvm::StringRef name,
                                   const NamedTensors &arguments, const GradientFactors &factors) {
  auto moveInputs = [&](Direction direction) { return perturb(arguments, perturbSeed, direction); };
  auto run = [&](ModuleOp program, Precision precision, const NamedTensors &from) {
    return runFunction(program, name, from, {precision, factors});
  };
  Reference reference;
  if (failed(runAll<Reference, NamedTensors, NamedTensors>(module, reference, arguments, moveInputs,
                                                           run)))
    return failure();
  return reference;
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
  reference.perRankParameters = options.perRankParameters;
  reference.mayBeNaN = options.mayBeNaN;
  reference.batches = std::move(batches);
  reference.parameters = std::move(parameters);
  TrainingInputs inputs{reference.batches, reference.parameters};
  auto moveInputs = [&](Direction direction) { return inputs.perturbed(direction); };
  auto run = [&](ModuleOp program, Precision precision, const TrainingInputs &from) {
    return runTraining(program, from.batches, from.parameters,
                       {precision, options.gradientFactors});
  };
  if (failed(runAll<TrainingReference, TrainingResult, TrainingInputs>(module, reference, inputs,
                                                                       moveInputs, run)))
    return failure();
  return reference;
}

FailureOr<TrainingReference> makeTrainingReference(ModuleOp module, const VerifyOptions &options) {
  if (options.steps < 1)
    return emitError(module.getLoc())
           << "expected at least 1 training step to compare, got " << options.steps;
  int64_t steps = options.perRankParameters.empty() ? options.steps : 1;
  auto parameters = randomParameters(module, options.seed);
  if (failed(parameters))
    return failure();
  return makeTrainingReference(module, randomBatches(module, steps, options.seed),
                               std::move(*parameters), options);
}

/// Returns the values of a training run by the names of its cases.
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

/// Returns all values of the reference by the names of their cases. Removes parameters whose values
/// differ by rank, and reports them as skipped.
static Reference caseReference(const TrainingReference &reference, Report &report) {
  std::set<std::string> skipped;
  for (const std::string &key : reference.perRankParameters)
    skipped.insert("updated " + key);
  Reference expected{caseValues(reference.values),
                     caseValues(reference.doubles),
                     {caseValues(reference.moved.steady), caseValues(reference.moved.there),
                      caseValues(reference.moved.back)},
                     reference.mayBeNaN};
  report = skipNamed("", expected.values, skipped, "each rank has its own");
  return expected;
}

Bounds boundsOf(const TrainingReference &reference, double factor, Precision precision) {
  Report skipped;
  return boundsOf(caseReference(reference, skipped), factor, precision);
}

/// Returns the root of the sum of the squared differences of all elements.
static double differenceNorm(const Tensor &x, const Tensor &y) {
  double sum = 0;
  for (int64_t n = 0; n < x.size(); ++n)
    sum += (x[n].f - y[n].f) * (x[n].f - y[n].f);
  return std::sqrt(sum);
}

/// Returns how far two updates of one parameter differ, as a share of the first one.
static double differenceOfUpdates(const Tensor &expected, const Tensor &actual,
                                  const Tensor &initial) {
  double update = differenceNorm(expected, initial);
  return update == 0 ? 0 : differenceNorm(expected, actual) / update;
}

/// Returns new values less old ones.
static Tensor updateOf(const Tensor &after, const Tensor &before) {
  return generate(after.getType(), after.getShape(),
                  [&](int64_t n) { return Element{.f = after[n].f - before[n].f}; });
}

/// Returns how far rounding moves an update, as a share of it: between the rounded run and the run
/// in doubles, and by one unit in the moved runs, which begin with moved parameters.
static double roundingOfUpdate(const TrainingReference &reference, const std::string &key,
                               const Tensor &initial) {
  auto of = [&](const TrainingResult &result) -> const Tensor & {
    return result.parameters.at(key);
  };
  Tensor steady = updateOf(of(reference.moved.steady), initial);
  auto movedBy = [&](const TrainingResult &result, Direction direction) {
    NamedTensors begun = perturb(NamedTensors{{key, initial}}, perturbSeed, direction);
    return differenceNorm(updateOf(of(result), begun.at(key)), steady) / interpretedFactor;
  };
  double update = differenceNorm(of(reference.doubles), initial);
  double rounding = std::max({differenceNorm(of(reference.values), of(reference.doubles)),
                              movedBy(reference.moved.there, Direction::Plus),
                              movedBy(reference.moved.back, Direction::Minus)});
  return update == 0 ? HUGE_VAL : rounding / update;
}

/// Fails cases of parameters whose update, the new value less the old one, is another one than the
/// reference's. The tolerance of the new value is one of its rounding, which in half types may
/// exceed the update. An update of which rounding leaves nothing cannot be compared.
static void compareUpdates(const TrainingReference &reference, const TrainingResult &actual,
                           Report &report) {
  constexpr double most = 0.5;           // of the update; without an update the share is 1
  constexpr double roundingFactor = 4.0; // of what rounding does to the reference's update
  for (Case &result : report.cases) {
    StringRef key = result.name;
    if (!key.consume_front("updated ") || result.status != CaseStatus::Passed)
      continue;
    auto initial = reference.parameters.find(key.str());
    const Tensor &expected = reference.values.parameters.at(key.str());
    if (initial == reference.parameters.end() || !expected.isFloat())
      continue;
    double rounding = roundingOfUpdate(reference, key.str(), initial->second);
    double share = differenceOfUpdates(expected, actual.parameters.at(key.str()), initial->second);
    double limit = std::max(most, roundingFactor * rounding);
    if (!(limit < 1 && share > limit)) // also where one of them is NaN
      continue;
    result.status = CaseStatus::Failed;
    llvm::raw_string_ostream(result.reason)
        << llvm::format("the update differs by %.0f %% of itself, expected at most %.0f %%",
                        100 * share, 100 * limit);
  }
}

Report compareTraining(const TrainingReference &reference, const TrainingResult &actual,
                       double factor, Precision precision) {
  Report report;
  Reference expected = caseReference(reference, report);
  report.append(compareNamed("", expected, caseValues(actual), factor, precision));
  compareUpdates(reference, actual, report);
  return report;
}

} // namespace pcc::interpret
