// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Manual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::conformance {
namespace {

using Shape = std::vector<int64_t>;

std::string typeOf(const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

std::string listOf(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream(text) << "[" << llvm::interleaved(numbers) << "]";
  return text;
}

std::string tableOf(const std::vector<Shape> &rows) {
  return llvm::formatv(
      "[{0}]", llvm::join(llvm::map_range(rows, [](const Shape &r) { return listOf(r); }), ", "));
}

class ManualModel {
public:
  explicit ManualModel(const Case &question) : question(question), os(body) {}

  std::string write() {
    std::string arguments, declarations;
    bool hasParameters = !question.parameters.empty();
    for (const NamedShape &parameter : question.parameters)
      addArgument(parameter, "parameter", arguments, declarations);
    for (const NamedShape &input : question.inputs)
      addArgument(input, hasParameters ? "input" : "parameter", arguments, declarations);
    for (const Node &node : question.nodes)
      writeNode(node);
    return "module attributes {dist.mesh = #dist.mesh<d=" + std::to_string(question.devices) +
           ">} {\n" + declarations + "func.func @forward(" + arguments +
           ") -> (tensor<f32> {graph.role = #graph.role<loss>}) attributes {dist.local} {\n" +
           body + "return %" + question.nodes.back().name + " : tensor<f32>\n}\n}\n";
  }

private:
  void addArgument(const NamedShape &tensor, llvm::StringRef role, std::string &arguments,
                   std::string &declarations) {
    std::string type = typeOf(tensor.shape), name = tensor.name;
    arguments += (arguments.empty() ? "%" : ", %") + name + ": " + type +
                 " {graph.role = #graph.role<" + role.str() + " \"" + name + "\">}";
    if (role == "parameter")
      declarations += "graph.parameter @" + name + " : " + type + " init(#graph.init<zeros>)\n";
    shapes[name] = tensor.shape;
  }

  /// Writes an op, with `rest` as the text after its mnemonic, and defines its result.
  void define(const Node &node, llvm::StringRef op, const std::string &rest, const Shape &shape) {
    os << "%" << node.name << " = " << op << rest << "\n";
    shapes[node.name] = shape;
  }

  void writeNode(const Node &node) {
    const Shape &shape = shapes[node.inputs[0]];
    std::string type = typeOf(shape), x = " %" + node.inputs[0];
    if (node.op == "Sigmoid" || node.op == "Tanh")
      return define(node, node.op == "Tanh" ? "graph.tanh" : "graph.sigmoid", x + " : " + type,
                    shape);
    if (node.op == "Mul")
      return define(node, "graph.mul", x + ", %" + node.inputs[1] + " : " + type, shape);
    if (node.op == "ReduceSum")
      return define(node, "graph.reduce",
                    " sum" + x + ", " + listOf(*node.list("axis")) + " : " + type, {});
    writeCollective(node, shape);
  }

  void writeCollective(const Node &node, const Shape &shape) {
    std::string type = typeOf(shape), x = " %" + node.inputs[0], over = groupOf(node);
    int64_t members = node.list("group") ? node.list("group")->size() : question.devices;
    std::string reduce = (" " + node.text("reduce", "sum")).str();
    if (node.op == "AllReduce")
      return define(node, "dist.all_reduce", reduce + x + over + " : " + type, shape);
    if (node.op == "Broadcast")
      return define(node, "dist.broadcast",
                    x + " root = " + std::to_string(positionOf(node)) + over + " : " + type, shape);
    Shape result = shape;
    std::string axes = " axis = 0";
    if (node.op == "AllGather") {
      result[0] *= members;
      return define(node, "dist.all_gather",
                    x + axes + over + " : " + type + " to " + typeOf(result), result);
    }
    if (node.op == "ReduceScatter") {
      result[0] /= members;
      return define(node, "dist.reduce_scatter",
                    reduce + x + axes + over + " : " + type + " to " + typeOf(result), result);
    }
    if (node.op == "AlltoAll")
      return writeAllToAll(node, shape, over);
    if (node.op == "NeighborExchange")
      return writeNeighborExchange(node);
    writeNeighborExchangeV2(node, shape);
  }

  /// The number of blocks is `split_count`, which should be the number of ranks.
  void writeAllToAll(const Node &node, const Shape &shape, const std::string &over) {
    int64_t split = node.number("split_dim"), concat = node.number("concat_dim");
    Shape result = shape;
    result[split] /= node.number("split_count");
    result[concat] *= node.number("split_count");
    define(node, "dist.all_to_all",
           " %" + node.inputs[0] + " split = " + std::to_string(split) + " concat = " +
               std::to_string(concat) + over + " : " + typeOf(shape) + " to " + typeOf(result),
           result);
  }

  /// Returns the neighbors of every rank: those of rank 0, shifted around the ring of all ranks.
  std::string ring(const Shape &ranks) const {
    std::vector<Shape> rows;
    for (int64_t rank = 0; rank < question.devices; ++rank) {
      Shape &row = rows.emplace_back(ranks);
      for (int64_t &neighbor : row)
        neighbor = neighbor < 0 ? -1 : (neighbor + rank) % question.devices;
    }
    return tableOf(rows);
  }

  void writeNeighborExchange(const Node &node) {
    std::string inputs, inputTypes, resultTypes;
    for (const std::string &input : node.inputs) {
      inputs += (inputs.empty() ? " %" : ", %") + input;
      inputTypes += (inputTypes.empty() ? "" : ", ") + typeOf(shapes[input]);
    }
    for (const llvm::json::Value &shape : *node.attributes->getArray("recv_shapes"))
      resultTypes += (resultTypes.empty() ? "" : ", ") + typeOf(integers(*shape.getAsArray()));
    Shape first = integers(*node.attributes->getArray("recv_shapes")->front().getAsArray());
    int64_t count = node.attributes->getArray("recv_shapes")->size();
    os << "%" << node.name << "_all:" << count << " = dist.neighbor_exchange" << inputs << " send "
       << ring(*node.list("send")) << " receive " << ring(*node.list("recv")) << " : ("
       << inputTypes << ") -> (" << resultTypes << ")\n";
    // Nodes read the first result by the name of the node.
    define(node, "graph.reshape",
           " %" + node.name + "_all#0 : " + typeOf(first) + " to " + typeOf(first), first);
  }

  /// Writes an exchange with the neighbors of rank 0; each neighbor sends to rank 0 from the facing
  /// side.
  void writeNeighborExchangeV2(const Node &node, const Shape &shape) {
    constexpr int64_t directions = 8;
    Shape send = *node.list("send"), receive = *node.list("recv");
    Shape sendWidths = *node.list("send_lens"), receiveWidths = *node.list("recv_lens");
    std::vector<Shape> sends(question.devices, Shape(directions, -1)), receives = sends;
    sends[0] = send;
    receives[0] = receive;
    for (int64_t direction = 0; direction < directions; ++direction)
      if (int64_t source = receive[direction]; source >= 0)
        sends[source][(direction + directions / 2) % directions] = 0;
    // A neighbor sends from its opposite side the width that rank 0 receives.
    for (auto [side, opposite] : {std::pair(0, 1), {1, 0}, {2, 3}, {3, 2}})
      sendWidths[opposite] = std::max(sendWidths[opposite], receiveWidths[side]);
    Shape result = shape;
    result[2] += receiveWidths[0] + receiveWidths[1];
    result[3] += receiveWidths[2] + receiveWidths[3];
    define(node, "dist.neighbor_exchange_v2",
           " %" + node.inputs[0] + " send " + tableOf(sends) + " " + listOf(sendWidths) +
               " receive " + tableOf(receives) + " " + listOf(receiveWidths) + " : " +
               typeOf(shape) + " to " + typeOf(result),
           result);
  }

  /// Returns the node's group, and further groups of its size for the other ranks.
  std::string groupOf(const Node &node) const {
    std::optional<Shape> group = node.list("group");
    if (!group)
      return "";
    std::vector<Shape> lists = {*group};
    for (int64_t rank = 0; rank < question.devices; ++rank) {
      if (llvm::is_contained(*group, rank))
        continue;
      if (lists.size() == 1 || lists.back().size() == group->size())
        lists.emplace_back();
      lists.back().push_back(rank);
    }
    return " over <ranks " + tableOf(lists) + ">";
  }

  /// Returns the root's position in the group; MindSpore gives its rank.
  int64_t positionOf(const Node &node) const {
    int64_t root = node.number("root");
    std::optional<Shape> group = node.list("group");
    return group ? llvm::find(*group, root) - group->begin() : root;
  }

  const Case &question;
  std::string body;
  llvm::raw_string_ostream os;
  llvm::StringMap<Shape> shapes;
};

} // namespace

std::string makeManualModel(const Case &question) { return ManualModel(question).write(); }

} // namespace pcc::conformance
