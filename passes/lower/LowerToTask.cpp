// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LowerToTask: from annotated sections to a task program.
//
// Assumes AssignKernels and PlanMemory. Leaves kernels as private functions of core ops with
// `task.form`, one `task.program` and the `graph.parameter`s; sections and step are gone.
#include "passes/lower/Passes.h"
#include "passes/lower/Program.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {
#define GEN_PASS_DEF_LOWERTOTASK
#include "passes/lower/Passes.h.inc"

/// The slots of the step.
static void emitSlots(OpBuilder &b, pipe::StepOp step) {
  for (auto slot : step.getBody().front().getOps<pipe::SlotOp>())
    SlotOp::create(b, slot.getLoc(), slot.getSection(), slot.getMicrobatch().value_or(0),
                   slot.getCopy().value_or(0));
}

/// Buffers stand before what uses them: sections made while buffers were still being added move
/// behind them.
static void moveBuffersFirst(Block &body) {
  SmallVector<Operation *> buffers;
  for (auto buffer : body.getOps<BufferOp>())
    buffers.push_back(buffer);
  for (Operation *buffer : llvm::reverse(buffers))
    buffer->moveBefore(&body, body.begin());
}

/// Checks that the plan has a place for every value that lies in memory.
static LogicalResult checkPlaces(facts::Section &section) {
  auto check = [](Value value) -> LogicalResult {
    Value root = facts::viewRoot(value);
    Operation *op = root.getDefiningOp();
    if ((op && isa<graph::ConstantOp>(op)) || placeOf(root))
      return success();
    return emitError(value.getLoc()) << "expected a place in memory, got none: run "
                                        "\"--schedule-plan-memory\" after the last change of ops";
  };
  for (Value argument : section.function.getArguments())
    if (failed(check(argument)))
      return failure();
  for (Value returned : section.getReturned())
    if (failed(check(returned)))
      return failure();
  for (const facts::Kernel &kernel : facts::collectKernels(section.function))
    for (Value output : kernel.outputs)
      if (failed(check(output)))
        return failure();
  return success();
}

namespace {
struct LowerToTask : impl::LowerToTaskBase<LowerToTask> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto bytes = module->getAttrOfType<BytesAttr>(facts::bytesAttrName);
    if (!bytes) {
      module.emitError("expected a memory plan, run \"--schedule-plan-memory\" first");
      return signalPassFailure();
    }
    SmallVector<facts::Section> sections = facts::collectSections(module);
    for (facts::Section &section : sections)
      if (failed(checkPlaces(section)))
        return signalPassFailure();
    pipe::StepOp step = facts::getStep(module);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto program = ProgramOp::create(
        b, module.getLoc(), step ? step.getSymName() : StringRef("main"), bytes.getPersistent(),
        bytes.getTemporary(), /*constant_bytes=*/0, bytes.getInput(),
        step ? step.getMicroBatches() : 1, step ? step.getCopies() : 1);
    Block &body = program.getBody().emplaceBlock();
    Buffers buffers(&body);
    Outliner outliner(module);
    emitBoundary(module, program, sections, buffers);
    for (facts::Section &section : sections)
      if (failed(emitSection(section, body, buffers, outliner)))
        return signalPassFailure();
    b.setInsertionPointToEnd(&body);
    if (step)
      emitSlots(b, step);
    program.setConstantBytes(buffers.constantBytes());
    moveBuffersFirst(body);
    assignEvents(program);
    eraseSources(module, sections, step);
    remark::passed(module.getLoc(), remark::RemarkOpts::name("lower-to-task").category("lower"))
        << remark::metric("kernels", outliner.numKernels())
        << remark::metric("functions", outliner.numFunctions());
  }

  static LogicalResult emitSection(facts::Section &section, Block &body, Buffers &buffers,
                                   Outliner &outliner) {
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    auto records = SectionOp::create(b, section.function.getLoc(), section.function.getName());
    records.getBody().emplaceBlock();
    return SectionEmitter(section, records, buffers, outliner).emit();
  }

  static void eraseSources(ModuleOp module, MutableArrayRef<facts::Section> sections,
                           pipe::StepOp step) {
    if (step)
      step.erase();
    for (facts::Section &section : sections)
      section.function.erase();
    for (auto parameter : module.getOps<graph::ParameterOp>())
      parameter->removeAttr(facts::placeAttrName);
    module->removeAttr(facts::bytesAttrName);
  }
};
} // namespace
} // namespace pcc::lower
