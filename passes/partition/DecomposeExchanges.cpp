// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DecomposeExchanges: splits exchanges between neighbors into block exchanges, which the runtime
// has. Drops mirrors, which have no meaning once gradients exist. Assumes functions of one rank's
// types. Leaves only collectives that have an instruction.
//
// A neighbor_exchange of several tensors stays one message for each pair of ranks: its inputs are
// concatenated, and the results are cut out of the received elements.
#include "dialects/dist/Neighbors.h"
#include "dialects/graph/Graph.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/partition/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

namespace pcc::partition {

#define GEN_PASS_DEF_DECOMPOSEEXCHANGES
#include "passes/partition/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Tensors of one element type, one after the other, with the offset of each.
struct Packed {
  Type element;
  int64_t size = 0;
  llvm::DenseMap<unsigned, int64_t> begin; ///< by index of the tensor

  Packed(Type element, ValueRange tensors) : element(element) {
    for (auto [index, tensor] : llvm::enumerate(tensors))
      if (typeOf(tensor).getElementType() == element) {
        begin[index] = size;
        size += typeOf(tensor).getNumElements();
      }
  }
};

class NeighborExchange {
public:
  explicit NeighborExchange(dist::NeighborExchangeOp op)
      : op(op), builder(op.getLoc(), op.getOperation()) {}

  void decompose() {
    SmallVector<Value> results(op.getNumResults());
    llvm::SetVector<Type> elements;
    for (Value result : op.getResults())
      elements.insert(typeOf(result).getElementType());
    for (Type element : elements)
      exchange(element, results);
    op.replaceAllUsesWith(results);
    op.erase();
  }

private:
  void exchange(Type element, MutableArrayRef<Value> results) {
    Packed sent(element, op.getInputs()), received(element, op.getResults());
    auto table = dist::TableAttr::get(builder.getContext(), makeMoves(sent, received));
    Value all;
    // Booleans cannot be added to zeros: they travel as integers.
    Type carrier = element.isInteger(1) ? builder.getI8Type() : element;
    if (!table.getRows().empty())
      all = dist::BlockExchangeOp::create(builder, RankedTensorType::get({received.size}, carrier),
                                          pack(sent, carrier), table, op.getGroupAttr(),
                                          /*adding=*/true);
    for (auto [index, begin] : received.begin)
      results[index] = unpack(all, typeOf(op.getResult(index)), begin);
  }

  dist::BoxMoves makeMoves(const Packed &sent, const Packed &received) {
    dist::BoxMoves moves;
    for (int64_t position = 0, end = op.getReceive().getRows().size(); position < end; ++position)
      for (unsigned result = 0; result < op.getNumResults(); ++result) {
        int64_t size = typeOf(op.getResult(result)).getNumElements();
        std::optional<unsigned> input = dist::findSentInput(op, position, result);
        if (!received.begin.contains(result) || !input || size == 0)
          continue;
        int64_t source = op.getReceive().getRows()[position][result];
        moves.push_back(
            {position, source, sent.begin.lookup(*input), size, received.begin.lookup(result)});
      }
    return moves;
  }

  Value pack(const Packed &sent, Type carrier) {
    SmallVector<Value> rows;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      if (!sent.begin.contains(index))
        continue;
      auto flat = RankedTensorType::get({typeOf(input).getNumElements()}, sent.element);
      Value row = graph::ReshapeOp::create(builder, flat, input);
      rows.push_back(castTo(row, carrier));
    }
    return rows.size() == 1 ? rows.front()
                            : Value(graph::ConcatOp::create(builder, rows, /*axis=*/0));
  }

  /// Returns the elements from `begin` on as a value of `type`; zeros if nothing is received.
  Value unpack(Value all, RankedTensorType type, int64_t begin) {
    if (!all)
      return graph::ConstantOp::create(builder, type, 0.0);
    auto row = RankedTensorType::get({type.getNumElements()}, typeOf(all).getElementType());
    Value slice = graph::SliceOp::create(builder, row, all, /*axis=*/0, begin);
    return graph::ReshapeOp::create(builder, type, castTo(slice, type.getElementType()));
  }

  Value castTo(Value value, Type element) {
    if (typeOf(value).getElementType() == element)
      return value;
    return graph::CastOp::create(builder, typeOf(value).clone(element), value);
  }

  dist::NeighborExchangeOp op;
  ImplicitLocOpBuilder builder;
};

void decompose(dist::NeighborExchangeV2Op op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op.getOperation());
  auto table = dist::TableAttr::get(builder.getContext(), dist::getMoves(op));
  Value exchanged = dist::BlockExchangeOp::create(builder, op.getType(), op.getInput(), table,
                                                  op.getGroupAttr(), /*adding=*/true);
  op.replaceAllUsesWith(exchanged);
  op.erase();
}

struct DecomposeExchanges : impl::DecomposeExchangesBase<DecomposeExchanges> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([](dist::NeighborExchangeOp op) { NeighborExchange(op).decompose(); })
          .Case([](dist::NeighborExchangeV2Op op) { decompose(op); })
          .Case([](dist::MirrorOp op) {
            op.replaceAllUsesWith(op.getInput());
            op.erase();
          });
    });
  }
};

} // namespace
} // namespace pcc::partition
