// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of rooms come from the registration functions that TableGen generates. Passes of compiler/
// itself are registered by hand.
#include "compiler/Register.h"

#include "compiler/PhasePipelines.h"
#include "compiler/VerifyPhase.h"
#include "compiler/passes/AttachCluster.h"
#include "compiler/passes/FoldConstants.h"
#include "compiler/passes/Structure.h"
#include "compiler/passes/WidenParameters.h"
#include "compiler/plan/Passes.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Pipe.h"
#include "dialects/task/Task.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/autodiff/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/partition/forms/LocalForms.h"
#include "passes/pipeline/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/strategy/Passes.h"

void pcc::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, graph::GraphDialect,
                  dist::DistDialect, pipe::PipeDialect, task::TaskDialect>();
  partition::registerLocalForms(registry);
}

void pcc::registerPasses() {
  mlir::registerTransformsPasses();
  graph::registerGraphPasses();
  autodiff::registerAutodiffPasses();
  strategy::registerStrategyPasses();
  plan::registerPlanPasses();
  partition::registerPartitionPasses();
  pipeline::registerPipelinePasses();
  fusion::registerFusionPasses();
  schedule::registerSchedulePasses();
  lower::registerLowerPasses();
  registerAttachClusterPass();
  registerFoldConstantsPass();
  registerWidenParametersPass();
  registerRecordStructurePass();
  registerVerifyPhasePass();
  registerPhasePipelines();
}
