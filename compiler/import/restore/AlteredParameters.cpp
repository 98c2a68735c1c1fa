// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the parameters of the module with the file's initializers, and the operands of traced
// nodes with those of ONNX nodes. A parameter without an initializer is merged, removed or
// unexplained (checkMissing). One with initializers may be folded or split (checkFolded). Last,
// intact parameters may replace another constant (checkPresent).
#include "compiler/import/restore/ExporterChanges.h"

#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace pcc::import {
namespace {

/// Returns whether an fx node or initializer of this name only has moved elements: the exporter
/// names both after the torch operator.
bool isRearrangement(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "permute", "transpose", "t",         "numpy_t", "view",  "_unsafe_view", "reshape",
      "squeeze", "unsqueeze", "unflatten", "flatten", "clone", "contiguous",   "detach"};
  return llvm::is_contained(names, baseName(name));
}

/// Returns whether the operator of the fx node transposes a weight before it multiplies by it.
bool isMatmul(const FxNode &fx) {
  static constexpr llvm::StringLiteral names[] = {"aten.linear.", "aten.addmm.", "aten.mm.",
                                                  "aten.matmul.", "aten.bmm.",   "aten.baddbmm."};
  return llvm::any_of(names, [&](llvm::StringRef name) { return fx.operation.starts_with(name); });
}

/// Returns whether a torch operator may leave no op in the file, so that its readers read its
/// operand.
bool isTransparent(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"alias",    "dropout", "lift_fresh_copy",
                                                  "_to_copy", "to",      "type_as"};
  return isRearrangement(name) || llvm::is_contained(names, baseName(name));
}

/// Returns whether the exporter's optimizer made the node from several ones. It names only one fx
/// node. The rule that removes a bias of zeros joins no nodes.
bool joinsNodes(const onnx::NodeProto &node) {
  llvm::StringRef rule = findRewriteRule(node);
  return !rule.empty() && !rule.starts_with("RemoveOptionalBias");
}

class AlterationFinder {
public:
  AlterationFinder(const onnx::GraphProto &graph, int64_t opset, const ExportedModule &exported,
                   const Restored &restored);

  std::vector<std::string> run();

private:
  struct Reader {
    const onnx::NodeProto *node;
    std::optional<FxNode> fx;
  };

  void checkFolded(const ExportedTensor &parameter, llvm::ArrayRef<llvm::StringRef> copies);
  void checkMissing(const ExportedTensor &parameter);
  void checkPresent(const ExportedTensor &parameter);
  llvm::SmallVector<llvm::StringRef> findCopies(llvm::StringRef target) const;
  bool isRearranged(llvm::StringRef initializer, llvm::StringRef target) const;
  bool isResolved(llvm::StringRef fxName) const;
  bool isStandIn(const ExportedTensor &parameter, const Reader &reader) const;
  bool mayBeNeutral(const ExportedTensor &parameter) const;
  bool isTied(const ExportedTensor &parameter) const;
  void findMergedNodes();
  void addMergedNode(llvm::StringRef lost, llvm::StringRef kept);
  llvm::StringRef nameProducer(llvm::StringRef value) const;
  void addMergedValue(const FxNode &reader, llvm::StringRef lost, llvm::StringRef value);
  llvm::SmallVector<llvm::StringRef> findTensorsBehind(llvm::StringRef fxName) const;
  void collect(const FxNode &fx, llvm::SmallVectorImpl<llvm::StringRef> &found,
               llvm::SetVector<llvm::StringRef> &next) const;
  bool lacksMetadata() const;
  llvm::StringRef findStandIn(const FxNode &fx, llvm::StringRef placeholder) const;
  void add(const ExportedTensor &parameter, const llvm::Twine &what) {
    found.push_back(("'" + parameter.target + "' " + what).str());
  }

  const onnx::GraphProto &graph;
  const ExportedModule &exported;
  const Restored &restored;
  std::vector<std::string> lostArithmetic; ///< modules in which ops were removed
  std::vector<Reader> readers;             ///< all nodes
  llvm::StringMap<llvm::SmallVector<const Reader *>> readersOf; ///< by value
  llvm::StringSet<> initializers, floats;     ///< that nodes read; of a type that can be trained
  llvm::StringSet<> values;                   ///< results of nodes, and names of their fx nodes
  llvm::StringSet<> statistics;               ///< inputs that an operator takes as states
  llvm::StringSet<> shared;                   ///< initializers that replace missing parameters
  llvm::StringMap<const FxNode *> traced;     ///< fx nodes by name
  llvm::StringMap<const FxNode *> producerOf; ///< fx nodes by ONNX value
  llvm::StringMap<const Reader *> computedBy; ///< by ONNX value
  llvm::StringMap<llvm::SmallVector<const Reader *>> nodesOf; ///< by name of the fx node
  /// For each last part of a tensor's name (`weight`), which node of the module may have read such
  /// a tensor before it was merged: "'layer_norm_1', which is merged with 'layer_norm'". The empty
  /// name stands for any tensor.
  llvm::StringMap<std::string> mergedReaders;
  /// The same for each parameter that was restored as an equal one of such a tensor.
  llvm::StringMap<std::string> mergedTwins;
  std::vector<std::string> found;
};

AlterationFinder::AlterationFinder(const onnx::GraphProto &graph, int64_t opset,
                                   const ExportedModule &exported, const Restored &restored)
    : graph(graph), exported(exported), restored(restored),
      lostArithmetic(findLostArithmetic(graph, exported)) {
  for (const onnx::NodeProto &node : graph.node())
    readers.push_back({&node, findFxNode(node)});
  for (const Reader &reader : readers) {
    const Operator *row = findOperator(reader.node->op_type(), opset);
    for (auto [position, name] : llvm::enumerate(reader.node->input())) {
      readersOf[name].push_back(&reader);
      if (row && row->states >> std::min<size_t>(position, 31) & 1)
        statistics.insert(name);
    }
    for (const std::string &name : reader.node->output()) {
      values.insert(name);
      computedBy[name] = &reader;
    }
    if (reader.fx) {
      nodesOf[reader.fx->name].push_back(&reader);
      values.insert(reader.fx->name);
      traced[reader.fx->name] = &*reader.fx;
      for (const std::string &name : reader.node->output())
        producerOf[name] = &*reader.fx;
    }
  }
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (readersOf.contains(tensor.name())) {
      initializers.insert(tensor.name());
      if (canBeTrained(tensor))
        floats.insert(tensor.name());
    }
  findMergedNodes();
}

/// Returns whether the file still has the value that fx nodes call by this name.
bool AlterationFinder::isResolved(llvm::StringRef fxName) const {
  return exported.inputs().contains(fxName) || values.contains(fxName) ||
         initializers.contains(fxName);
}

/// Returns whether the optimizer removed an op that could have read the parameter, a zero or a one.
bool AlterationFinder::mayBeNeutral(const ExportedTensor &parameter) const {
  return llvm::any_of(lostArithmetic, [&](llvm::StringRef module) {
    return isWithin(splitTarget(parameter.target).first, module);
  });
}

/// Returns whether the parameter is one tensor with a parameter of another module: whether its own
/// module reads that one under the same name.
bool AlterationFinder::isTied(const ExportedTensor &parameter) const {
  auto [module, leaf] = splitTarget(parameter.target);
  auto readsOther = [&, leaf = leaf, module = module](llvm::StringRef argument) {
    llvm::StringRef target = exported.targetOf(argument);
    auto [owner, name] = splitTarget(target);
    return exported.isParameter(target) && name == leaf && !isWithin(owner, module);
  };
  return llvm::any_of(readers, [&, module = module](const Reader &reader) {
    return reader.fx && findModule(*reader.node) == module &&
           llvm::any_of(reader.fx->arguments, readsOther);
  });
}

/// Adds the parameters that the nodes of an fx node read to `found`, and the fx nodes that compute
/// their other inputs to `next`. Nodes of no fx node, such as splits, are part of their readers.
void AlterationFinder::collect(const FxNode &fx, llvm::SmallVectorImpl<llvm::StringRef> &found,
                               llvm::SetVector<llvm::StringRef> &next) const {
  llvm::SetVector<llvm::StringRef> inputs;
  for (const Reader *reader : nodesOf.lookup(fx.name))
    inputs.insert_range(reader->node->input());
  for (size_t position = 0; position < inputs.size(); ++position) {
    llvm::StringRef value = inputs[position];
    const Reader *producer = computedBy.lookup(value);
    if (exported.isParameter(value))
      found.push_back(value);
    if (producer && producer->fx)
      next.insert(producer->fx->name);
    else if (producer)
      inputs.insert_range(producer->node->input());
  }
}

/// Returns the tensors of the module that the fx node reads. If it reads none, returns those of the
/// nearest nodes before it.
llvm::SmallVector<llvm::StringRef>
AlterationFinder::findTensorsBehind(llvm::StringRef fxName) const {
  llvm::SmallVector<llvm::StringRef> found;
  llvm::SetVector<llvm::StringRef> visited;
  visited.insert(fxName);
  for (size_t next = 0; next < visited.size(); ++next) {
    const FxNode *fx = traced.lookup(visited[next]);
    if (!fx)
      continue;
    size_t before = found.size();
    llvm::SetVector<llvm::StringRef> sources;
    sources.insert_range(fx->arguments);
    for (llvm::StringRef argument : fx->arguments)
      if (exported.isTensor(argument))
        found.push_back(exported.targetOf(argument));
    collect(*fx, found, sources);
    if (found.size() == before)
      visited.insert_range(sources);
  }
  return found;
}

/// Notes that the fx node `lost` was removed, because `kept` computes the same.
void AlterationFinder::addMergedNode(llvm::StringRef lost, llvm::StringRef kept) {
  if (kept == lost || baseName(kept) != baseName(lost))
    return;
  std::string text = ("'" + lost + "', which is merged with '" + kept + "'").str();
  if (!traced.contains(kept)) {
    if (exported.isFoldedParameter(kept))
      mergedReaders.try_emplace("", text);
    return;
  }
  for (llvm::StringRef target : findTensorsBehind(kept)) {
    if (exported.isParameter(target))
      mergedReaders.try_emplace(splitTarget(target).second, text);
    for (const auto &[added, other] : restored.twins)
      if (other == target)
        mergedTwins.try_emplace(added, text);
  }
}

/// Returns the name of the fx node that computes `value`, or its own name if none does.
llvm::StringRef AlterationFinder::nameProducer(llvm::StringRef value) const {
  const FxNode *producer = producerOf.lookup(value);
  return producer ? producer->name : value;
}

/// Notes that `reader` reads `value` in place of the result of the fx node `lost`. The value may be
/// the result of a node of the same operator. Or it is an inner value of another fx node like
/// `reader`, which reads the result of such a node.
void AlterationFinder::addMergedValue(const FxNode &reader, llvm::StringRef lost,
                                      llvm::StringRef value) {
  addMergedNode(lost, nameProducer(value));
  const FxNode *producer = producerOf.lookup(value);
  if (producer && producer->name != reader.name && isInner(value))
    for (llvm::StringRef argument : producer->arguments)
      addMergedNode(lost, argument);
}

/// Finds the nodes that the optimizer removed because another node computes the same from equal
/// tensors. Their readers name a value that the file does not have.
void AlterationFinder::findMergedNodes() {
  for (const Reader &reader : readers) {
    if (reader.fx && !joinsNodes(*reader.node))
      for (llvm::StringRef name : reader.fx->arguments)
        if (!isResolved(name))
          for (const std::string &value : reader.node->input())
            if (!reader.fx->reads(value))
              addMergedValue(*reader.fx, name, value);
    // An output that is computed twice is an Identity, or has the name of the removed node.
    for (const std::string &name : reader.node->output())
      if (llvm::is_contained(exported.outputs(), name) && (reader.fx || reader.node->input_size()))
        addMergedNode(name, nameProducer(reader.fx ? name : reader.node->input(0)));
  }
}

/// Returns whether a parameter may be merged or folded although no metadata say so: the nodes have
/// no fx nodes, or an initializer of unknown origin has no `folded_from`.
bool AlterationFinder::lacksMetadata() const {
  if (llvm::none_of(readers, [](const Reader &reader) { return reader.fx.has_value(); }))
    return true;
  auto isUnknown = [&](const onnx::TensorProto &tensor) {
    return tensor.dims_size() > 0 && floats.contains(tensor.name()) &&
           !exported.isTarget(tensor.name());
  };
  return !exported.listsFolded() && llvm::any_of(graph.initializer(), isUnknown);
}

/// Returns whether the initializer holds the elements of the parameter in another order or shape.
bool AlterationFinder::isRearranged(llvm::StringRef initializer, llvm::StringRef target) const {
  if (!isInner(initializer) && !isRearrangement(initializer))
    return false;
  auto multiplies = [](const Reader *reader) { return reader->fx && isMatmul(*reader->fx); };
  if (isInner(initializer) && !llvm::all_of(readersOf.lookup(initializer), multiplies))
    return false;
  bool hasRearrangement = isRearrangement(initializer), hasInner = false;
  for (llvm::StringRef source : exported.foldedFrom(initializer)) {
    if (source == target)
      continue;
    if (!isInner(source) && !isRearrangement(source))
      return false;
    hasInner |= isInner(source);
    hasRearrangement |= isRearrangement(source);
  }
  // Inner values of rearrangements are shapes; inner values of a matmul may be factors.
  return hasRearrangement || (isInner(initializer) && !hasInner);
}

void AlterationFinder::checkFolded(const ExportedTensor &parameter,
                                   llvm::ArrayRef<llvm::StringRef> copies) {
  for (llvm::StringRef copy : copies)
    if (copy != parameter.target && !isRearranged(copy, parameter.target))
      return add(parameter, "is folded into '" + copy + "'");
  if (copies.size() > 1)
    add(parameter, "is stored twice, as '" + copies[0] + "' and '" + copies[1] + "'");
  else if (copies.front() != parameter.target && !restored.lacksData)
    add(parameter, "is folded into '" + copies.front() + "'");
}

/// Returns the initializer that a node reads in place of a missing parameter. Returns "" unless the
/// node has an initializer for each tensor that the fx node reads in the module.
llvm::StringRef AlterationFinder::findStandIn(const FxNode &fx, llvm::StringRef placeholder) const {
  llvm::SmallVector<llvm::StringRef> expected, got;
  llvm::copy_if(fx.arguments, std::back_inserter(expected),
                [&](llvm::StringRef name) { return exported.isTensor(name); });
  for (const Reader &reader : readers)
    if (reader.fx && reader.fx->name == fx.name)
      llvm::copy_if(reader.node->input(), std::back_inserter(got),
                    [&](const std::string &name) { return floats.contains(name); });
  const auto *place = llvm::find(expected, placeholder);
  if (place == expected.end() || expected.size() != got.size())
    return "";
  return got[place - expected.begin()];
}

void AlterationFinder::checkMissing(const ExportedTensor &parameter) {
  for (const Reader &reader : readers) {
    if (!reader.fx || !reader.fx->reads(parameter.placeholder))
      continue;
    llvm::StringRef standIn = findStandIn(*reader.fx, parameter.placeholder);
    if (standIn.empty())
      return add(parameter, "is removed from '" + reader.fx->name + "'");
    shared.insert(standIn);
    return add(parameter, "is merged into '" + standIn + "'");
  }
  if (isTied(parameter))
    return;
  auto reader = mergedReaders.find(splitTarget(parameter.target).second);
  if (reader == mergedReaders.end())
    reader = mergedReaders.find("");
  if (reader != mergedReaders.end())
    add(parameter, "may be a tensor of " + reader->second);
  else if (mayBeNeutral(parameter))
    add(parameter, "is removed");
  else if (lacksMetadata())
    add(parameter, "is missing, and metadata that say why were removed from the file");
}

/// Returns whether the node reads the parameter in the file, but not in the module. Skips rewritten
/// nodes, which have the inputs of several nodes but name only one.
bool AlterationFinder::isStandIn(const ExportedTensor &parameter, const Reader &reader) const {
  if (!reader.fx || reader.fx->reads(parameter.placeholder) ||
      !findRewriteRule(*reader.node).empty())
    return false;
  return llvm::none_of(reader.fx->arguments, [&](llvm::StringRef name) {
    return isTransparent(name) && !isResolved(name);
  });
}

/// Checks whether the parameter also replaces a constant or a buffer of the same values.
void AlterationFinder::checkPresent(const ExportedTensor &parameter) {
  if (auto twin = mergedTwins.find(parameter.target); twin != mergedTwins.end())
    return add(parameter, "may be a tensor of " + twin->second);
  if (statistics.contains(parameter.target))
    return add(parameter, "is merged with running statistics");
  for (const Reader *reader : readersOf.lookup(parameter.target))
    if (isStandIn(parameter, *reader))
      return add(parameter, "is merged with another value that '" + reader->fx->name + "' reads");
}

/// Returns the initializers that hold the parameter, or a value computed from it.
llvm::SmallVector<llvm::StringRef> AlterationFinder::findCopies(llvm::StringRef target) const {
  llvm::SmallVector<llvm::StringRef> copies;
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (floats.contains(tensor.name()) &&
        (tensor.name() == target || llvm::is_contained(exported.foldedFrom(tensor.name()), target)))
      copies.push_back(tensor.name());
  return copies;
}

std::vector<std::string> AlterationFinder::run() {
  llvm::SmallVector<const ExportedTensor *> intact;
  for (const ExportedTensor &parameter : exported.parameters()) {
    llvm::SmallVector<llvm::StringRef> copies = findCopies(parameter.target);
    size_t before = found.size();
    if (copies.empty())
      checkMissing(parameter);
    else
      checkFolded(parameter, copies);
    if (found.size() == before && floats.contains(parameter.target))
      intact.push_back(&parameter);
  }
  for (const ExportedTensor *parameter : intact)
    if (!shared.contains(parameter->target)) // else the other parameter has been reported
      checkPresent(*parameter);
  return std::move(found);
}

} // namespace

std::vector<std::string> findAlteredParameters(const onnx::GraphProto &graph, int64_t opset,
                                               const ExportedModule &exported,
                                               const Restored &restored) {
  return AlterationFinder(graph, opset, exported, restored).run();
}

} // namespace pcc::import
