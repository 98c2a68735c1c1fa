// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the ops of a function of one block in order. Values are dropped after their last use.
// Each result is rounded once; runs that measure tolerances also move values before and after an op
// (MoveByRounding.h).
#include "compiler/interpret/rank/Rank.h"

#include "compiler/interpret/rank/Registry.h"
#include "compiler/values/TensorAttr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Maximum depth of calls; deeper calls mean that a function calls itself.
constexpr int maxCallDepth = 64;

} // namespace

class Rank::Frame {
public:
  void define(Value value, Tensor tensor) {
    if (int64_t uses = std::distance(value.use_begin(), value.use_end()))
      values.try_emplace(value, Entry{std::move(tensor), uses});
  }

  /// Returns the value, and drops it after its last use.
  Tensor use(Value value) {
    auto entry = values.find(value);
    Tensor tensor = entry->second.tensor;
    if (--entry->second.uses == 0)
      values.erase(entry);
    return tensor;
  }

private:
  struct Entry {
    Tensor tensor;
    int64_t uses; ///< remaining uses
  };
  llvm::DenseMap<Value, Entry> values;
};

FailureOr<llvm::SmallVector<Tensor>> Rank::call(func::FuncOp function,
                                                llvm::ArrayRef<Tensor> arguments) {
  if (function.isDeclaration())
    return fail(function.getLoc(), "function \"" + function.getName() + "\" has no body");
  if (depth == maxCallDepth)
    return fail(function.getLoc(), "calls nest deeper than " + llvm::Twine(maxCallDepth));
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Frame frame;
  for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments))
    frame.define(argument, tensor);
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(evaluate(op, frame)))
      return failure();
  Operation *end = body.getTerminator();
  if (!isa<func::ReturnOp>(end))
    return fail(end->getLoc(), "expected a function that ends in \"func.return\", got \"" +
                                   end->getName().getStringRef() + "\"");
  llvm::SmallVector<Tensor> results;
  for (Value value : end->getOperands())
    results.push_back(frame.use(value));
  return results;
}

LogicalResult Rank::evaluate(Operation &op, Frame &frame) {
  llvm::SmallVector<Tensor, 4> operands;
  for (Value operand : op.getOperands())
    operands.push_back(frame.use(operand));
  llvm::SmallVector<Tensor, 2> results;
  const OpFunction *compute = Registry::get().lookup(op.getName().getStringRef());
  if (!compute)
    return fail(op.getLoc(),
                "the interpreter does not know op \"" + op.getName().getStringRef() + "\"");
  if (roundings)
    roundings->moveTerms(&op, operands);
  OpCall call{&op, operands, results, *this};
  if (failed((*compute)(call)))
    return failure();
  if (roundings)
    roundings->moveResults(&op, results);
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results)) {
    assert(hasType(tensor, cast<RankedTensorType>(value.getType())));
    frame.define(value, tensor.rounded(precision));
  }
  return success();
}

FailureOr<std::shared_ptr<Rendezvous>> Rank::exchange(Operation *op, llvm::ArrayRef<int64_t> group,
                                                      int64_t position, llvm::StringRef channel,
                                                      Contribution contribution) {
  waitingOp = op;
  std::shared_ptr<Rendezvous> point = table.post(group, position, channel, std::move(contribution));
  if (failed(table.wait(index, *point)))
    return failure();
  return point;
}

LogicalResult Rank::fail(Location location, const llvm::Twine &message) {
  if (!failedAt) {
    failedAt = location;
    reason = message.str();
  }
  return failure();
}

} // namespace pcc::interpret
