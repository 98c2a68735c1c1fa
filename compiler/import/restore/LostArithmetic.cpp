// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds where the exporter's graph optimizer removed the addition of a zero or the multiplication
// by a one. The other operand may have been a parameter, which is then missing from the file.
//
// A reader of a removed op still names its result, and reads the op's other operand:
//
//   module          node of the traced graph                          node of the file
//   encoder.embed   %embedding = embedding(%p_head_weight, %tokens)   Gather(…)
//   encoder         %mul = embedding * 1.0                            removed
//   encoder         %add = add(%mul, %embedding_1)                    Add(embedding, …)
//
// The op ran between both nodes, so inside of the innermost module that contains them: `encoder`. A
// module that is called several times does not show this: the op may be in its caller.
#include "compiler/import/exporter/Parameters.h"
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/restore/ExporterChanges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::import {
namespace {

/// Returns whether the exporter's graph optimizer removes an operator whose other operand is a
/// scalar of zero or one.
bool isNeutralizable(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {"mul", "add", "sub", "div", "rsub"};
  return llvm::is_contained(names, baseName(name).rtrim('_'));
}

/// Returns the innermost module that contains both.
llvm::StringRef joinModules(llvm::StringRef first, llvm::StringRef second) {
  while (!isWithin(second, first))
    first = splitTarget(first).first;
  return first;
}

class LostArithmetic {
public:
  LostArithmetic(const onnx::GraphProto &graph, const ExportedModule &exported);

  std::vector<std::string> run();

private:
  bool isLost(llvm::StringRef fxName) const;
  bool isConstant(llvm::StringRef value) const;
  bool isCalledOnce(llvm::StringRef module) const;
  llvm::SetVector<llvm::StringRef> findOperands(const FxNode &fx) const;
  void addReader(const FxNode &fx);

  const ExportedModule &exported;
  llvm::StringMap<FxNode> traced;                                    ///< by name
  llvm::StringMap<llvm::SmallVector<const onnx::NodeProto *>> nodes; ///< by name of their fx node
  llvm::StringMap<const onnx::NodeProto *> producers;                ///< by ONNX value
  llvm::StringSet<> initializers, integers;                          ///< ONNX values
  llvm::SetVector<llvm::StringRef> found;
};

LostArithmetic::LostArithmetic(const onnx::GraphProto &graph, const ExportedModule &exported)
    : exported(exported) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &name : node.output())
      producers[name] = &node;
    if (std::optional<FxNode> fx = findFxNode(node)) {
      traced.try_emplace(fx->name, *fx);
      nodes[fx->name].push_back(&node);
    }
  }
  auto readType = [&](const onnx::ValueInfoProto &value) {
    if (int32_t type = value.type().tensor_type().elem_type(); type != 0 && !canBeTrained(type))
      integers.insert(value.name());
  };
  llvm::for_each(graph.input(), readType);
  llvm::for_each(graph.value_info(), readType);
}

/// Returns whether the result of the fx node is lost: an arithmetic op whose name no input, node or
/// value of the file has.
bool LostArithmetic::isLost(llvm::StringRef fxName) const {
  return isNeutralizable(fxName) && !exported.inputs().contains(fxName) &&
         !traced.contains(fxName) && !producers.contains(fxName) && !initializers.contains(fxName);
}

/// Returns whether the value is absent, an initializer, or computed from an initializer by a node
/// that belongs to no node of the traced graph.
bool LostArithmetic::isConstant(llvm::StringRef value) const {
  const onnx::NodeProto *node = producers.lookup(value);
  return value.empty() || initializers.contains(value) ||
         (node && !findFxNode(*node) && node->input_size() > 0 &&
          initializers.contains(node->input(0)));
}

/// Returns whether the module is known to be called once: it is the whole model, or exactly one
/// node of the traced graph reads some parameter of the module.
bool LostArithmetic::isCalledOnce(llvm::StringRef module) const {
  return module.empty() || llvm::any_of(exported.parameters(), [&](const ExportedTensor &own) {
           return isWithin(splitTarget(own.target).first, module) &&
                  llvm::count_if(traced, [&](const auto &entry) {
                    return entry.getValue().reads(own.placeholder);
                  }) == 1;
         });
}

/// Returns the values that the nodes of the fx node read, but that it neither names nor
/// computes. Each is the operand of a removed op, or of several.
llvm::SetVector<llvm::StringRef> LostArithmetic::findOperands(const FxNode &fx) const {
  llvm::SetVector<llvm::StringRef> operands;
  for (const onnx::NodeProto *node : nodes.lookup(fx.name))
    for (llvm::StringRef value : node->input()) {
      const onnx::NodeProto *producer = producers.lookup(value);
      std::optional<FxNode> source = producer ? findFxNode(*producer) : std::nullopt;
      if (!isConstant(value) && !fx.reads(value) && (!source || source->name != fx.name))
        operands.insert(value);
    }
  return operands;
}

/// Adds the module of the ops whose results the fx node reads in the traced graph, but not in the
/// file.
void LostArithmetic::addReader(const FxNode &fx) {
  auto count = llvm::count_if(fx.arguments, [&](llvm::StringRef name) { return isLost(name); });
  llvm::SetVector<llvm::StringRef> operands = findOperands(fx);
  bool matchesOneToOne = count == static_cast<int64_t>(operands.size());
  auto isInteger = [&](llvm::StringRef value) { return integers.contains(value); };
  if (count == 0 || (matchesOneToOne && llvm::all_of(operands, isInteger)))
    return;
  std::optional<llvm::StringRef> module = findModule(*nodes.lookup(fx.name).front());
  for (llvm::StringRef value : operands) {
    const onnx::NodeProto *producer = producers.lookup(value);
    std::optional<llvm::StringRef> other = producer ? findModule(*producer) : std::nullopt;
    module = module && other ? std::optional(joinModules(*module, *other)) : std::nullopt;
  }
  llvm::StringRef inside = matchesOneToOne ? module.value_or("") : "";
  while (!isCalledOnce(inside))
    inside = splitTarget(inside).first;
  found.insert(inside);
}

std::vector<std::string> LostArithmetic::run() {
  // When the optimizer removes the last op, the value before it gets the op's name.
  for (llvm::StringRef name : exported.outputs())
    if (isNeutralizable(name) && !traced.contains(name))
      found.insert("");
  for (const auto &entry : traced)
    addReader(entry.getValue());
  return std::vector<std::string>(found.begin(), found.end());
}

} // namespace

std::vector<std::string> findLostArithmetic(const onnx::GraphProto &graph,
                                            const ExportedModule &exported) {
  return LostArithmetic(graph, exported).run();
}

} // namespace pcc::import
