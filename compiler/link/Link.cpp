// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/link/Link.h"
#include "compiler/link/Linker.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "runtime/abi/Executable.h"
#include "runtime/check/Check.h"
#include "runtime/check/StateDataflow.h"

using namespace mlir;

namespace pcc::link {

FailureOr<std::string> bytesOf(ElementsAttr elements) {
  int64_t count = elements.getNumElements();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    return std::string(blob->getData().data(), blob->getData().size());
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return failure();
  std::string bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  for (int64_t i = 0, copies = dense.isSplat() ? count : 1; i < copies; ++i)
    bytes.append(raw.data(), raw.size());
  return bytes;
}

/// Every axis in a rank expression is one of the mesh.
LogicalResult Linker::checkAxes() {
  auto walked = program.walk([&](Operation *op) {
    AttrTypeWalker expressions;
    expressions.addWalk([&](task::RankAttr expression) {
      for (StringAttr axis : expression.getAxes())
        if (!mesh.findAxis(axis.getValue())) {
          op->emitOpError() << "expected an axis of the mesh, got \"" << axis.getValue() << "\"";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return expressions.walk(op->getAttrDictionary());
  });
  return success(!walked.wasInterrupted());
}

void Linker::linkMesh() {
  for (const dist::MeshAxis &axis : mesh.getAxes()) {
    abi::MeshAxis &message = *executable.mutable_mesh()->add_axes();
    message.set_name(axis.name);
    message.set_size(axis.size);
  }
}

static abi::Space spaceOf(task::Space space) {
  switch (space) {
  case task::Space::Persistent:
    return abi::PERSISTENT;
  case task::Space::Temporary:
    return abi::TEMPORARY;
  case task::Space::Constant:
    return abi::CONSTANT;
  case task::Space::Input:
    return abi::INPUT;
  }
  llvm_unreachable("a space");
}

LogicalResult Linker::linkBuffer(task::BufferOp op) {
  abi::MemoryPlan &memory = *out.mutable_memory();
  bufferOf[op.getResult()] = memory.buffers_size();
  auto type = cast<ShapedType>(op.getType());
  abi::Buffer &buffer = *memory.add_buffers();
  buffer.set_name(op.getName().str());
  buffer.set_space(spaceOf(op.getSpace()));
  buffer.set_offset(op.getOffset());
  buffer.set_bytes(op.getBytes());
  buffer.set_type(facts::toElementType(type.getElementType()));
  buffer.mutable_shape()->Add(type.getShape().begin(), type.getShape().end());
  if (op.getSpace() != task::Space::Constant)
    return success();
  FailureOr<std::string> bytes = bytesOf(*op.getValue());
  if (failed(bytes) || int64_t(bytes->size()) != op.getBytes())
    return op.emitOpError()
           << "has no values: expected a constant whose elements are in the module";
  executable.mutable_constants()->replace(op.getOffset(), bytes->size(), *bytes);
  return success();
}

void Linker::linkSlots() {
  for (auto op : program.getBody().front().getOps<task::SlotOp>()) {
    abi::Slot &slot = *out.add_slots();
    slot.set_section(sections.lookup(op.getSection()));
    slot.set_microbatch(op.getMicrobatch());
    slot.set_copy(op.getCopy());
  }
}

/// Ranks that differ only in axes along which no input's rows are cut read the same rows.
void Linker::linkBatch() {
  abi::BatchPlan &batch = *executable.mutable_batch();
  batch.set_micro_batches(program.getMicroBatches());
  batch.set_copies(program.getCopies());
  int64_t blocks = 1;
  for (auto op : program.getBody().front().getOps<task::InputOp>()) {
    int64_t own = 1;
    if (!op.getBlock().getOffsets().empty())
      for (StringAttr axis : op.getBlock().getOffsets()[0].getAxes())
        own *= mesh.getSize(axis.getValue());
    blocks = std::max(blocks, own);
  }
  batch.set_data_ranks(blocks);
}

LogicalResult Linker::run() {
  if (failed(checkAxes()))
    return failure();
  linkMesh();
  abi::MemoryPlan &memory = *out.mutable_memory();
  memory.set_persistent_bytes(program.getPersistentBytes());
  memory.set_temporary_bytes(program.getTemporaryBytes());
  memory.set_input_bytes(program.getInputBytes());
  executable.mutable_constants()->assign(program.getConstantBytes(), '\0');

  Block &body = program.getBody().front();
  for (auto op : body.getOps<task::BufferOp>())
    if (failed(linkBuffer(op)))
      return failure();
  for (auto section : body.getOps<task::SectionOp>())
    sections[section.getSymName()] = sections.size();
  for (auto op : body.getOps<task::ParameterOp>())
    if (failed(linkParameter(op)))
      return failure();
  for (auto op : body.getOps<task::InputOp>())
    linkInput(op);
  for (auto op : body.getOps<task::ResultOp>())
    if (failed(linkResult(op)))
      return failure();
  for (auto op : body.getOps<task::MetricOp>())
    if (failed(linkMetric(op)))
      return failure();
  for (auto op : body.getOps<task::StepOp>())
    out.set_step_buffer(bufferOf.lookup(op.getBuffer()));
  for (auto section : body.getOps<task::SectionOp>())
    linkSection(section);
  linkSlots();
  linkBatch();
  return success();
}

/// States what the records read and proves the whole: no program that can run leaves the linker
/// without.
static LogicalResult proveExecutable(ModuleOp module, abi::Executable &executable) {
  abi::Status status = abi::validate(executable);
  if (status.ok()) {
    check::stateDataflow(executable);
    status = check::prove(executable);
  }
  if (status.ok())
    return success();
  return module.emitError() << "the program cannot be proved: " << status.describe();
}

LogicalResult linkExecutable(ModuleOp module, const lower::KernelObject &object,
                             abi::Executable &executable) {
  auto programs = module.getOps<task::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitError("expected one \"task.program\", run \"--lower-to-task\" first");
  executable.Clear();
  executable.set_name(module.getName().value_or("").str());
  executable.mutable_object()->set_elf(object.elf);
  for (const std::string &feature : object.cpuFeatures)
    executable.mutable_object()->add_cpu_features(feature);
  return Linker(module, *programs.begin(), executable).run();
}

FailureOr<abi::Executable> linkProgram(ModuleOp module) {
  llvm::Expected<lower::KernelObject> object = lower::compileKernels(module);
  if (!object)
    return module.emitError() << llvm::toString(object.takeError());
  abi::Executable executable;
  if (failed(linkExecutable(module, *object, executable)) ||
      failed(proveExecutable(module, executable)))
    return failure();
  return executable;
}

} // namespace pcc::link
