// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Differences.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

namespace pcc::conformance {
namespace {

std::string listText(const std::vector<int64_t> &numbers) {
  std::string text;
  llvm::raw_string_ostream(text) << "[" << llvm::interleaved(numbers) << "]";
  return text;
}

std::string listsText(const std::vector<std::vector<int64_t>> &lists) {
  return llvm::join(llvm::map_range(lists, listText), " ");
}

std::string reductionsText(const std::vector<Reduction> &reductions) {
  std::string text = llvm::join(
      llvm::map_range(reductions, [](const Reduction &reduction) { return reduction.str(); }),
      ", ");
  return text.empty() ? "none" : text;
}

/// Returns true if every rank has `shape` cut by the counts of the tuple.
bool isCutBy(const llvm::json::Array &tuple, const std::vector<int64_t> &shape,
             const std::vector<int64_t> &slice) {
  std::vector<int64_t> counts = integers(tuple);
  if (counts.size() != shape.size() || slice.size() != shape.size())
    return false;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (slice[dim] * counts[dim] != shape[dim])
      return false;
  return true;
}

/// Returns true if a Cast is cut by the strategy that the question gives it.
bool obeysItsStrategy(const Node &node, const CompiledNode &ours) {
  const llvm::json::Array &tuple = *node.object->getArray("strategy")->front().getAsArray();
  return isCutBy(tuple, ours.shape, ours.slices.in.front()) &&
         isCutBy(tuple, ours.shape, ours.slices.out.front());
}

/// Returns true if the slices differ only by the halo of a convolution: rows and columns of its
/// image that neighbors have, at most one less than its window on both sides together.
bool lacksOnlyTheHalo(const Node &node, const NodeSlices &theirs, const NodeSlices &ours) {
  if (theirs.out != ours.out || theirs.in.size() != ours.in.size() ||
      theirs.in.front().size() != ours.in.front().size())
    return false;
  constexpr size_t firstSpatial = 2;
  std::vector<int64_t> window = node.list("kernel").value_or(std::vector<int64_t>());
  for (size_t dim = 0; dim < ours.in.front().size(); ++dim) {
    int64_t halo = theirs.in.front()[dim] - ours.in.front()[dim];
    int64_t widest = dim < firstSpatial ? 0 : window.at(dim - firstSpatial) - 1;
    if (halo < 0 || halo > widest)
      return false;
  }
  return std::equal(theirs.in.begin() + 1, theirs.in.end(), ours.in.begin() + 1);
}

/// Returns true if the node has each operand as the node that makes it does.
bool followsItsMakers(const Node &node, const Compiled &compiled) {
  const CompiledNode &ours = compiled.nodes.at(node.name);
  for (auto [index, input] : llvm::enumerate(node.inputs)) {
    auto [maker, output] = llvm::StringRef(input).split(':');
    auto found = compiled.nodes.find(maker.str());
    size_t number = 0;
    output.getAsInteger(10, number);
    if (found != compiled.nodes.end() && index < ours.slices.in.size() &&
        found->second.slices.out[number] != ours.slices.in[index])
      return false;
  }
  return true;
}

/// Returns why the slices of a node differ from MindSpore's; empty if no rule of pcc
/// gives just these slices.
std::string reasonToCut(const Case &question, const Node &node, const NodeSlices *theirs,
                        const Compiled &compiled) {
  const CompiledNode &ours = compiled.nodes.at(node.name);
  bool isGiven = node.object->getArray("strategy");
  if (node.op == "Cast" && isGiven && obeysItsStrategy(node, ours))
    return "a strategy given to a Cast is obeyed";
  if (node.op == "Conv2D" && isGiven && theirs && lacksOnlyTheHalo(node, *theirs, ours.slices))
    return "the halo is fetched inside the op";
  bool givesAny =
      llvm::any_of(question.nodes, [](const Node &n) { return n.object->getArray("strategy"); });
  return !isGiven && givesAny && followsItsMakers(node, compiled)
             ? "what no strategy is given for follows its neighbors"
             : "";
}

/// Returns true if the answer's layout and pcc's sharding give every rank the same block.
bool isSameLayout(const Layout &layout, const CompiledNode &node, const dist::Mesh &mesh) {
  if (layout.map.size() != node.shape.size())
    return false;
  auto slice = node.sharding.getLocalShape(node.shape, mesh);
  for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
    auto offset = node.sharding.getOffset(rank, node.shape, mesh);
    std::vector<int64_t> block = layout.blockOf(rank);
    for (size_t dim = 0; dim < block.size(); ++dim)
      if (block[dim] * slice[dim] != offset[dim])
        return false;
  }
  return true;
}

/// Drops counts of one.
std::vector<int64_t> dropOnes(std::vector<int64_t> matrix) {
  llvm::erase(matrix, 1);
  return matrix;
}

class Comparison {
public:
  Comparison(const Case &question, const Answer &answer, const Compiled &compiled)
      : question(question), answer(answer), compiled(compiled) {}

  Differences compare() {
    for (const Node &node : question.nodes)
      compareNode(node);
    compareReductions();
    if (compiled.received > answer.received)
      differences.wrong.push_back(
          llvm::formatv("receives {0} elements, there {1}", compiled.received, answer.received));
    return std::move(differences);
  }

private:
  void compareNode(const Node &node) {
    const CompiledNode &ours = compiled.nodes.at(node.name);
    std::vector<std::string> found;
    auto slices = answer.slices.find(node.name);
    const NodeSlices *theirs = slices == answer.slices.end() ? nullptr : &slices->second;
    if (theirs) {
      compareSlices("operands", theirs->in, ours.slices.in, found);
      compareSlices("results", theirs->out, ours.slices.out, found);
    }
    // In MindSpore the layout of a reshape has no meaning.
    auto layout = answer.layouts.find(node.name);
    if (layout != answer.layouts.end() && node.op != "Reshape")
      compareLayout(layout->second, ours, found);
    if (found.empty())
      return;
    std::string reason = reasonToCut(question, node, theirs, compiled), text = node.name + ": ";
    text += llvm::join(found, ", ");
    if (reason.empty())
      differences.wrong.push_back(text);
    else
      differences.explained.push_back(text + " (" + reason + ")");
  }

  /// Scalars that are not operands in pcc are left out.
  static void compareSlices(llvm::StringRef what, const std::vector<std::vector<int64_t>> &theirs,
                            const std::vector<std::vector<int64_t>> &ours,
                            std::vector<std::string> &found) {
    bool fits = theirs.size() >= ours.size();
    for (size_t index = 0; fits && index < theirs.size(); ++index)
      fits = index < ours.size() ? theirs[index] == ours[index] : theirs[index].empty();
    if (!fits)
      found.push_back(
          llvm::formatv("{0} {1}, there {2}", what, listsText(ours), listsText(theirs)).str());
  }

  void compareLayout(const Layout &layout, const CompiledNode &ours,
                     std::vector<std::string> &found) const {
    if (!isSameLayout(layout, ours, compiled.mesh))
      found.push_back("other blocks than by " + listText(layout.deviceMatrix) + " " +
                      listText(layout.map));
    // With an output strategy the answer's matrix belongs to the output, which the blocks have
    // checked.
    const std::vector<int64_t> theirs = dropOnes(layout.deviceMatrix);
    if (!isScattered() && theirs != ours.deviceMatrix)
      found.push_back("device matrix " + listText(ours.deviceMatrix) + ", there " +
                      listText(theirs));
  }

  bool isScattered() const {
    return llvm::any_of(question.nodes,
                        [](const Node &node) { return node.object->getArray("out_strategy"); });
  }

  void compareReductions() {
    for (const std::string &plan : compiled.sharedReductions)
      differences.explained.push_back("an all-reduce as " + plan +
                                      " (its work is shared with ranks that hold copies)");
    if (compiled.reductions == answer.reductions)
      return;
    auto withoutKind = [](std::vector<Reduction> reductions) {
      for (Reduction &reduction : reductions)
        reduction.kind.clear();
      return reductions;
    };
    std::string text = "reduces by " + reductionsText(compiled.reductions) + ", there by " +
                       reductionsText(answer.reductions);
    bool scatters = llvm::any_of(compiled.reductions, [](const Reduction &reduction) {
      return reduction.kind == "ReduceScatter";
    });
    if (compiled.cutsWhileReducing && scatters &&
        withoutKind(compiled.reductions) == withoutKind(answer.reductions))
      differences.explained.push_back(text + " (a sum is cut for its reader at once)");
    else
      differences.wrong.push_back(text);
  }

  const Case &question;
  const Answer &answer;
  const Compiled &compiled;
  Differences differences;
};

} // namespace

Differences compareForward(const Case &question, const Answer &answer, const Compiled &compiled) {
  return Comparison(question, answer, compiled).compare();
}

void compareGradients(const Answer &answer, const std::map<std::string, Gradient> &gradients,
                      Differences &differences) {
  for (const auto &[name, gradient] : gradients) {
    auto found = answer.gradientGroups.find(name);
    std::vector<int64_t> theirs;
    if (found != answer.gradientGroups.end())
      theirs = found->second;
    bool isAlone = theirs.empty() && gradient.group.size() == 1;
    std::string text = "gradient of " + name + " over " + listText(gradient.group) +
                       ", there over " + listText(theirs);
    if (theirs == gradient.holders && theirs != gradient.group && gradient.othersRepeat)
      differences.explained.push_back(text + " (ranks that calculate the same are not summed)");
    else if (!isAlone && theirs != gradient.group)
      differences.wrong.push_back(text);
    else if (!gradient.isCutAsParameter)
      differences.explained.push_back("gradient of " + name + " is redistributed to be cut as " +
                                      name + " (it is calculated where its operands are)");
    else if (gradient.isCutWhileReduced)
      differences.explained.push_back("gradient of " + name + " is cut as " + name +
                                      " while it is summed");
  }
}

} // namespace pcc::conformance
