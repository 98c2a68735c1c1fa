// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of the module has four parameters for each direction, and its ONNX node has three inputs
// for all directions. The rows of each gate are a block.
//
//   module                                          ONNX
//   weight_ih_l0 [4H, I]    gates i, f, g, o        W [D, 4H, I]   gates i, o, f, g
//   weight_hh_l0 [4H, H]                            R [D, 4H, H]
//   bias_ih_l0, bias_hh_l0 [4H]                     B [D, 8H]      both, one after the other
//
// The parameters get the blocks back in the module's order. A Split, a Concat and a Reshape compute
// the input from them. Inputs that are no initializers are computed by nodes of the file.
#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/restore/RestorationSteps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Positions of an input of the ONNX node, and of the parameters of a direction that it holds.
struct Packed {
  int input;
  llvm::SmallVector<size_t, 2> members;
};

class Recurrence {
public:
  Recurrence(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
             InitializerEdits &edits)
      : fx(fx), exported(exported), edits(edits) {
    bool isLstm = fx.operation.starts_with("aten.lstm.input");
    if (!isLstm && !fx.operation.starts_with("aten.gru.input"))
      return;
    gates = isLstm ? llvm::SmallVector<size_t>{0, 3, 1, 2} : llvm::SmallVector<size_t>{1, 0, 2};
    llvm::copy_if(traced.nodesOf(fx), std::back_inserter(layers), [&](const onnx::NodeProto *node) {
      return node->op_type() == (isLstm ? "LSTM" : "GRU");
    });
  }

  bool run();

private:
  bool readParameters();
  bool restoreInput(size_t layer, const Packed &packed);
  llvm::SmallVector<llvm::StringRef> listMembers(size_t layer, const Packed &packed) const;
  bool addMembers(llvm::ArrayRef<llvm::StringRef> members, const onnx::TensorProto &folded);
  void computeInput(llvm::ArrayRef<llvm::StringRef> members, llvm::StringRef name,
                    llvm::ArrayRef<int64_t> shape);

  const FxNode &fx;
  const ExportedModule &exported;
  InitializerEdits &edits;
  llvm::SmallVector<size_t> gates; ///< of the module, in the order of ONNX
  llvm::SmallVector<onnx::NodeProto *> layers;
  size_t directions = 1, perDirection = 2;
  llvm::SmallVector<llvm::StringRef> targets; ///< parameters of all layers
};

/// Reads the names of the parameters; returns whether the file has a node for each layer.
bool Recurrence::readParameters() {
  if (layers.empty())
    return false;
  const onnx::NodeProto &first = *layers.front();
  for (const onnx::AttributeProto &attribute : first.attribute())
    if (attribute.name() == "direction")
      directions = attribute.s() == "bidirectional" ? 2 : 1;
  perDirection = first.input_size() > 3 && !first.input(3).empty() ? 4 : 2;
  for (llvm::StringRef item : fx.lastList)
    targets.push_back(exported.targetOf(item.ltrim('%')));
  return targets.size() == layers.size() * directions * perDirection &&
         llvm::all_of(targets, [&](auto target) { return exported.isParameter(target); });
}

/// Returns the parameters that an input holds, in its order.
llvm::SmallVector<llvm::StringRef> Recurrence::listMembers(size_t layer,
                                                           const Packed &packed) const {
  llvm::SmallVector<llvm::StringRef> members;
  for (size_t direction = 0; direction < directions; ++direction)
    for (size_t member : packed.members)
      members.push_back(targets[(layer * directions + direction) * perDirection + member]);
  return members;
}

/// Adds the parameters that `folded` holds, each with its gates in the order of the module.
bool Recurrence::addMembers(llvm::ArrayRef<llvm::StringRef> members,
                            const onnx::TensorProto &folded) {
  std::optional<TensorData> data = edits.read(folded);
  if (!data || folded.dims_size() < 2)
    return false;
  size_t rows = folded.dims(0) * folded.dims(1), blocks = members.size() * gates.size();
  if (rows % blocks != 0)
    return false;
  llvm::SmallVector<int64_t> dims(data->type.getShape().drop_front());
  dims.front() = static_cast<int64_t>(rows / members.size());
  size_t block = data->bytes.size() / blocks;
  llvm::ArrayRef<char> rest = data->bytes;
  for (llvm::StringRef target : members) {
    std::string bytes(block * gates.size(), '\0');
    for (size_t gate : gates) {
      std::copy_n(rest.begin(), block, bytes.begin() + static_cast<int64_t>(gate * block));
      rest = rest.drop_front(block);
    }
    if (!edits.addParameter(target, folded, dims, std::move(bytes)))
      return false;
  }
  return true;
}

/// Adds the nodes that compute an input of this name from its parameters.
void Recurrence::computeInput(llvm::ArrayRef<llvm::StringRef> members, llvm::StringRef name,
                              llvm::ArrayRef<int64_t> shape) {
  auto rows = static_cast<int64_t>(shape[0] * shape[1] / (members.size() * gates.size()));
  std::string sizes =
      edits.addIntegers((name + ".gates").str(), llvm::SmallVector<int64_t>(gates.size(), rows));
  llvm::SmallVector<std::string> blocks;
  for (llvm::StringRef target : members) {
    auto nameOf = [&](size_t gate) { return (target + ".gate_" + llvm::Twine(gate)).str(); };
    onnx::NodeProto &split = edits.addNode("Split", {target, sizes}, nameOf(0));
    addAttribute(split, "axis", 0);
    for (size_t gate = 1; gate < gates.size(); ++gate)
      split.add_output(nameOf(gate));
    for (size_t gate : gates)
      blocks.push_back(nameOf(gate));
  }
  std::string joined = (name + ".gates").str();
  addAttribute(edits.addNode("Concat",
                             llvm::SmallVector<llvm::StringRef>(blocks.begin(), blocks.end()),
                             joined),
               "axis", 0);
  edits.addNode("Reshape", {joined, edits.addIntegers(name, shape)}, name);
}

/// Lets the node of a layer read an input that is computed from the parameters of the module.
/// Equal inputs of several layers are one initializer.
bool Recurrence::restoreInput(size_t layer, const Packed &packed) {
  onnx::NodeProto &node = *layers[layer];
  const onnx::TensorProto *folded =
      packed.input < node.input_size() ? edits.find(node.input(packed.input)) : nullptr;
  if (!folded)
    return true;
  llvm::SmallVector<llvm::StringRef> members = listMembers(layer, packed);
  if (!addMembers(members, *folded))
    return false;
  std::string name = (members.front() + ".packed").str();
  if (!edits.computes(name))
    computeInput(members, name,
                 llvm::SmallVector<int64_t>(folded->dims().begin(), folded->dims().end()));
  node.set_input(packed.input, name);
  return true;
}

bool Recurrence::run() {
  if (!readParameters())
    return false;
  const Packed inputs[] = {{1, {0}}, {2, {1}}, {3, {2, 3}}};
  bool areRestored = true;
  for (size_t layer = 0; layer < layers.size(); ++layer)
    for (const Packed &packed : llvm::ArrayRef(inputs).take_front(perDirection == 4 ? 3 : 2))
      areRestored &= restoreInput(layer, packed);
  return areRestored && llvm::all_of(targets, [&](auto target) { return edits.has(target); });
}

} // namespace

bool restoreRecurrent(const FxNode &fx, const ExportedModule &exported, const TracedGraph &traced,
                      InitializerEdits &edits) {
  return Recurrence(fx, exported, traced, edits).run();
}

} // namespace pcc::import
