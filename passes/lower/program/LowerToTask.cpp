// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LowerToTask: lowers annotated sections to a task program.
//
// Assumes AssignKernels and PlanMemory. Leaves kernels as private functions of core ops with
// `task.form`, one `task.program` and the `graph.parameter`s; sections and step are gone.
#include "passes/lower/Passes.h"
#include "passes/lower/program/Program.h"

#include "dialects/graph/Graph.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc::task;

namespace pcc::lower {
#define GEN_PASS_DEF_LOWERTOTASK
#include "passes/lower/Passes.h.inc"

/// Emits the actions of the step. The last action of a section may run a separate section instead.
static void emitActions(OpBuilder &b, pipe::StepOp step) {
  llvm::StringMap<ActionOp> last;
  for (auto slot : step.getBody().front().getOps<pipe::ActionOp>())
    last[slot.getSection()] =
        ActionOp::create(b, slot.getLoc(), slot.getSection(), slot.getMicrobatch().value_or(0),
                         slot.getCopy().value_or(0));
  for (auto section : b.getBlock()->getOps<SectionOp>())
    if (std::optional<StringRef> other = section.getLastOf())
      last[*other].setSection(section.getSymName());
}

/// Moves buffers before the ops that use them: some sections were created while buffers were still
/// being added.
static void moveBuffersFirst(Block &body) {
  SmallVector<Operation *> buffers;
  for (auto buffer : body.getOps<BufferOp>())
    buffers.push_back(buffer);
  for (Operation *buffer : llvm::reverse(buffers))
    buffer->moveBefore(&body, body.begin());
}

static SectionOp addSection(Block &program, analysis::Section &section, StringRef name) {
  OpBuilder b = OpBuilder::atBlockEnd(&program);
  auto instructions = SectionOp::create(b, section.function.getLoc(), name, /*last_of=*/nullptr);
  instructions.getBody().emplaceBlock();
  return instructions;
}

/// Clones `instruction` as it is in the last run of its section. If the section has other runs, its
/// sums have begun, so the clone always adds.
static void cloneInstruction(OpBuilder &b, Operation &instruction, bool isOnlyRun) {
  auto goOn = [&](auto op) {
    if (op.getAccumulation() == Accumulation::AddAfterFirst && !isOnlyRun)
      op.setAccumulation(Accumulation::Add);
  };
  llvm::TypeSwitch<Operation *>(b.clone(instruction)).Case<MatmulOp, AccumulateOp>(goOn);
}

/// Fills `last` with the instructions of a section. Interleaves them with the instructions of
/// kernels that are hoisted into its last action. `lastInstructions` as in SectionEmitter.
static LogicalResult emitLastAction(SectionOp section, ArrayRef<Operation *> lastInstructions,
                                    ArrayRef<HoistedKernel> kernels, SectionOp last, bool isOnlyRun,
                                    Buffers &buffers, Outliner &outliner) {
  Block &body = section.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(&last.getBody().front());
  auto next = body.begin();
  for (const HoistedKernel &hoisted : kernels) {
    Operation *behind = lastInstructions[hoisted.kernel.hoisted->behind + 1];
    for (auto end = behind ? std::next(behind->getIterator()) : next; next != end; ++next)
      cloneInstruction(b, *next, isOnlyRun);
    SectionEmitter emitter(*hoisted.section, last, buffers, outliner);
    if (failed(emitter.emitKernel(hoisted.kernel)))
      return failure();
  }
  for (; next != body.end(); ++next)
    cloneInstruction(b, *next, isOnlyRun);
  return success();
}

/// Checks that the plan has a place for every value that lies in memory.
static LogicalResult checkPlaces(analysis::Section &section) {
  auto check = [](Value value) -> LogicalResult {
    Value root = analysis::viewRoot(value);
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
  for (const analysis::Kernel &kernel : analysis::collectKernels(section.function))
    for (Value output : kernel.outputs)
      if (failed(check(output)))
        return failure();
  return success();
}

namespace {
struct LowerToTask : impl::LowerToTaskBase<LowerToTask> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto bytes = module->getAttrOfType<BytesAttr>(analysis::bytesAttrName);
    if (!bytes) {
      module.emitError("expected a memory plan, run \"--schedule-plan-memory\" first");
      return signalPassFailure();
    }
    SmallVector<analysis::Section> sections = analysis::collectSections(module);
    for (analysis::Section &section : sections)
      if (failed(checkPlaces(section)))
        return signalPassFailure();
    pipe::StepOp step = analysis::getStep(module);
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto program =
        ProgramOp::create(b, module.getLoc(), step ? step.getSymName() : StringRef("main"),
                          bytes.getPersistent(), bytes.getTemporary(), /*constant_bytes=*/0,
                          bytes.getInput(), step ? step.getMicroBatches() : 1,
                          step ? step.getCopies() : 1, step && step.areCopiesTogether());
    Block &body = program.getBody().emplaceBlock();
    Buffers buffers(&body);
    Outliner outliner(module);
    HoistedKernels hoisted(sections);
    emitBoundary(module, program, sections, hoisted, buffers);
    for (analysis::Section &section : sections)
      if (failed(emitSection(section, body, hoisted, buffers, outliner)))
        return signalPassFailure();
    b.setInsertionPointToEnd(&body);
    if (step)
      emitActions(b, step);
    program.setConstantBytes(buffers.constantBytes());
    moveBuffersFirst(body);
    assignEvents(program);
    eraseSources(module, sections, step);
    remark::passed(module.getLoc(), remark::RemarkOpts::name("lower-to-task").category("lower"))
        << remark::metric("kernels", outliner.numKernels())
        << remark::metric("functions", outliner.numFunctions());
  }

  static LogicalResult emitSection(analysis::Section &section, Block &body,
                                   const HoistedKernels &hoisted, Buffers &buffers,
                                   Outliner &outliner) {
    SectionOp instructions = addSection(body, section, section.function.getName());
    SectionEmitter emitter(section, instructions, buffers, outliner);
    if (failed(emitter.emit()))
      return failure();
    ArrayRef<HoistedKernel> kernels = hoisted.in(section.function.getName());
    if (kernels.empty())
      return success();
    SectionOp last = addSection(body, section, hoisted.lastActionOf(section.function.getName()));
    if (failed(emitLastAction(instructions, emitter.getLastInstructions(), kernels, last,
                              section.runs == 1, buffers, outliner)))
      return failure();
    if (section.runs == 1)
      instructions.erase();
    else
      last.setLastOf(section.function.getName());
    return success();
  }

  static void eraseSources(ModuleOp module, MutableArrayRef<analysis::Section> sections,
                           pipe::StepOp step) {
    if (step)
      step.erase();
    for (analysis::Section &section : sections)
      section.function.erase();
    for (auto parameter : module.getOps<graph::ParameterOp>())
      parameter->removeAttr(analysis::placeAttrName);
    module->removeAttr(analysis::bytesAttrName);
  }
};
} // namespace
} // namespace pcc::lower
