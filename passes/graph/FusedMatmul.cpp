// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the columns of the weight through reshapes and transposes to every reader, depth first.
// Any reader that is not a cut ends the search. A reshape keeps the columns if it regroups them
// without mixing them with rows.
#include "passes/graph/FusedMatmul.h"

#include "dialects/graph/EinsumEquation.h"
#include "passes/graph/Match.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::graph {

using Dims = SmallVector<int64_t>;

/// Returns the dimensions of `to` that hold the columns after a reshape of `from`, where `dims`
/// hold them. Walks both shapes in groups of dimensions with equal products. A group must hold
/// columns alone, in order, or none; returns nothing for a mixed group.
static std::optional<Dims> followReshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                                         ArrayRef<int64_t> dims) {
  llvm::DenseMap<int64_t, Dims> groupOf; // the dims of `to`, by the first dim of `from`
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Dims own, others{};
    int64_t a = 1, b = 1;
    do {
      bool extendsFrom = i < from.size() && (a <= b || j == to.size());
      int64_t size = extendsFrom ? from[i] : to[j];
      if (size != 1)
        (extendsFrom ? own : others).push_back(extendsFrom ? i : j);
      (extendsFrom ? a : b) *= size;
      ++(extendsFrom ? i : j);
    } while (a != b && (i < from.size() || j < to.size()));
    auto first = own.empty() ? dims.end() : llvm::find(dims, own.front());
    bool isColumns = first != dims.end();
    bool inOrder = isColumns && size_t(dims.end() - first) >= own.size() &&
                   llvm::equal(own, ArrayRef(first, own.size()));
    bool isMixed = llvm::any_of(own, [&](int64_t dim) { return llvm::is_contained(dims, dim); });
    if (isColumns ? !inOrder : isMixed)
      return std::nullopt;
    if (isColumns)
      groupOf[own.front()] = others;
  }
  Dims followed;
  for (int64_t dim : dims)
    if (auto group = groupOf.find(dim); group != groupOf.end())
      llvm::append_range(followed, group->second);
  return followed;
}

namespace {

/// Walks from a matmul to all its readers.
class Follower {
public:
  explicit Follower(FusedMatmul &found) : found(found) {}
  bool follow(Value value, ArrayRef<int64_t> dims);

private:
  bool followUse(Operation *user, Value value, ArrayRef<int64_t> dims);
  bool step(Operation *op, std::optional<Dims> dims);
  bool takeBias(AddOp add, Value value, ArrayRef<int64_t> dims);
  bool takeCut(Value part, Value of, ArrayRef<int64_t> dims, int64_t axis, int64_t start);

  FusedMatmul &found;
  SmallVector<ColumnStep> path;
};

} // namespace

/// Follows the result of `op`, which has the columns in `dims`.
bool Follower::step(Operation *op, std::optional<Dims> dims) {
  if (!dims)
    return false;
  path.push_back({op, *dims});
  bool isFused = follow(op->getResult(0), *dims);
  path.pop_back();
  return isFused;
}

/// Recognizes a bias: a parameter that is repeated for every row and added before the shape
/// changes.
bool Follower::takeBias(AddOp add, Value value, ArrayRef<int64_t> dims) {
  Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
  auto broadcast = other.getDefiningOp<BroadcastOp>();
  auto bias = broadcast ? dyn_cast<BlockArgument>(broadcast.getInput()) : BlockArgument();
  bool isVector = bias && typeOf(bias).getRank() == 1 &&
                  typeOf(bias).getDimSize(0) == found.columns && dims.size() == 1 &&
                  broadcast.getDims() == dims && other.hasOneUse() && bias.hasOneUse();
  if (!isVector || found.bias || !value.hasOneUse())
    return false;
  found.bias = bias;
  return step(add, Dims(dims));
}

bool Follower::takeCut(Value part, Value of, ArrayRef<int64_t> dims, int64_t axis, int64_t start) {
  const int64_t *place = llvm::find(dims, axis);
  if (place == dims.end() || part.use_empty())
    return false;
  ArrayRef<int64_t> shape = typeOf(of).getShape();
  int64_t after = 1;
  for (int64_t dim : ArrayRef(place + 1, dims.end()))
    after *= shape[dim];
  int64_t period = shape[axis] * after;
  if (found.period != 0 && found.period != period)
    return false;
  found.period = period;
  int64_t end = start + typeOf(part).getDimSize(axis);
  found.cuts.push_back({part, {start * after, end * after}, path});
  return true;
}

bool Follower::followUse(Operation *user, Value value, ArrayRef<int64_t> dims) {
  return llvm::TypeSwitch<Operation *, bool>(user)
      .Case([&](AddOp op) { return takeBias(op, value, dims); })
      .Case([&](ReshapeOp op) {
        return step(op, followReshape(typeOf(value).getShape(), op.getType().getShape(), dims));
      })
      .Case([&](TransposeOp op) {
        return step(op, llvm::map_to_vector(dims, [&](int64_t dim) -> int64_t {
                      return llvm::find(op.getPermutation(), dim) - op.getPermutation().begin();
                    }));
      })
      .Case([&](SliceOp op) {
        return op.getStride() == 1 &&
               takeCut(op.getResult(), value, dims, op.getAxis(), op.getStart());
      })
      .Case([&](SplitOp op) {
        int64_t start = 0;
        return llvm::all_of(op.getResults(), [&](Value part) {
          bool isPart = takeCut(part, value, dims, op.getAxis(), start);
          start += typeOf(part).getDimSize(op.getAxis());
          return isPart;
        });
      })
      .Default([](Operation *) { return false; });
}

bool Follower::follow(Value value, ArrayRef<int64_t> dims) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [&](Operation *user) {
    return followUse(user, value, dims);
  });
}

/// Reads weight and columns of a matmul of many rows with one matrix.
static bool readMatmul(Operation *op, FusedMatmul &found) {
  if (auto matmul = dyn_cast<MatmulOp>(op); matmul && matmul.getType().getRank() == 2) {
    found.weight = dyn_cast<BlockArgument>(matmul.getRhs());
    found.weightDim = matmul.getTransposeRhs() ? 0 : 1;
  } else if (auto einsum = dyn_cast<EinsumOp>(op); einsum && einsum.getType().getRank() > 0) {
    EinsumEquation equation = *EinsumEquation::parse(einsum.getEquation());
    char last = equation.result.back();
    if (equation.lhs.contains(last))
      return false;
    found.weight = dyn_cast<BlockArgument>(einsum.getRhs());
    found.weightDim = equation.rhs.find(last);
  }
  if (!found.weight || !found.weight.hasOneUse())
    return false;
  found.matmul = op;
  found.columns = typeOf(found.weight).getDimSize(found.weightDim);
  return true;
}

/// Returns the distinct parts in order; empty unless they are adjacent and fill the period.
static SmallVector<ColumnRange> orderParts(const FusedMatmul &found) {
  SmallVector<ColumnRange> parts;
  for (const ColumnCut &cut : found.cuts)
    if (!llvm::is_contained(parts, cut.range))
      parts.push_back(cut.range);
  int64_t end = 0;
  for (const ColumnRange &part : parts) {
    if (part.begin != end)
      return {};
    end = part.end;
  }
  return end == found.period ? parts : SmallVector<ColumnRange>();
}

std::optional<Dims> narrowColumns(const FusedMatmul &matmul, ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> dims, ColumnRange range) {
  Dims narrow(shape);
  int64_t after = 1;
  for (int64_t dim : llvm::reverse(dims)) {
    int64_t all = shape[dim] * after;
    if (all % matmul.period == 0 && range.begin % after == 0 && range.end % after == 0) {
      narrow[dim] = all / matmul.period * (range.end - range.begin) / after;
      return narrow;
    }
    after = all;
  }
  return std::nullopt;
}

std::optional<FusedMatmul> findFusedMatmul(Operation *op) {
  FusedMatmul found;
  if (!readMatmul(op, found))
    return std::nullopt;
  int64_t last = typeOf(op->getResult(0)).getRank() - 1;
  if (!Follower(found).follow(op->getResult(0), Dims{last}))
    return std::nullopt;
  llvm::stable_sort(found.cuts, [](auto &a, auto &b) { return a.range.begin < b.range.begin; });
  found.parts = orderParts(found);
  if (found.parts.size() < 2)
    return std::nullopt;
  for (const ColumnCut &cut : found.cuts)
    for (const ColumnStep &step : cut.path)
      if (!narrowColumns(found, typeOf(step.op->getResult(0)).getShape(), step.dims, cut.range))
        return std::nullopt;
  return found;
}

} // namespace pcc::graph
