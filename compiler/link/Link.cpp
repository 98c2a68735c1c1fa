// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links in the order of references: buffers, numbers of sections, parameters, inputs, results, then
// instructions. Stages of a cut module become the first axis of the executable's mesh. Parameters,
// inputs and instructions are in LinkBoundary.cpp and LinkInstructions.cpp.
#include "compiler/link/Link.h"
#include "compiler/link/Linker.h"

#include "dialects/task/EpilogueAttrs.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/cost/ModelFlops.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/program/RankExpression.h"
#include "runtime/check/Check.h"
#include "runtime/check/dataflow/Dataflow.h"
#include "runtime/machine/Roofline.h"

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

/// Checks that the mesh has every axis of a rank expression.
LogicalResult Linker::checkAxes() {
  auto walked = program.walk([&](Operation *op) {
    AttrTypeWalker expressions;
    expressions.addWalk([&](task::RankAttr expression) {
      for (StringAttr axis : expression.getAxes())
        if (!axisOf(axis.getValue())) {
          op->emitOpError() << "expected an axis of the mesh, got \"" << axis.getValue() << "\"";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return expressions.walk(op->getAttrDictionary());
  });
  return success(!walked.wasInterrupted());
}

std::optional<uint32_t> Linker::axisOf(StringRef name) const {
  if (shared.isCut && name == pipe::stageAxisName)
    return 0;
  auto axis = mesh.findAxis(name);
  return axis ? std::optional<uint32_t>(*axis + shared.isCut) : std::nullopt;
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

/// Returns the offset of a constant. Equal constants of several programs share one offset.
FailureOr<uint64_t> Linker::linkConstant(task::BufferOp op) {
  auto [it, isNew] = shared.constants.try_emplace(*op.getValue(), executable.constants().size());
  if (!isNew)
    return it->second;
  std::string &all = *executable.mutable_constants();
  if (!shared.hasValues) {
    all.resize(all.size() + op.getBytes());
  } else {
    FailureOr<std::string> bytes = bytesOf(*op.getValue());
    if (failed(bytes) || int64_t(bytes->size()) != op.getBytes())
      return op.emitOpError()
             << "has no values: expected a constant whose elements are in the module";
    all += *bytes;
  }
  all.resize(llvm::alignTo(std::max<size_t>(all.size(), it->second + 1), abi::bufferAlignment));
  return it->second;
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
  buffer.set_type(analysis::toElementType(type.getElementType()));
  buffer.mutable_shape()->Add(type.getShape().begin(), type.getShape().end());
  if (op.getDepth() > 1) {
    buffer.mutable_ring()->set_depth(op.getDepth());
    buffer.mutable_ring()->set_stride(op.getStride());
  }
  if (op.getSpace() != task::Space::Constant)
    return success();
  FailureOr<uint64_t> offset = linkConstant(op);
  if (succeeded(offset))
    buffer.set_offset(*offset);
  return offset;
}

void Linker::linkActions() {
  for (auto op : program.getBody().front().getOps<task::ActionOp>()) {
    abi::Action &action = *out.add_actions();
    action.set_section(sections.lookup(op.getSection()));
    action.set_microbatch(op.getMicrobatch());
    action.set_copy(op.getCopy());
  }
}

/// Links how a batch is divided. Ranks that differ only in axes along which no input's rows are cut
/// read the same rows.
void Linker::linkBatch() {
  abi::BatchPlan &batch = *executable.mutable_batch();
  batch.set_micro_batches(program.getMicroBatches());
  batch.set_copies(program.getCopies());
  batch.set_together(program.getTogether());
  int64_t blocks = 1;
  for (auto op : program.getBody().front().getOps<task::InputOp>()) {
    int64_t own = 1;
    if (!op.getBlock().getOffsets().empty())
      for (StringAttr axis : op.getBlock().getOffsets()[0].getAxes())
        own *= mesh.getSize(axis.getValue());
    blocks = std::max(blocks, own);
  }
  batch.set_data_ranks(std::max<uint32_t>(batch.data_ranks(), blocks));
}

LogicalResult Linker::run() {
  if (failed(checkAxes()))
    return failure();
  abi::MemoryPlan &memory = *out.mutable_memory();
  memory.set_persistent_bytes(program.getPersistentBytes());
  memory.set_temporary_bytes(program.getTemporaryBytes());
  memory.set_input_bytes(program.getInputBytes());

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
  linkActions();
  linkBatch();
  return success();
}

/// Stores the executable's dataflow, then proves the executable. The linker returns no executable
/// without this proof.
static LogicalResult proveExecutable(ModuleOp module, abi::Executable &executable, bool hasCode) {
  abi::Status status = abi::validate(executable, hasCode);
  if (status.ok()) {
    check::annotateDataflow(executable);
    status = check::prove(executable);
  }
  if (status.ok())
    return success();
  return module.emitError() << "the program cannot be proved: " << status.describe();
}

static void addAxis(abi::Mesh &mesh, StringRef name, int64_t size) {
  abi::MeshAxis &axis = *mesh.add_axes();
  axis.set_name(name.str());
  axis.set_size(size);
}

/// Links the mesh of all stages.
static LogicalResult linkMesh(ArrayRef<ModuleOp> programs, SharedTables &shared) {
  dist::Mesh mesh = dist::getMesh(programs.front());
  for (ModuleOp program : programs)
    if (dist::getMesh(program) != mesh)
      return program.emitError("expected the mesh of the first stage, ")
             << mesh.str() << ", got " << dist::getMesh(program).str();
  if (shared.isCut && mesh.findAxis(pipe::stageAxisName))
    return ModuleOp(programs.front()).emitError("expected no axis \"")
           << pipe::stageAxisName << "\" in the mesh of a stage, it is that of the stages";
  if (shared.isCut)
    addAxis(*shared.executable.mutable_mesh(), pipe::stageAxisName, shared.stages);
  for (const dist::MeshAxis &axis : mesh.getAxes())
    addAxis(*shared.executable.mutable_mesh(), axis.name, axis.size);
  return success();
}

/// Marks gradients of a parameter that several stages have: the true gradient is the sum over
/// stages.
static void sumOverStages(abi::Executable &executable) {
  llvm::StringMap<int> stagesWith;
  auto forEachGradient = [&](auto callback) {
    for (abi::Program &program : *executable.mutable_programs())
      for (abi::Result &result : *program.mutable_results())
        if (result.role() == abi::GRADIENT)
          callback(result);
  };
  forEachGradient([&](abi::Result &result) { ++stagesWith[result.name()]; });
  forEachGradient([&](abi::Result &result) {
    if (stagesWith[result.name()] > 1)
      result.add_partial_axes(0);
  });
}

static LogicalResult linkPrograms(ArrayRef<ModuleOp> modules, SharedTables &shared) {
  task::ProgramOp first;
  for (ModuleOp module : modules) {
    auto programs = module.getOps<task::ProgramOp>();
    if (!llvm::hasSingleElement(programs))
      return module.emitError("expected one \"task.program\", run \"--lower-to-task\" first");
    task::ProgramOp program = *programs.begin();
    first = first ? first : program;
    if (program.getMicroBatches() != first.getMicroBatches() ||
        program.getCopies() != first.getCopies())
      return program.emitOpError()
             << "expected the microbatches and copies of the first stage, "
             << first.getMicroBatches() << " and " << first.getCopies() << ", got "
             << program.getMicroBatches() << " and " << program.getCopies();
    if (failed(Linker(module, program, shared).run()))
      return failure();
  }
  sumOverStages(shared.executable);
  return success();
}

static void linkCode(ModuleOp module, const lower::KernelObject &object,
                     abi::Executable &executable) {
  if (object.gpu) {
    abi::GpuCode &code = *executable.mutable_gpu_code();
    code.set_chip(object.gpu->chip);
    code.set_ptx(object.gpu->ptx);
    code.set_cubin(object.gpu->cubin);
    code.set_tf32(module->hasAttr(task::tf32AttrName));
    return;
  }
  executable.mutable_object()->set_elf(object.elf);
  for (const std::string &feature : object.cpuFeatures)
    executable.mutable_object()->add_cpu_features(feature);
}

/// Links the work of a step, and how long the machine of the module needs for it at least.
static LogicalResult linkModelFlops(ModuleOp module, abi::Executable &executable) {
  for (auto [type, flops] : analysis::readModelFlops(module)) {
    abi::ModelFlops &entry = *executable.add_model_flops();
    entry.set_type(type);
    entry.set_flops(flops);
  }
  analysis::ClusterAnalysis machine(module);
  if (!machine.isGiven())
    return success();
  int64_t ranks = abi::rankCount(executable.mesh());
  FailureOr<abi::Cluster> cluster = machine.get(ranks);
  if (failed(cluster))
    return failure();
  executable.set_peak_seconds(
      machine::peakSeconds(cluster->device(), ranks, executable.model_flops()));
  return success();
}

static LogicalResult linkTables(ModuleOp module, const lower::KernelObject &object, bool hasValues,
                                abi::Executable &executable) {
  FailureOr<SmallVector<ModuleOp>> programs = pipe::listPrograms(module);
  if (failed(programs))
    return failure();
  executable.Clear();
  executable.set_name(module.getName().value_or("").str());
  linkCode(module, object, executable);
  SharedTables shared(executable);
  shared.stages = int64_t(programs->size());
  shared.isCut = programs->front() != module;
  shared.hasValues = hasValues;
  if (failed(linkMesh(*programs, shared)))
    return failure();
  if (failed(linkPrograms(*programs, shared)))
    return failure();
  for (abi::Kernel &kernel : *executable.mutable_kernels())
    if (object.gpu)
      kernel.set_threads(object.gpu->threads.lookup(kernel.symbol()));
  return linkModelFlops(module, executable);
}

LogicalResult linkExecutable(ModuleOp module, const lower::KernelObject &object,
                             abi::Executable &executable) {
  return linkTables(module, object, /*hasValues=*/true, executable);
}

static FailureOr<abi::Executable> linkAndProve(ModuleOp module, const lower::KernelObject &object,
                                               bool hasCode) {
  abi::Executable executable;
  if (failed(linkTables(module, object, /*hasValues=*/hasCode, executable)) ||
      failed(proveExecutable(module, executable, hasCode)))
    return failure();
  return executable;
}

FailureOr<abi::Executable> linkProgram(ModuleOp module) {
  llvm::Expected<lower::KernelObject> object = lower::hasGpuKernels(module)
                                                   ? lower::compileGpuKernels(module)
                                                   : lower::compileKernels(module);
  if (!object)
    return module.emitError() << llvm::toString(object.takeError());
  return linkAndProve(module, *object, /*hasCode=*/true);
}

FailureOr<abi::Executable> linkInstructions(ModuleOp module) {
  return linkAndProve(module, {}, /*hasCode=*/false);
}

} // namespace pcc::link
