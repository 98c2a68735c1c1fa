// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OverlapReductions: collectives of gradients run beside the last backward pass, not behind it.
//
// Assumes kernels (AssignKernels) and slots in their order. A gradient is complete in the last slot
// of the last section that adds to it, behind the kernel that computes its term there. Kernels of
// the update that need no more than that, and end in a collective, can run there:
//
//   @backward   kernel 17 computes the gradient "w", which is summed over all slots
//   @update     kernel 3 reduces the gradient "w" over the ranks
//
// Leaves `task.early` on the update, here [[@backward, 17]], and gives those kernels its first
// numbers, in the order in which they will run. What reads the parameters, or gradients of several
// stages, stays where it is.
//
// Collectives of a rank run one after the other, and a reduction is long. Other stages wait for
// what a stage sends, each for the one behind it, so a delay of any adds to the step. So reductions
// come behind the last collective that something sent needs; the first stage, which is the last to
// be done, sends nothing back.
#include "passes/schedule/Passes.h"

#include "dialects/dist/Dist.h"
#include "dialects/graph/Roles.h"
#include "mlir/IR/Remarks.h"
#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::FormKind;

namespace pcc::schedule {
#define GEN_PASS_DEF_OVERLAPREDUCTIONS
#include "passes/schedule/Passes.h.inc"

namespace {
/// From where on something is there: behind a kernel of the last slot of a section.
struct Place {
  int64_t slot = -1; ///< position in the step; -1: from the begin on
  StringRef section;
  int64_t behind = -1;

  bool operator<(const Place &other) const {
    return std::tie(slot, behind) < std::tie(other.slot, other.behind);
  }
};

/// Where gradients are complete.
class Gradients {
public:
  explicit Gradients(ModuleOp module);
  /// Nothing for other values, and for gradients that slots of several microbatches do not sum.
  std::optional<Place> find(RoleAttr role) const {
    auto known = places.find(role);
    return known == places.end() ? std::nullopt : std::optional(std::max(known->second, sent));
  }

private:
  void add(facts::Section &section, unsigned result, int64_t slot);
  void keepBehindSent(facts::Section &section, int64_t slot);

  llvm::DenseMap<Attribute, Place> places;
  Place sent; ///< the last collective that something sent needs
};
} // namespace

Gradients::Gradients(ModuleOp module) {
  pipe::StepOp step = facts::getStep(module);
  if (!step)
    return;
  llvm::StringMap<int64_t> lastSlots;
  int64_t position = 0;
  for (auto slot : step.getBody().front().getOps<pipe::SlotOp>())
    lastSlots[slot.getSection()] = position++;
  for (facts::Section &section : facts::collectSections(module)) {
    if (section.runs == 0 || !graph::findArgs(section.function, RoleKind::Gradient).empty())
      continue;
    int64_t slot = lastSlots.lookup(section.function.getName());
    keepBehindSent(section, slot);
    for (unsigned result = 0; result < section.function.getNumResults(); ++result)
      add(section, result, slot);
  }
}

void Gradients::keepBehindSent(facts::Section &section, int64_t slot) {
  std::optional<int64_t> last, collective;
  for (const facts::Kernel &kernel : facts::collectKernels(section.function)) {
    if (isa<pipe::SendOp>(kernel.ops.front()))
      last = collective;
    else if (isa<dist::CollectiveOpInterface>(kernel.ops.front()))
      collective = kernel.number;
  }
  if (last)
    sent = std::max(sent, Place{slot, section.function.getName(), *last});
}

/// The kernel that computes the value. One that is not summed lies where it was computed, and may
/// be overwritten by its sum over the ranks: then the last one that reads it.
static int64_t lastKernelOf(Value value, bool isSummed) {
  Value root = facts::viewRoot(value);
  Operation *op = root.getDefiningOp();
  int64_t last = op ? facts::getKernelNumber(op).value_or(-1) : -1;
  if (!isSummed)
    facts::forEachReader(root, [&](Operation *reader) {
      last = std::max(last, facts::getKernelNumber(reader).value_or(-1));
    });
  return last;
}

void Gradients::add(facts::Section &section, unsigned result, int64_t slot) {
  RoleAttr role = section.getResultRole(result);
  bool isWhole = section.runs == 1 || section.endsSum(result);
  if (role && role.getKind() == RoleKind::Gradient && isWhole)
    places[role] = {slot, section.function.getName(),
                    lastKernelOf(section.getReturned()[result], section.isAccumulated(result))};
}

namespace {
/// The kernels of one section.
class Update {
public:
  Update(facts::Section &section, const Gradients &gradients)
      : section(section), kernels(facts::collectKernels(section.function)) {
    findPlaces(gradients);
    for (const facts::Kernel &kernel : kernels)
      if (isCollective(kernel) && places[kernel.number] && !free.contains(kernel.number))
        take(kernel);
  }

  /// Annotates; returns how many collectives run elsewhere.
  int64_t annotate();

private:
  static bool isCollective(const facts::Kernel &kernel) {
    return kernel.form.getKind() == FormKind::Collective;
  }
  void findPlaces(const Gradients &gradients);
  std::optional<Place> placeOf(Value value, const Gradients &gradients) const;
  void take(const facts::Kernel &kernel);

  facts::Section &section;
  SmallVector<facts::Kernel> kernels;
  /// By kernel: where it could run; nothing: only in its own section.
  SmallVector<std::optional<Place>> places;
  /// Those that need nothing at all, and run where somebody reads them first.
  llvm::SmallDenseSet<int64_t> free;
  llvm::SmallSetVector<int64_t, 16> early; ///< each behind those that it reads
};
} // namespace

/// Messages and barriers keep their order among themselves. Behind an all-reduce it must be known
/// over which axes a gradient is still partial.
static bool mayRunElsewhere(const facts::Kernel &kernel) {
  return llvm::all_of(kernel.ops, [](Operation *op) {
    if (!facts::isCollective(op))
      return true;
    if (!isa<dist::CollectiveOpInterface>(op) || op->getNumOperands() != 1)
      return false;
    auto reduce = dyn_cast<dist::AllReduceOp>(op);
    bool isOverAxes =
        reduce && (!reduce.getGroupAttr() || reduce.getGroupAttr().getRanks().empty());
    return !reduce || (isOverAxes && reduce.getKind() == ReduceKind::Sum);
  });
}

std::optional<Place> Update::placeOf(Value value, const Gradients &gradients) const {
  Value root = facts::viewRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    RoleAttr role =
        section.function.getArgAttrOfType<RoleAttr>(argument.getArgNumber(), "graph.role");
    return role ? gradients.find(role) : std::nullopt;
  }
  std::optional<int64_t> number = facts::getKernelNumber(root.getDefiningOp());
  return number ? places[*number] : Place();
}

void Update::findPlaces(const Gradients &gradients) {
  for (const facts::Kernel &kernel : kernels) {
    std::optional<Place> &place = places.emplace_back();
    if (!mayRunElsewhere(kernel))
      continue;
    place = Place();
    for (Value input : kernel.inputs) {
      std::optional<Place> from = placeOf(input, gradients);
      if (!from) {
        place = std::nullopt;
        break;
      }
      place = std::max(*place, *from);
    }
    if (place && place->slot < 0)
      free.insert(kernel.number);
  }
}

/// What the kernel reads is computed before it.
void Update::take(const facts::Kernel &kernel) {
  const Place &place = *places[kernel.number];
  for (Value input : kernel.inputs) {
    Operation *producer = facts::viewRoot(input).getDefiningOp();
    std::optional<int64_t> number =
        producer ? facts::getKernelNumber(producer) : std::optional<int64_t>();
    if (!number)
      continue;
    if (free.contains(*number))
      places[*number] = early.contains(*number) ? std::min(*places[*number], place) : place;
    take(kernels[*number]);
  }
  early.insert(kernel.number);
}

int64_t Update::annotate() {
  if (early.empty())
    return 0;
  SmallVector<int64_t> order(early.begin(), early.end());
  llvm::stable_sort(order, [&](int64_t a, int64_t b) { return *places[a] < *places[b]; });
  Builder b(section.function.getContext());
  SmallVector<Attribute> runsIn, forms;
  for (int64_t number : order)
    runsIn.push_back(
        b.getArrayAttr({FlatSymbolRefAttr::get(b.getContext(), places[number]->section),
                        b.getI64IntegerAttr(places[number]->behind)}));
  for (const facts::Kernel &kernel : kernels)
    if (!early.contains(kernel.number))
      order.push_back(kernel.number);
  int64_t collectives = 0;
  for (auto [number, old] : llvm::enumerate(order)) {
    const facts::Kernel &kernel = kernels[old];
    for (Operation *op : kernel.ops)
      op->setAttr(facts::kernelAttrName, b.getI64IntegerAttr(number));
    forms.push_back(kernel.form);
    collectives += number < runsIn.size() && isCollective(kernel);
  }
  section.function->setAttr(facts::formsAttrName, b.getArrayAttr(forms));
  section.function->setAttr(facts::earlyAttrName, b.getArrayAttr(runsIn));
  return collectives;
}

namespace {
struct OverlapReductions : impl::OverlapReductionsBase<OverlapReductions> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Gradients gradients(module);
    int64_t collectives = 0;
    for (facts::Section &section : facts::collectSections(module))
      if (section.runs == 1)
        collectives += Update(section, gradients).annotate();
    remark::passed(module.getLoc(),
                   remark::RemarkOpts::name("overlap-reductions").category("schedule"))
        << remark::metric("collectives", collectives);
  }
};
} // namespace
} // namespace pcc::schedule
