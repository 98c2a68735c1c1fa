// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the range of integers that an input may hold. The importer and RecordInputRanges record
// the ranges of labels and indices. The linker writes them to the program, which checks its data
// against them (runtime/data/batches/CheckValues.cpp).
//
// restrictInput traces a value back through reshapes, transposes, broadcasts, integer casts and the
// wrapping of negative indices. If the trace ends at an input, it records the given range,
// intersected with the range that is recorded already. An empty intersection is not recorded.
#include "dialects/graph/ModuleFacts.h"

#include "dialects/graph/Roles.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace pcc::graph {
namespace {

/// An input, and the number of rows from whose end negative indices count; 0: they do not.
struct Source {
  BlockArgument input;
  int64_t wrappedRows = 0;
};

/// Returns the integer that all elements of a constant have.
std::optional<int64_t> splatOf(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return splatOf(broadcast.getInput());
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      !elements.getElementType().isInteger())
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

/// Matches `x < 0 ? x + n : x` and returns x and n; a null value for another op.
std::pair<Value, int64_t> matchWrap(SelectOp op) {
  auto isNegative = op.getPredicate().getDefiningOp<CompareOp>();
  auto wrapped = op.getOnTrue().getDefiningOp<AddOp>();
  Value x = op.getOnFalse();
  if (!isNegative || isNegative.getDirection() != Direction::LT || isNegative.getLhs() != x ||
      splatOf(isNegative.getRhs()) != 0 || !wrapped || wrapped.getLhs() != x)
    return {};
  std::optional<int64_t> rows = splatOf(wrapped.getRhs());
  return rows ? std::pair(x, *rows) : std::pair(Value(), int64_t(0));
}

/// Returns the operand whose elements, and no others, `op` has; null for another op.
Value rearranged(Operation *op) {
  if (isa<ReshapeOp, TransposeOp, BroadcastOp>(op))
    return op->getOperand(0);
  auto cast = dyn_cast<CastOp>(op);
  bool isInteger = cast && getElementTypeOrSelf(cast.getInput()).isInteger();
  return isInteger ? Value(cast.getInput()) : Value();
}

/// Traces `value` back to the input from which it is made.
std::optional<Source> trace(Value value) {
  Source source;
  while (Operation *op = value.getDefiningOp()) {
    auto select = dyn_cast<SelectOp>(op);
    auto [index, rows] = select ? matchWrap(select) : std::pair(rearranged(op), int64_t(0));
    if (!index || (rows != 0 && source.wrappedRows != 0))
      return std::nullopt;
    source.wrappedRows = std::max(source.wrappedRows, rows);
    value = index;
  }
  source.input = cast<BlockArgument>(value);
  return source;
}

IntegerRange intersect(const IntegerRange &a, const IntegerRange &b) {
  IntegerRange both{std::max(a.least, b.least), std::min(a.greatest, b.greatest), std::nullopt};
  for (std::optional<int64_t> ignored : {a.ignored, b.ignored})
    if (ignored && a.contains(*ignored) && b.contains(*ignored))
      both.ignored = ignored;
  return both;
}

IntegerRange rangeOf(DenseI64ArrayAttr attribute) {
  ArrayRef<int64_t> numbers = attribute.asArrayRef();
  return {numbers[0], numbers[1], numbers.size() > 2 ? std::optional(numbers[2]) : std::nullopt};
}

/// Returns the entry of an input in the attribute of `module`; null if there is none.
DenseI64ArrayAttr findEntry(ModuleOp module, StringRef input) {
  auto ranges = module->getAttrOfType<DictionaryAttr>(inputRangesAttrName);
  auto entry = ranges ? ranges.getAs<DenseI64ArrayAttr>(input) : DenseI64ArrayAttr();
  return entry && entry.size() >= 2 ? entry : DenseI64ArrayAttr();
}

} // namespace

void restrictInput(Value value, IntegerRange range) {
  std::optional<Source> source = trace(value);
  auto function =
      source ? dyn_cast<FunctionOpInterface>(source->input.getOwner()->getParentOp()) : nullptr;
  RoleAttr role = function ? getArgRole(function, source->input.getArgNumber()) : RoleAttr();
  auto module = function ? function->getParentOfType<ModuleOp>() : ModuleOp();
  if (!module || !role || role.getKind() != RoleKind::Input || getName(role).empty() ||
      getElementTypeOrSelf(source->input.getType()).isInteger(1))
    return;
  if (source->wrappedRows != 0)
    range.least -= source->wrappedRows;
  StringRef name = getName(role);
  if (DenseI64ArrayAttr known = findEntry(module, name))
    range = intersect(rangeOf(known), range);
  if (range.least > range.greatest)
    return;
  SmallVector<int64_t> numbers{range.least, range.greatest};
  if (range.ignored)
    numbers.push_back(*range.ignored);
  auto ranges = module->getAttrOfType<DictionaryAttr>(inputRangesAttrName);
  NamedAttrList entries(ranges ? ranges : DictionaryAttr::get(module.getContext()));
  entries.set(name, DenseI64ArrayAttr::get(module.getContext(), numbers));
  module->setAttr(inputRangesAttrName, entries.getDictionary(module.getContext()));
}

std::optional<IntegerRange> findInputRange(ModuleOp module, StringRef input) {
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (DenseI64ArrayAttr entry = findEntry(module, input))
      return rangeOf(entry);
  return std::nullopt;
}

void recordLoss(ModuleOp module, const LossFact &loss) {
  module->setAttr(
      lossAttrName,
      Builder(module.getContext()).getStrArrayAttr({loss.kind, loss.prediction, loss.labels}));
}

std::optional<LossFact> findLoss(ModuleOp module) {
  for (; module; module = module->getParentOfType<ModuleOp>())
    if (auto entry = module->getAttrOfType<ArrayAttr>(lossAttrName);
        entry && entry.size() == 3 && llvm::all_of(entry, llvm::IsaPred<StringAttr>)) {
      auto text = [&](unsigned index) { return cast<StringAttr>(entry[index]).getValue(); };
      return LossFact{text(0), text(1), text(2)};
    }
  return std::nullopt;
}

} // namespace pcc::graph
