// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanMemory: a place for every value that crosses kernels.
//
// Assumes kernels (AssignKernels). Leaves `task.place` on ops, arguments, parameters and
// accumulated results, and `task.bytes` on the module. Parameters, optimizer states and
// accumulators are persistent; inputs have a space of their own. What one section leaves for
// another of its microbatch, and what is sent and received, lies in rings (Rings.h); what remains
// is packed around them by live range (Layout.h). A gradient that is not accumulated lies in the
// same buffer in the section that computes it and in the update.
#include "passes/schedule/Layout.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/PlannedBytes.h"

#include "dialects/dist/Dist.h"
#include "mlir/IR/Remarks.h"
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
  /// `isTrial`: nothing but the bytes is wanted.
  explicit MemoryPlanner(ModuleOp module, bool isTrial = false)
      : module(module), context(module.getContext()), isTrial(isTrial) {}
  LogicalResult run();
  int64_t getBytes() const { return persistent.end + temporaryBytes + input.end; }

private:
  // What lies outside the temporaries.
  void placeArguments(facts::Section &section);
  void placeAccumulators(facts::Section &section);
  LogicalResult bindArgument(facts::Section &section, unsigned index);

  // The temporaries of one timeline.
  LogicalResult planTimeline(MutableArrayRef<facts::Section> sections);
  LogicalResult addSection(facts::Section &section);
  void addKernel(facts::Section &section, const facts::Kernel &kernel, int64_t numKernels);
  bool isInside(unsigned frame) const;
  Value findDying(const facts::Kernel &kernel, Value output, bool staysInside,
                  const DenseSet<Buffer *> &taken);
  bool mayReplace(PlaceAttr place, const facts::Kernel &kernel, Value output);
  PlaceAttr parameterUpdatedBy(facts::Section &section, const facts::Kernel &kernel, Value output);
  void extendOverCommunication(const facts::Kernel &kernel, int64_t numKernels);
  void extendToPlace(const facts::Kernel &kernel);
  void extendToReaders(RoleAttr role);
  void placeTemporaries(bool isStep);
  void annotate(facts::Section &section);

  ModuleOp module;
  MLIRContext *context;
  bool isTrial;
  Bump persistent{Space::Persistent}, input{Space::Input};
  int64_t temporaryBytes = 0;
  llvm::DenseMap<Attribute, PlaceAttr> placeOfKey; ///< parameters, inputs, the step, sums
  llvm::DenseMap<Attribute, Value> valueOfRole;    ///< results of earlier sections of the step
  std::optional<Rings> rings;                      ///< of the step
  Values values;
  MutableArrayRef<facts::Section> timeline;
  SmallVector<SectionTimes> times;  ///< of the sections of the timeline
  llvm::StringMap<int64_t> startOf; ///< where they start, by name
  int64_t start = 0;                ///< where the present one does
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

/// True if the present section may use the bytes of the frame that its number has.
bool MemoryPlanner::isInside(unsigned frame) const {
  auto section =
      llvm::find_if(times, [&](const SectionTimes &span) { return span.start == start; });
  return rings->getFrames()[frame].inside.contains(unsigned(section - times.begin()));
}

/// An input that the kernel reads for the last time and may write `output` over; null if there is
/// none. Best is one in a frame, whose bytes are there anyway; but what is returned is read when
/// the frame may be another number's. Elsewhere gradients can be read behind an early kernel; of
/// those that are reduced Boundary.cpp knows.
Value MemoryPlanner::findDying(const facts::Kernel &kernel, Value output, bool staysInside,
                               const DenseSet<Buffer *> &taken) {
  if (kernel.early && !isa<dist::AllReduceOp>(output.getDefiningOp()))
    return nullptr;
  // One buffer may be several inputs: two biases that are added alike have one gradient.
  auto mayOverwriteAll = [&](Buffer *buffer) {
    return llvm::all_of(kernel.inputs, [&](Value input) {
      Value root = facts::viewRoot(input);
      return values.find(root) != buffer || mayOverwrite(kernel, root, output);
    });
  };
  Value elsewhere;
  for (Value candidate : kernel.inputs) {
    Value root = facts::viewRoot(candidate);
    Buffer *buffer = values.find(root);
    if (!buffer || !buffer->overwritable || buffer->last != start + kernel.number ||
        taken.contains(buffer) || !mayOverwriteAll(buffer))
      continue;
    if (buffer->frame && staysInside && isInside(*buffer->frame))
      return root;
    if (!buffer->frame && !elsewhere)
      elsewhere = root;
  }
  return elsewhere;
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
    if (std::optional<unsigned> frame =
            rings && section.runs > 0 ? rings->frameOf(output) : std::nullopt) {
      values.add(output, {bytes, now, last, nullptr, /*overwritable=*/true, 0, frame});
      continue;
    }
    if (Value dying = findDying(kernel, output, last < start + numKernels, taken)) {
      taken.insert(values.find(dying));
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

/// What a section leaves under a role lives on in the sections behind it that read it.
void MemoryPlanner::extendToReaders(RoleAttr role) {
  for (auto [other, span] : llvm::zip_equal(timeline, times))
    if (span.start > start)
      for (BlockArgument argument : other.function.getArguments())
        if (other.getArgumentRole(argument.getArgNumber()) == role)
          values.readAt(valueOfRole[role],
                        span.start +
                            std::max<int64_t>(lastReader(argument, span.end - span.start), 0));
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
      if (!section.isAccumulated(index) && values.find(value)) {
        valueOfRole[role] = facts::viewRoot(value);
        extendToReaders(role);
      }
  return success();
}

void MemoryPlanner::placeTemporaries(bool isStep) {
  int64_t buffers = int64_t(values.temporaries().size());
  LayoutBytes bytes = Layout(values, isStep && rings ? &*rings : nullptr, times, context).place();
  temporaryBytes = std::max(temporaryBytes, bytes.peak);
  if (isTrial)
    return;
  remark::analysis(module.getLoc(), remark::RemarkOpts::name("plan-memory").category("schedule"))
      << remark::metric("buffers", buffers) << remark::metric("temporary_bytes", bytes.peak)
      << remark::metric("bound_bytes", bytes.bound) << remark::metric("ring_bytes", bytes.rings)
      << remark::metric("ring_copies", bytes.copies)
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
  times.clear();
  timeline = sections;
  start = 0;
  for (facts::Section &section : sections) {
    int64_t numKernels = facts::collectKernels(section.function).size();
    startOf[section.function.getName()] = start;
    times.push_back({start, start + numKernels});
    start += numKernels + 1;
  }
  for (auto [section, span] : llvm::zip_equal(sections, times)) {
    start = span.start;
    if (failed(addSection(section)))
      return failure();
  }
  placeTemporaries(sections.front().runs > 0);
  if (!isTrial)
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
  if (isTrial)
    return success();
  for (auto parameter : module.getOps<ParameterOp>()) {
    auto role = RoleAttr::get(context, RoleKind::Parameter, parameter.getSymNameAttr());
    if (PlaceAttr place = placeOfKey.lookup(role))
      parameter->setAttr(facts::placeAttrName, place);
  }
  module->setAttr(facts::bytesAttrName,
                  task::BytesAttr::get(context, persistent.end, temporaryBytes, input.end));
  return success();
}

FailureOr<int64_t> countPlannedBytes(ModuleOp module) {
  MemoryPlanner planner(module, /*isTrial=*/true);
  if (failed(planner.run()))
    return failure();
  return planner.getBytes();
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
