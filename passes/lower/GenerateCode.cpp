// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps LLVM's API: clones kernels into a module of their own, translates it and sets the target's
// layout. The O3 pipeline is LLVM's default one.
#include "passes/lower/GenerateCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace pcc::lower {

llvm::Expected<std::unique_ptr<llvm::Module>>
translateKernels(Block &block, llvm::LLVMContext &context, llvm::TargetMachine &machine) {
  MLIRContext &mlir = *block.getParentOp()->getContext();
  registerBuiltinDialectTranslation(mlir);
  registerLLVMDialectTranslation(mlir);
  registerNVVMDialectTranslation(mlir);
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(block.getParentOp()->getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(kernels->getBody());
  for (Operation &op : block)
    if (isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      builder.clone(op);
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(*kernels, context, "kernels");
  if (!module)
    return llvm::createStringError("kernels could not be translated to LLVM IR");
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  return module;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool vectorizes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopInterleaving = vectorizes;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

llvm::Expected<std::string> emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                                     llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("the target cannot emit object files or assembly");
  passes.run(module);
  return bytes.str().str();
}

} // namespace pcc::lower
