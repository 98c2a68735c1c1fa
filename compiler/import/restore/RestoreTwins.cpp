// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizer merges equal values that it computes from parameters. A node then reads the value
// of a parameter of another module, and does not name it:
//
//   module blocks.0   %view_0 = view(%p_blocks_0_gamma)      val view_0, an initializer
//   module blocks.1   %view_1 = view(%p_blocks_1_gamma)      merged, since both gammas are equal
//                     %mul_1 = mul(%linear_1, %view_1)       Mul(linear_1, view_0)
//
// A module reads its own parameters and those of its parts. So the node reads the parameter of its
// own module that has this name, unless the module shares its parameters with another one. It does
// not if a node reads another parameter of it.
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/restore/RestorationSteps.h"
#include "llvm/ADT/STLExtras.h"

namespace pcc::import {
namespace {

/// Most nodes between a parameter and a value that is computed from it.
constexpr int maxNodes = 4;

/// A value that nodes compute from one parameter and constants.
class Derived {
public:
  Derived(const ExportedModule &exported, const TracedGraph &traced, InitializerEdits &edits)
      : exported(exported), traced(traced), edits(edits) {}

  /// Returns the parameter; empty if there is none, or more than one.
  llvm::StringRef findSource(llvm::StringRef value, int nodes = maxNodes) const;
  /// Adds nodes that compute the value from `target` instead; returns its name.
  std::string copy(llvm::StringRef value, llvm::StringRef target) const;
  const onnx::NodeProto *findNode(llvm::StringRef value) const;

private:
  const ExportedModule &exported;
  const TracedGraph &traced;
  InitializerEdits &edits;
};

const onnx::NodeProto *Derived::findNode(llvm::StringRef value) const {
  const onnx::NodeProto *node = edits.findNode(value);
  return node ? node : traced.producers.lookup(value);
}

llvm::StringRef Derived::findSource(llvm::StringRef value, int nodes) const {
  if (edits.has(value) && !edits.isReplaced(value))
    return exported.isParameter(value) ? value : llvm::StringRef();
  const onnx::NodeProto *node = findNode(value);
  llvm::StringRef source;
  if (!node || nodes == 0)
    return source;
  for (const std::string &input : node->input()) {
    bool isConstant = edits.has(input) && !edits.isReplaced(input) && !exported.isParameter(input);
    if (input.empty() || isConstant)
      continue;
    llvm::StringRef found = findSource(input, nodes - 1);
    if (found.empty() || (!source.empty() && source != found))
      return {};
    source = found;
  }
  return source;
}

std::string Derived::copy(llvm::StringRef value, llvm::StringRef target) const {
  if (edits.has(value) && !edits.isReplaced(value))
    return exported.isParameter(value) ? target.str() : value.str();
  const onnx::NodeProto *node = findNode(value);
  auto nameResult = [&](llvm::StringRef result) { return (target + ".from_" + result).str(); };
  if (!edits.computes(nameResult(node->output(0)))) {
    llvm::SmallVector<std::string> inputs;
    for (const std::string &input : node->input())
      inputs.push_back(input.empty() ? input : copy(input, target));
    edits.addCopyOfNode(*node, inputs, nameResult);
  }
  return nameResult(value);
}

class Twins {
public:
  Twins(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
        InitializerEdits &edits, std::vector<std::string> &contradictions)
      : fx(fx), exported(exported), traced(traced), edits(edits), derived(exported, traced, edits),
        contradictions(contradictions) {}

  void restore(onnx::NodeProto &node, int position);

private:
  bool isNamed(llvm::StringRef value) const;
  bool isMissing(llvm::StringRef target) const;
  bool hasOwnParameters(llvm::StringRef module) const;
  void report(llvm::StringRef module, llvm::StringRef source, llvm::StringRef leaf);

  const FxNode &fx;
  const ExportedModule &exported;
  const TracedGraph &traced;
  InitializerEdits &edits;
  Derived derived;
  std::vector<std::string> &contradictions;
};

/// Returns whether the fx node names the value, or computes it itself.
bool Twins::isNamed(llvm::StringRef value) const {
  if (fx.reads(value))
    return true;
  const onnx::NodeProto *node = traced.producers.lookup(value);
  std::optional<FxNode> producer = node ? findFxNode(*node) : std::nullopt;
  return producer && (producer->name == fx.name || fx.reads(producer->name));
}

/// Returns whether the file has no such parameter of the module, and no fx node names it.
bool Twins::isMissing(llvm::StringRef target) const {
  llvm::StringRef placeholder = exported.placeholderOf(target);
  return !placeholder.empty() && !edits.has(target) &&
         llvm::none_of(traced.traced,
                       [&](const FxNode &reader) { return reader.reads(placeholder); });
}

/// Returns whether an fx node reads a parameter of the module.
bool Twins::hasOwnParameters(llvm::StringRef module) const {
  return llvm::any_of(exported.parameters(), [&](const ExportedTensor &parameter) {
    return isWithin(splitTarget(parameter.target).first, module) &&
           llvm::any_of(traced.traced,
                        [&](const FxNode &reader) { return reader.reads(parameter.placeholder); });
  });
}

/// Reports the missing parameters of `module` that may be merged with `source`: those called
/// `leaf`, or all if it is empty.
void Twins::report(llvm::StringRef module, llvm::StringRef source, llvm::StringRef leaf) {
  for (const ExportedTensor &parameter : exported.parameters()) {
    auto [owner, name] = splitTarget(parameter.target);
    if ((leaf.empty() || leaf == name) && isWithin(owner, module) && isMissing(parameter.target)) {
      std::string text = ("'" + parameter.target + "' may be merged with '" + source + "'").str();
      if (!llvm::is_contained(contradictions, text))
        contradictions.push_back(text);
    }
  }
}

/// Restores the parameter whose value an operand of a node should be. If the operand is a parameter
/// itself, an op that moves nothing was removed behind the other one, whose shape is unknown.
void Twins::restore(onnx::NodeProto &node, int position) {
  std::string value = node.input(position);
  llvm::StringRef source = derived.findSource(value);
  if (source.empty() || isNamed(value) || fx.reads(exported.placeholderOf(source)))
    return;
  auto [owner, leaf] = splitTarget(source);
  std::optional<llvm::StringRef> module = findModule(node);
  if (module && isWithin(owner, *module))
    return;
  if (source == value) {
    if (module && findRewriteRule(node).empty())
      report(*module, source, "");
    return;
  }
  std::string copy;
  if (module && hasOwnParameters(*module)) {
    std::string own = (*module + "." + leaf).str();
    if (isMissing(own) || edits.has(own))
      copy = copyForTwin(value, own, exported, traced, edits);
  }
  if (!copy.empty())
    node.set_input(position, copy);
  else if (!edits.isReplaced(value)) // others are reported as missing
    report(module.value_or(""), source, leaf);
}

} // namespace

std::string copyForTwin(llvm::StringRef value, llvm::StringRef target,
                        const ExportedModule &exported, const TracedGraph &traced,
                        InitializerEdits &edits) {
  Derived derived(exported, traced, edits);
  llvm::StringRef source = derived.findSource(value);
  if (source.empty() || !edits.addTwin(target, source))
    return "";
  return derived.copy(value, target);
}

void restoreTwins(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
                  InitializerEdits &edits, std::vector<std::string> &contradictions) {
  Twins twins(fx, exported, traced, edits, contradictions);
  for (onnx::NodeProto *node : traced.nodesOf(fx))
    for (int position = 0; position < node->input_size(); ++position)
      twins.restore(*node, position);
}

} // namespace pcc::import
