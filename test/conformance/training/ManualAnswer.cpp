// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/training/Manual.h"

#include "dialects/dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace pcc::conformance {
namespace json = llvm::json;

std::string Collective::str() const {
  std::string text = kind;
  llvm::raw_string_ostream os(text);
  if (!reduction.empty())
    os << " " << reduction;
  for (const std::vector<int64_t> &shape : shapes)
    os << " [" << llvm::interleaved(shape) << "]";
  return text;
}

/// Reads one shape, or a list of shapes.
static std::vector<std::vector<int64_t>> readShapes(const json::Array &out) {
  if (out.empty() || !out.front().getAsArray())
    return {integers(out)};
  std::vector<std::vector<int64_t>> shapes;
  for (const json::Value &shape : out)
    shapes.push_back(integers(*shape.getAsArray()));
  return shapes;
}

std::vector<Collective> collectivesOfAnswer(const Case &question) {
  constexpr llvm::StringLiteral known[] = {
      "AllReduce", "AllGather",        "ReduceScatter",      "Broadcast",
      "AlltoAll",  "NeighborExchange", "NeighborExchangeV2", "NeighborExchangeV2Grad"};
  std::vector<Collective> collectives;
  const json::Array *graph = question.object->getArray("graph");
  for (size_t index = 0; graph && index < graph->size(); ++index) {
    const json::Object &entry = *(*graph)[index].getAsObject();
    llvm::StringRef op = entry.getString("op").value_or("");
    if (llvm::is_contained(known, op))
      collectives.push_back({op.str(), entry.getString("reduce").value_or("").str(),
                             readShapes(*entry.getArray("out"))});
  }
  return collectives;
}

std::pair<StringRef, StringRef> nameOf(Operation *op) {
  using Names = std::pair<StringRef, StringRef>;
  return llvm::TypeSwitch<Operation *, Names>(op)
      .Case([](dist::AllReduceOp op) { return Names("AllReduce", stringify(op.getKind())); })
      .Case([](dist::AllGatherOp) { return Names("AllGather", ""); })
      .Case(
          [](dist::ReduceScatterOp op) { return Names("ReduceScatter", stringify(op.getKind())); })
      .Case([](dist::BroadcastOp) { return Names("Broadcast", ""); })
      .Case([](dist::ReduceOp op) { return Names("Reduce", stringify(op.getKind())); })
      .Case([](dist::AllToAllOp) { return Names("AlltoAll", ""); })
      .Case([](dist::NeighborExchangeOp) { return Names("NeighborExchange", ""); })
      .Case([](dist::NeighborExchangeV2Op) { return Names("NeighborExchangeV2", ""); })
      .Case([](dist::BlockExchangeOp) { return Names("NeighborExchangeV2Grad", ""); })
      .Default([](Operation *) { return Names(); });
}

std::vector<Collective> collectivesOfModule(ModuleOp module) {
  std::vector<Collective> collectives;
  for (StringRef name : {"forward_backward", "update"}) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function)
      continue;
    function.walk([&](Operation *op) {
      auto [kind, reduction] = nameOf(op);
      if (kind.empty())
        return;
      Collective &collective =
          collectives.emplace_back(Collective{kind.str(), reduction.str(), {}});
      for (Type type : op->getResultTypes())
        collective.shapes.push_back(cast<RankedTensorType>(type).getShape().vec());
    });
  }
  return collectives;
}

} // namespace pcc::conformance
