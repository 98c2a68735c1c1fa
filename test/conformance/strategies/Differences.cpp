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

/// Returns why the slices of a node may differ from the reference system's; empty if they may not.
std::string reasonToCut(const Case &question, const Node &node) {
  bool isGiven = node.object->getArray("strategy");
  if (node.op == "Cast" && isGiven)
    return "a strategy given to a Cast is obeyed";
  if (isGiven && node.op == "Conv2D")
    return "the halo is fetched inside the op";
  bool givesAny =
      llvm::any_of(question.nodes, [](const Node &n) { return n.object->getArray("strategy"); });
  return !isGiven && givesAny ? "what no strategy is given for follows its neighbors" : "";
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
    if (auto slices = answer.slices.find(node.name); slices != answer.slices.end()) {
      compareSlices("operands", slices->second.in, ours.slices.in, found);
      compareSlices("results", slices->second.out, ours.slices.out, found);
    }
    // In the reference system the layout of a reshape has no meaning.
    auto layout = answer.layouts.find(node.name);
    if (layout != answer.layouts.end() && node.op != "Reshape")
      compareLayout(layout->second, ours, found);
    if (found.empty())
      return;
    std::string reason = reasonToCut(question, node), text = node.name + ": ";
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
    if (compiled.cutsWhileReducing &&
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
