// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the passes that make the programs of a question.
#include "test/conformance/strategies/Compiled.h"

#include "compiler/Compile.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/partition/Passes.h"
#include "passes/strategy/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using pcc::dist::AxisList;
using pcc::dist::Mesh;
using pcc::dist::Sharding;

namespace pcc::conformance {
namespace {

/// Parses `text`, applies `passes` to the module, and collects the errors that are diagnosed.
Program build(const std::string &text, MLIRContext &context,
              function_ref<LogicalResult(ModuleOp)> passes) {
  Program program;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      program.error += (program.error.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  program.module = parseSourceString<ModuleOp>(text, &context);
  if (program.module && failed(passes(*program.module)))
    program.module = nullptr;
  return program;
}

/// Removes the strategies from all ops.
void dropMarks(ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    op->removeAttr(dist::inAttrName);
    op->removeAttr(dist::outAttrName);
  });
}

CompileOptions trainingOptions() {
  CompileOptions options;
  options.parallel.set_device_num(1);
  options.parallel.set_parallel_mode(abi::STAND_ALONE);
  options.parallel.set_loss_repeated_mean(true);
  options.training.optimizer = "momentum,lr=0.1,momentum=0.9";
  return options;
}

bool usesAny(mlir::Operation *op, ArrayRef<std::string> axes) {
  auto isUsed = [&](const Sharding &sharding) {
    return llvm::any_of(axes, [&](const std::string &axis) { return sharding.uses(axis); });
  };
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    if (isUsed(analysis::getOperandSharding(op, index)))
      return true;
  return llvm::any_of(op->getResults(),
                      [&](Value result) { return isUsed(analysis::getSharding(result)); });
}

/// Returns the argument that is parameter `name`.
BlockArgument findParameter(func::FuncOp function, StringRef name) {
  return function.getArgument(*graph::findArg(function, graph::RoleKind::Parameter, name));
}

/// Returns, in each dimension, the axes that cut `parameter` after those that cut `gradient`;
/// nothing if the gradient's axes are not a prefix of the parameter's.
std::optional<AxisList> findMissingCuts(const Sharding &gradient, const Sharding &parameter) {
  AxisList missing;
  for (auto [made, wanted] : llvm::zip_equal(gradient.getDims(), parameter.getDims())) {
    if (made.size() > wanted.size() || !std::equal(made.begin(), made.end(), wanted.begin()))
      return std::nullopt;
    missing.append(wanted.begin() + made.size(), wanted.end());
  }
  return missing;
}

Gradient makeGradient(ModuleOp module, StringRef name, const Sharding &sharding, int64_t rank) {
  Mesh mesh = dist::getMesh(module);
  BlockArgument parameter = findParameter(module.lookupSymbol<func::FuncOp>("forward"), name);
  Sharding held = analysis::getSharding(parameter);
  AxisList repeated, summed;
  for (const dist::MeshAxis &axis : mesh.getAxes())
    if (!held.uses(axis.name) && !sharding.uses(axis.name))
      repeated.push_back(axis.name);
  std::optional<AxisList> missing = findMissingCuts(sharding, held);
  for (const std::string &axis : sharding.getPartialAxes())
    if (!held.uses(axis))
      summed.push_back(axis);
  auto toSorted = [](dist::RankList ranks) {
    llvm::sort(ranks);
    return std::vector<int64_t>(ranks.begin(), ranks.end());
  };
  Gradient gradient;
  gradient.group = toSorted(mesh.getGroup(rank, summed));
  gradient.holders = toSorted(held.getHolders(rank, mesh));
  gradient.isCutAsParameter = missing && llvm::all_of(*missing, [&](const std::string &axis) {
                                return llvm::is_contained(sharding.getPartialAxes(), axis);
                              });
  gradient.isCutWhileReduced = missing && !missing->empty();
  gradient.othersRepeat = llvm::none_of(parameter.getUsers(),
                                        [&](mlir::Operation *op) { return usesAny(op, repeated); });
  return gradient;
}

/// Reads the gradients that the strategy annotated on @forward_backward.
void readGradients(ModuleOp module, int64_t rank, std::map<std::string, Gradient> &gradients) {
  auto function = module.lookupSymbol<func::FuncOp>("forward_backward");
  for (unsigned index : graph::findResults(function, graph::RoleKind::Gradient)) {
    StringRef name = graph::getName(graph::getResultRole(function, index));
    gradients[name.str()] =
        makeGradient(module, name, analysis::getResultSharding(function, index), rank);
  }
}

} // namespace

Program compileSingle(const std::string &text, bool trains, MLIRContext &context) {
  return build(text, context, [&](ModuleOp module) {
    dropMarks(module);
    return trains ? runPhases(module, trainingOptions(), CompilePhase::Grad) : success();
  });
}

Program compileStep(const std::string &text, MLIRContext &context) {
  return build(text, context, [&](ModuleOp module) {
    dropMarks(module);
    PassManager passes(&context);
    addPhase(passes, CompilePhase::Grad, trainingOptions());
    return passes.run(module);
  });
}

Program compileForward(const Case &question, const std::string &text, MLIRContext &context) {
  return build(text, context, [&](ModuleOp module) {
    strategy::StrategySemiAutoOptions options;
    options.deviceNum = question.devices;
    options.fullBatch = isFullBatch(question);
    PassManager passes(&context);
    passes.addPass(strategy::createStrategyCollectConstraints());
    passes.addPass(strategy::createStrategySemiAuto(options));
    passes.addPass(partition::createInsertReshards());
    return passes.run(module);
  });
}

LogicalResult finishForward(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(partition::createReshardsToCollectives());
  passes.addPass(partition::createLocalize());
  return passes.run(module);
}

Program compileTraining(const Case &question, const Model &model,
                        std::map<std::string, Gradient> &gradients, MLIRContext &context) {
  CompileOptions options = trainingOptions();
  options.parallel.set_device_num(question.devices);
  options.parallel.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  options.parallel.set_full_batch(isFullBatch(question));
  options.observe = [&](CompilePhase phase, ModuleOp module) {
    if (phase == CompilePhase::Strategy)
      readGradients(module, rankOf(question), gradients);
    return success();
  };
  return build(model.trainingText, context,
               [&](ModuleOp module) { return runPhases(module, options, CompilePhase::Spmd); });
}

} // namespace pcc::conformance
