// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks what cannot be checked for one option alone: options against each other, and options
// against the module. The pipeline's shape is checked first, then stages from constraints, feeding
// of inputs, cost model, and constraints. Hand-written collectives are legal only in mode
// STAND_ALONE, and only for the ranks of the model's own mesh.
#include "compiler/Compile.h"
#include "compiler/PipelineShape.h"
#include "dialects/dist/Dist.h"
#include "dialects/pipe/Constraints.h"

using namespace mlir;
using namespace pcc;

bool pcc::obeysConstraints(abi::ParallelMode mode) {
  return mode == abi::SEMI_AUTO_PARALLEL || mode == abi::AUTO_PARALLEL;
}

/// Returns the first op written by hand for one rank: a collective, a send or receive, or a
/// function with the types of one rank.
static Operation *findHandWritten(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (!isa<dist::CollectiveOpInterface, dist::SendOp, dist::RecvOp>(op) &&
        !op->hasAttr(dist::localAttrName))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// Checks that a program without pipeline stages is given none by a constraint. Recomputation needs
/// no stages.
static LogicalResult checkStages(ModuleOp module, const CompileOptions &options) {
  auto entries = module->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName);
  if (!entries || !options.obeysStages || options.parallel.pipeline_stages() > 1)
    return success();
  for (Attribute attribute : entries) {
    auto entry = dyn_cast<DictionaryAttr>(attribute); // StageConstraints.cpp reports other entries
    if (!entry)
      continue;
    if (!entry.contains("stage") && !entry.contains("chunk") && !entry.contains("layout"))
      continue;
    auto place = entry.getAs<StringAttr>("place");
    return module.emitError("constraint")
           << (place ? " at " + place.getValue().str() : "")
           << " requires a stage: expected two or more pipeline_stages, got "
           << std::max(options.parallel.pipeline_stages(), 1);
  }
  return success();
}

/// Checks that at most one option says how inputs are fed, and that some pass reads this option.
static LogicalResult checkFeeding(ModuleOp module, const abi::ParallelConfig &config) {
  if (config.dataset_strategy().empty())
    return success();
  if (config.full_batch())
    return module.emitError("full_batch and dataset_strategy both say how inputs are fed; expected "
                            "one of them");
  if (config.parallel_mode() == abi::STAND_ALONE)
    return module.emitError("dataset_strategy is obeyed in parallel modes data_parallel, "
                            "hybrid_parallel, semi_auto_parallel and auto_parallel, got mode "
                            "stand_alone");
  return success();
}

/// Checks that cost model `memory` is set only in modes that obey it, and that the options set
/// beside it belong to it.
static LogicalResult checkCostModel(ModuleOp module, const abi::ParallelConfig &config) {
  bool isMemory = config.cost_model() == abi::MODEL_MEMORY;
  if (isMemory && config.parallel_mode() != abi::AUTO_PARALLEL)
    return module.emitError("cost_model memory is obeyed in parallel mode auto_parallel, got mode ")
           << StringRef(abi::ParallelMode_Name(config.parallel_mode())).lower();
  if (isMemory && config.auto_parallel_search_mode() == abi::SHARDING_PROPAGATION)
    return module.emitError("cost_model memory is obeyed in search modes dynamic_programming, "
                            "recursive_programming and best, got sharding_propagation");
  if (isMemory && config.memory_limit() > 0)
    return module.emitError("cost_model memory knows no memory_limit; expected one of them");
  // recursive_programming cuts devices; it does not list strategies of ops.
  bool comparesByMemory =
      isMemory && config.auto_parallel_search_mode() != abi::RECURSIVE_PROGRAMMING;
  if (config.fully_use_devices() && !comparesByMemory)
    return module.emitError("fully_use_devices is obeyed under cost_model memory in search modes "
                            "dynamic_programming and best");
  if (config.elementwise_op_strategy_follow() && !comparesByMemory)
    return module.emitError("elementwise_op_strategy_follow is obeyed under cost_model memory in "
                            "search modes dynamic_programming and best");
  return success();
}

/// In mode STAND_ALONE a program runs on the ranks of its own mesh, and no pass reads constraints.
/// In all other modes the compiler inserts all collectives, so that hand-written ones are an error.
LogicalResult pcc::checkOptions(ModuleOp module, const CompileOptions &options) {
  if (std::string error = checkPipeline(options.parallel, options.trains()); !error.empty())
    return module.emitError(error);
  if (failed(checkStages(module, options)))
    return failure();
  if (!options.obeysAnnotations)
    return success(); // compiled for one device
  if (failed(checkFeeding(module, options.parallel)) ||
      failed(checkCostModel(module, options.parallel)))
    return failure();
  abi::ParallelMode mode = options.parallel.parallel_mode();
  if (module->hasAttr(dist::constraintsAttrName) && !obeysConstraints(mode))
    return module.emitError("constraints are obeyed in parallel modes semi_auto_parallel and "
                            "auto_parallel, got mode ")
           << StringRef(abi::ParallelMode_Name(mode)).lower();
  if ((!options.parallel.strategy_ckpt_load_file().empty() || options.strategy) &&
      !obeysConstraints(mode))
    return module.emitError("a strategy file is obeyed in parallel modes semi_auto_parallel and "
                            "auto_parallel, got mode ")
           << StringRef(abi::ParallelMode_Name(mode)).lower();
  if (!options.parallel.strategy_ckpt_save_file().empty() && mode == abi::STAND_ALONE)
    return module.emitError("parallel mode stand_alone has no strategy to save");
  if (mode != abi::STAND_ALONE) {
    if (Operation *op = findHandWritten(module))
      return op->emitError("'") << op->getName()
                                << "' is written for one rank by hand: expected parallel mode "
                                << "stand_alone, got "
                                << StringRef(abi::ParallelMode_Name(mode)).lower();
    return success();
  }
  int64_t stages =
      std::max<int64_t>(getPipelineShape(options.parallel).devices, countStages(module));
  int64_t ranks = dist::getMesh(module).getNumRanks() * stages;
  if (options.parallel.device_num() == ranks || options.parallel.device_num() == 1)
    return success();
  return module.emitError("in parallel mode stand_alone a program runs on the ranks of its own "
                          "mesh: expected device_num ")
         << ranks << ", got " << options.parallel.device_num()
         << "; '--parallel-mode=data_parallel' splits the batch";
}
