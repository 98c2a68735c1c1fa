// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/graph/Roles.h"
#include "dialects/pipe/Pipe.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/schedule/order/KernelCostModel.h"
#include "passes/schedule/order/KernelStreams.h"
#include "test/conformance/training/Interleave.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

/// Finds the copy for which an op works.
class Copies {
public:
  explicit Copies(int64_t count) : count(count) {}

  void addSection(func::FuncOp section) {
    for (BlockArgument argument : section.getArguments()) {
      unsigned index = argument.getArgNumber();
      graph::RoleAttr role = graph::getArgRole(section, index);
      int64_t ofSaved;
      if (auto copy = section.getArgAttrOfType<IntegerAttr>(index, pipe::copyAttrName))
        copyOf[argument] = copy.getInt();
      else if (role && role.getKind() == graph::RoleKind::Saved &&
               !graph::getName(role).rsplit(", copy ").second.getAsInteger(10, ofSaved))
        copyOf[argument] = ofSaved;
    }
    for (Operation &op : section.getBody().front())
      for (Value operand : op.getOperands())
        if (auto copy = copyOf.find(operand); copy != copyOf.end()) {
          int64_t number = copy->second;
          for (Value result : op.getResults())
            copyOf[result] = number;
        }
  }

  std::optional<int64_t> find(Operation *op) const {
    if (count == 1)
      return 0;
    auto copy = op->getNumResults() ? copyOf.find(op->getResult(0)) : copyOf.end();
    return copy == copyOf.end() ? std::nullopt : std::optional(copy->second);
  }

private:
  int64_t count;
  llvm::DenseMap<Value, int64_t> copyOf;
};

/// Returns the node for which an op was made: gradients carry its name around their own.
StringRef nodeOf(Operation *op) {
  return analysis::getDerivedFrom(op).value_or(analysis::getName(op));
}

/// Returns the event text of an op; empty if the op is not an event.
std::string textOf(Operation *op, const Copies &copies) {
  StringRef name = analysis::getName(op), node = nodeOf(op);
  bool isCollective = isa<dist::CollectiveOpInterface>(op);
  if (name.consume_back(".gradient"))
    return isCollective ? reducingGradientText(name) : "";
  if (name.consume_back(".update"))
    return updateText(name);
  std::optional<int64_t> copy = copies.find(op);
  if (!copy)
    return "";
  StringRef phase = name == node ? "forward" : "backward";
  if (isCollective && name != node && !op->use_empty()) // the node whose gradient needs it
    node = nodeOf(*op->user_begin());
  if (isCollective)
    return reducingText(phase, node, *copy);
  if (name == (node + ".grad_weight").str())
    return doingText("weights", node, *copy);
  // Other ops of a gradient may be computed long before it.
  bool isWhole = name == node || name == (node + ".grad").str();
  return isWhole ? doingText(phase, node, *copy) : "";
}

class EventReader {
public:
  EventReader(const Copies &copies, const std::set<std::string> &answer, Doings &doings)
      : copies(copies), answer(answer), doings(doings) {}

  void add(const analysis::Kernel &kernel, const schedule::KernelCostModel &costs);

private:
  Doing &addEvent(const std::string &text, const analysis::Kernel &kernel);

  const Copies &copies;
  const std::set<std::string> &answer; ///< the texts of its events
  Doings &doings;
  llvm::DenseMap<Operation *, std::string> textOfOp;
  int64_t position = 0;
};

/// Adds the events of a kernel. Ops without a text belong to the event before them; those before
/// the first event, which pay for the start of the kernel, belong to it.
void EventReader::add(const analysis::Kernel &kernel, const schedule::KernelCostModel &costs) {
  bool computes = kernel.form.getKind() != task::FormKind::Collective;
  Doing *doing = nullptr;
  double seconds = 0;
  for (Operation *op : kernel.ops) {
    if (computes || op == kernel.ops.front())
      seconds += computes ? costs.secondsOfOp(op) : costs.seconds(kernel);
    if (std::string text = textOf(op, copies); answer.count(text))
      doing = &addEvent(text, kernel);
    if (doing)
      doing->seconds += std::exchange(seconds, 0);
  }
  if (doing || !computes)
    return;
  Doing &own = addEvent("kernel " + std::to_string(position), kernel);
  own.seconds = seconds;
  own.isOnlyOurs = true;
}

Doing &EventReader::addEvent(const std::string &text, const analysis::Kernel &kernel) {
  Doing &doing = doings.try_emplace(text, Doing{position, position, 0}).first->second;
  doing.last = position++;
  for (Value input : kernel.inputs)
    if (Operation *producer = analysis::viewRoot(input).getDefiningOp(); textOfOp.count(producer))
      doing.after.insert(textOfOp.lookup(producer));
  for (Operation *op : kernel.ops)
    textOfOp[op] = text;
  return doing;
}

} // namespace

Doings readDoings(ModuleOp module, int64_t count, const std::set<std::string> &answer,
                  const abi::Cluster &cluster) {
  Doings doings;
  Copies copies(count);
  EventReader reader(copies, answer, doings);
  schedule::StepKernels kernels(module);
  for (analysis::Section &section : kernels.getSections())
    copies.addSection(section.function);
  std::map<analysis::Section *, schedule::KernelCostModel> costs;
  auto isInStep = [](const analysis::Section &section) { return section.runs > 0; };
  for (analysis::Section &section : llvm::make_filter_range(kernels.getSections(), isInStep))
    for (schedule::StepKernel entry : kernels.orderOf(section)) {
      auto of = costs.try_emplace(entry.section, entry.section->function, cluster).first;
      reader.add(*entry.kernel, of->second);
    }
  return doings;
}

} // namespace pcc::conformance
