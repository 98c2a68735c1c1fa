// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanMemory: a place for every value that crosses kernels.
//
// Assumes kernels (AssignKernels). Leaves `task.place` on ops, arguments, parameters and
// accumulated results, and `task.bytes` on the module. Parameters, optimizer states and
// accumulators are persistent; inputs have a space of their own. What one section leaves for
// another of its microbatch, and what is sent and received, lies in rings at the begin of the
// temporaries; what remains is packed behind them by live range. A gradient that is not accumulated
// lies in the same buffer in the section that computes it and in the update.
#include "passes/schedule/Passes.h"
#include "passes/schedule/Rings.h"
#include "passes/schedule/Values.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"
#include "passes/solve/PackSearch.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;
using pcc::task::Space;

namespace pcc::schedule {
#define GEN_PASS_DEF_PLANMEMORY
#include "passes/schedule/Passes.h.inc"

namespace {

/// Offsets one after the other in one space.
struct Bump {
  Space space;
  int64_t end = 0;

  PlaceAttr take(MLIRContext *context, ShapedType type, int64_t elementBytes = 0) {
    int64_t bytes = elementBytes ? type.getNumElements() * elementBytes : task::bytesOf(type);
    auto place = PlaceAttr::get(context, space, end);
    end += llvm::alignTo(std::max<int64_t>(bytes, 1), task::bufferAlignment);
    return place;
  }
};

/// The memory of one module.
class MemoryPlanner {
public:
  explicit MemoryPlanner(ModuleOp module) : module(module), context(module.getContext()) {}
  LogicalResult run();

private:
  // What lies outside the temporaries.
  void placeArguments(facts::Section &section);
  void placeAccumulators(facts::Section &section);
  LogicalResult bindArgument(facts::Section &section, unsigned index);

  // The temporaries of one timeline.
  LogicalResult planTimeline(MutableArrayRef<facts::Section> sections);
  LogicalResult addSection(facts::Section &section);
  void addKernel(facts::Section &section, const facts::Kernel &kernel, int64_t numKernels);
  bool mayReplace(PlaceAttr place, const facts::Kernel &kernel, Value output);
  PlaceAttr parameterUpdatedBy(facts::Section &section, const facts::Kernel &kernel, Value output);
  void extendOverCommunication(const facts::Kernel &kernel, int64_t numKernels);
  void extendToPlace(const facts::Kernel &kernel);
  int64_t placeRings();
  void packTemporaries();
  void annotate(facts::Section &section);

  ModuleOp module;
  MLIRContext *context;
  Bump persistent{Space::Persistent}, input{Space::Input};
  int64_t temporaryBytes = 0;
  llvm::DenseMap<Attribute, PlaceAttr> placeOfKey; ///< parameters, inputs, the step, sums
  llvm::DenseMap<Attribute, Value> valueOfRole;    ///< results of earlier sections of the step
  std::optional<Rings> rings;                      ///< of the step
  Values values;
  int64_t start = 0;                ///< time of the present section's first kernel
  llvm::StringMap<int64_t> startOf; ///< the same of those before it
};

} // namespace

void MemoryPlanner::placeArguments(facts::Section &section) {
  for (BlockArgument argument : section.function.getArguments()) {
    RoleAttr role = section.getArgumentRole(argument.getArgNumber());
    Attribute key = section.getArgumentKey(argument.getArgNumber());
    if (!role || placeOfKey.contains(key))
      continue;
    bool isInput = role.getKind() == RoleKind::Input;
    if (isInput || role.getKind() == RoleKind::Parameter || role.getKind() == RoleKind::Step)
      placeOfKey[key] =
          (isInput ? input : persistent).take(context, cast<ShapedType>(argument.getType()));
  }
}

/// Sums over slots are kept in f32, whatever the type of the value.
void MemoryPlanner::placeAccumulators(facts::Section &section) {
  for (unsigned i = 0; i < section.function.getNumResults(); ++i) {
    if (!section.isAccumulated(i))
      continue;
    auto type = cast<ShapedType>(section.function.getResultTypes()[i]);
    PlaceAttr &place = placeOfKey[section.getResultRole(i)];
    if (section.beginsSum(i))
      place = persistent.take(context, type, sizeof(float));
    section.function.setResultAttr(i, facts::placeAttrName, place);
  }
}

/// Gives the argument the buffer of what it stands for.
LogicalResult MemoryPlanner::bindArgument(facts::Section &section, unsigned index) {
  BlockArgument argument = section.function.getArgument(index);
  RoleAttr role = section.getArgumentRole(index);
  int64_t bytes = task::bytesOf(cast<ShapedType>(argument.getType()));
  if (PlaceAttr place = role ? placeOfKey.lookup(section.getArgumentKey(index)) : PlaceAttr()) {
    bool holdsSum = role.getKind() == RoleKind::Gradient || role.getKind() == RoleKind::Loss;
    values.add(argument, {bytes, start, start, place, holdsSum});
    return success();
  }
  if (Value value = role ? valueOfRole.lookup(role) : Value()) {
    values.share(argument, value);
    return success();
  }
  return section.function.emitError()
         << "argument " << index << " of \"" << section.function.getName()
         << "\" has no source: expected a role of input, parameter or step, or that of a result of "
            "an earlier section of the step";
}

/// True if the kernel may write `output` to `place`: nothing reads what lies there after the
/// kernel, and the kernel itself reads it element by element. Other values than the parameter's own
/// may lie there: where the loss is sum(a * b), the gradient of a is b itself.
bool MemoryPlanner::mayReplace(PlaceAttr place, const facts::Kernel &kernel, Value output) {
  auto liesThere = [&](Value value) {
    Buffer *buffer = values.find(value);
    return buffer && buffer->place == place;
  };
  for (Value value : values.all())
    if (liesThere(value) && values.find(value)->last > start + kernel.number)
      return false;
  return llvm::none_of(kernel.inputs, [&](Value input) {
    return liesThere(input) && !mayOverwrite(kernel, facts::viewRoot(input), output);
  });
}

/// The place of the parameter whose new value `output` is, if the kernel may write it there.
PlaceAttr MemoryPlanner::parameterUpdatedBy(facts::Section &section, const facts::Kernel &kernel,
                                            Value output) {
  PlaceAttr place;
  for (OpOperand &use : output.getUses()) {
    if (!use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    RoleAttr role = section.getResultRole(use.getOperandNumber());
    if (place || !role || role.getKind() != RoleKind::Parameter)
      return nullptr;
    place = placeOfKey.lookup(role);
    if (place && !mayReplace(place, kernel, output))
      return nullptr;
  }
  return place;
}

/// The place of the accumulator to which the kernel's record adds its result by itself.
static PlaceAttr sumThatTakes(facts::Section &section, const facts::Kernel &kernel) {
  if (!facts::addsByItself(kernel))
    return nullptr;
  OpOperand &use = *kernel.outputs[0].use_begin();
  bool isReturned = use.getOwner()->hasTrait<OpTrait::IsTerminator>();
  if (!isReturned || !section.isAccumulated(use.getOperandNumber()))
    return nullptr;
  return section.function.getResultAttrOfType<PlaceAttr>(use.getOperandNumber(),
                                                         facts::placeAttrName);
}

void MemoryPlanner::addKernel(facts::Section &section, const facts::Kernel &kernel,
                              int64_t numKernels) {
  int64_t now = start + kernel.number;
  DenseSet<Buffer *> taken;
  for (Value output : kernel.outputs) {
    int64_t bytes = task::bytesOf(cast<ShapedType>(output.getType()));
    int64_t last = std::max(now, start + lastReader(output, numKernels)); // some nobody reads
    PlaceAttr place = parameterUpdatedBy(section, kernel, output);
    if (!place)
      place = sumThatTakes(section, kernel);
    if (place) {
      values.add(output, {bytes, now, last, place, false});
      continue;
    }
    if (int64_t copies = rings && section.runs > 0 ? rings->copiesOf(output) : 0) {
      values.add(output, {bytes, now, last, nullptr, /*overwritable=*/false, copies});
      continue;
    }
    Value dying;
    // Elsewhere gradients can be read behind the kernel; of those that are reduced Boundary.cpp
    // knows.
    bool mayReplaceInput = !kernel.early || isa<dist::AllReduceOp>(output.getDefiningOp());
    for (Value candidate : mayReplaceInput ? kernel.inputs.getArrayRef() : ArrayRef<Value>()) {
      Value root = facts::viewRoot(candidate);
      Buffer *buffer = values.find(root);
      bool free = buffer && buffer->overwritable && buffer->last == now && !taken.contains(buffer);
      if (free && mayOverwrite(kernel, root, output)) {
        dying = root;
        taken.insert(buffer);
        break;
      }
    }
    if (dying) {
      values.share(output, dying);
      values.readAt(output, last);
    } else {
      values.add(output, {bytes, now, last, nullptr, true});
    }
  }
}

/// A collective runs on a lane of its own: its buffers stay in use until a kernel has waited for
/// it. Each of a message of several is waited for by itself. A message of a section outside the
/// step may arrive as soon as the section begins.
void MemoryPlanner::extendOverCommunication(const facts::Kernel &kernel, int64_t numKernels) {
  if (kernel.form.getKind() != task::FormKind::Collective)
    return;
  for (Operation *op : kernel.ops) {
    if (auto recv = dyn_cast<pipe::RecvOp>(op); recv && values.find(recv.getResult()))
      values.find(recv.getResult())->first = start;
    int64_t waited = numKernels;
    for (Value output : op->getResults())
      facts::forEachReader(output, [&](Operation *reader) {
        waited = std::min(waited, facts::getKernelNumber(reader).value_or(numKernels));
      });
    facts::forEachSource(op, [&](Value source, ArrayRef<Operation *>) {
      if (values.find(source))
        values.readAt(source, start + waited);
    });
  }
}

/// What a kernel computes in the last slot of another section is live from there on, in all
/// sections that run later.
void MemoryPlanner::extendToPlace(const facts::Kernel &kernel) {
  if (!kernel.early)
    return;
  int64_t first =
      startOf.lookup(kernel.early->section) + std::max<int64_t>(kernel.early->behind, 0);
  Block &step = facts::getStep(module).getBody().front();
  SmallVector<pipe::SlotOp> slots(step.getOps<pipe::SlotOp>());
  for (pipe::SlotOp slot : llvm::reverse(slots)) {
    if (slot.getSection() == kernel.early->section)
      break;
    if (auto other = startOf.find(slot.getSection()); other != startOf.end())
      first = std::min(first, other->second);
  }
  for (Value output : kernel.outputs)
    if (Buffer *buffer = values.find(output))
      buffer->first = std::min(buffer->first, first);
}

/// Arguments live from the section's start, values of kernels until their last reader, results to
/// the end of the section, where losses, outputs and gradients are read; what a later section takes
/// over lives on there.
LogicalResult MemoryPlanner::addSection(facts::Section &section) {
  SmallVector<facts::Kernel> kernels = facts::collectKernels(section.function);
  int64_t numKernels = kernels.size();
  for (BlockArgument argument : section.function.getArguments()) {
    if (failed(bindArgument(section, argument.getArgNumber())))
      return failure();
    values.readAt(argument, start + std::max<int64_t>(lastReader(argument, numKernels), 0));
  }
  for (const facts::Kernel &kernel : kernels) {
    addKernel(section, kernel, numKernels);
    extendOverCommunication(kernel, numKernels);
    extendToPlace(kernel);
  }
  for (auto [index, value] : llvm::enumerate(section.getReturned()))
    if (RoleAttr role = section.getResultRole(index))
      if (!section.isAccumulated(index) && values.find(value))
        valueOfRole[role] = facts::viewRoot(value);
  startOf[section.function.getName()] = start;
  start += numKernels + 1;
  return success();
}

/// Returns the bytes of all rings.
int64_t MemoryPlanner::placeRings() {
  int64_t end = 0;
  for (Buffer *buffer : values.rings()) {
    int64_t stride = llvm::alignTo(std::max<int64_t>(buffer->bytes, 1), task::bufferAlignment);
    buffer->place = PlaceAttr::get(context, Space::Temporary, end, buffer->copies,
                                   buffer->copies > 1 ? stride : 0);
    end += buffer->copies * stride;
  }
  return end;
}

void MemoryPlanner::packTemporaries() {
  int64_t ringBytes = placeRings(), ringCopies = 0;
  for (Value value : values.all())
    if (Buffer *buffer = values.find(value))
      ringCopies = std::max(ringCopies, buffer->copies);
  SmallVector<Buffer *> buffers = values.temporaries();
  solve::PackProblem problem;
  for (Buffer *buffer : buffers)
    problem.items.push_back({buffer->bytes, buffer->first, buffer->last});
  solve::PackSolution offsets = solve::pack(problem);
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    buffer->place = PlaceAttr::get(context, Space::Temporary, ringBytes + offset);

  int64_t peak =
      ringBytes + int64_t(llvm::alignTo(solve::peakOf(problem, offsets), task::bufferAlignment));
  temporaryBytes = std::max(temporaryBytes, peak);
  remark::analysis(module.getLoc(), remark::RemarkOpts::name("plan-memory").category("schedule"))
      << remark::metric("buffers", int64_t(buffers.size()))
      << remark::metric("temporary_bytes", peak)
      << remark::metric("bound_bytes", ringBytes + solve::lowerBound(problem))
      << remark::metric("ring_bytes", ringBytes) << remark::metric("ring_copies", ringCopies)
      << remark::metric("persistent_bytes", persistent.end);
}

/// An op of several results has a list of places.
static void setPlace(OpResult result, PlaceAttr place) {
  Operation *op = result.getOwner();
  if (op->getNumResults() == 1)
    return op->setAttr(facts::placeAttrName, place);
  SmallVector<Attribute> places(op->getNumResults(), place);
  if (auto known = op->getAttrOfType<ArrayAttr>(facts::placeAttrName))
    llvm::copy(known, places.begin());
  places[result.getResultNumber()] = place;
  op->setAttr(facts::placeAttrName, ArrayAttr::get(op->getContext(), places));
}

void MemoryPlanner::annotate(facts::Section &section) {
  for (Value value : values.all()) {
    PlaceAttr place = values.find(value)->place;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() == section.function)
        section.function.setArgAttr(argument.getArgNumber(), facts::placeAttrName, place);
    } else {
      setPlace(cast<OpResult>(value), place);
    }
  }
}

LogicalResult MemoryPlanner::planTimeline(MutableArrayRef<facts::Section> sections) {
  values = Values();
  valueOfRole.clear();
  startOf.clear();
  start = 0;
  for (facts::Section &section : sections)
    if (failed(addSection(section)))
      return failure();
  packTemporaries();
  for (facts::Section &section : sections)
    annotate(section);
  return success();
}

LogicalResult MemoryPlanner::run() {
  SmallVector<facts::Section> sections = facts::collectSections(module);
  for (facts::Section &section : sections)
    placeArguments(section);
  for (facts::Section &section : sections)
    placeAccumulators(section);
  auto step = llvm::partition_point(sections, [](const facts::Section &s) { return s.runs > 0; });
  if (step != sections.begin())
    rings.emplace(facts::getStep(module), MutableArrayRef(sections.begin(), step));
  if (step != sections.begin() && failed(planTimeline(MutableArrayRef(sections.begin(), step))))
    return failure();
  for (facts::Section &section : MutableArrayRef(step, sections.end()))
    if (failed(planTimeline(section)))
      return failure();

  for (auto parameter : module.getOps<ParameterOp>()) {
    auto role = RoleAttr::get(context, RoleKind::Parameter, parameter.getSymNameAttr());
    if (PlaceAttr place = placeOfKey.lookup(role))
      parameter->setAttr(facts::placeAttrName, place);
  }
  module->setAttr(facts::bytesAttrName,
                  task::BytesAttr::get(context, persistent.end, temporaryBytes, input.end));
  return success();
}

namespace {
struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  void runOnOperation() override {
    if (failed(MemoryPlanner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

} // namespace pcc::schedule
