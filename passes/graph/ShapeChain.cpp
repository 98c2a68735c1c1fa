// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the input's dimensions into factors as the ops of a chain require, and tracks the order of
// the factors. Factors that stay neighbors are merged again. Tries the longest part of the chain
// first.
#include "passes/graph/ShapeChain.h"

using namespace mlir;

namespace pcc::graph {

/// Greatest number of ops that one chain may have. Longer chains are simplified piece by piece.
static constexpr size_t maxChain = 8;

namespace {

/// The factors of a chain's input, and their order in the current value of the chain. Factors of
/// size 1 are left out.
struct Factors {
  SmallVector<int64_t> sizes;      ///< by factor
  SmallVector<unsigned> ofInput;   ///< factors in the order of the input
  SmallVector<unsigned> ofCurrent; ///< factors in the order of the current value

  explicit Factors(ArrayRef<int64_t> shape) {
    for (int64_t size : shape)
      if (size != 1) {
        ofInput.push_back(sizes.size());
        sizes.push_back(size);
      }
    ofCurrent = ofInput;
  }

  /// Splits the factors so that each belongs to one dimension of `shape`, the current one. Returns
  /// the factors of each dimension; nothing if a dimension takes a part of a factor that does not
  /// divide it.
  std::optional<SmallVector<SmallVector<unsigned>>> split(ArrayRef<int64_t> shape);

private:
  void replace(unsigned factor, int64_t outer);
};

} // namespace

static void insertBehind(SmallVectorImpl<unsigned> &order, unsigned factor, unsigned added) {
  order.insert(std::next(llvm::find(order, factor)), added);
}

/// Splits `factor` into an outer factor of size `outer` and a new inner one.
void Factors::replace(unsigned factor, int64_t outer) {
  unsigned inner = sizes.size();
  sizes.push_back(sizes[factor] / outer);
  sizes[factor] = outer;
  insertBehind(ofInput, factor, inner);
  insertBehind(ofCurrent, factor, inner);
}

std::optional<SmallVector<SmallVector<unsigned>>> Factors::split(ArrayRef<int64_t> shape) {
  SmallVector<SmallVector<unsigned>> groups;
  size_t next = 0;
  for (int64_t size : shape) {
    groups.emplace_back();
    for (int64_t rest = size; rest != 1; ++next) {
      int64_t factor = sizes[ofCurrent[next]];
      if (factor > rest && factor % rest == 0)
        replace(ofCurrent[next], factor = rest);
      if (rest % factor != 0)
        return std::nullopt;
      groups.back().push_back(ofCurrent[next]);
      rest /= factor;
    }
  }
  return groups;
}

/// Applies `op`, a reshape or a transpose, to `factors`; fails if the op cuts through a factor.
static LogicalResult apply(Operation *op, Factors &factors) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose)
    return success(factors.split(typeOf(op->getResult(0)).getShape()).has_value());
  auto groups = factors.split(typeOf(transpose.getInput()).getShape());
  if (!groups)
    return failure();
  factors.ofCurrent.clear();
  for (int64_t dim : transpose.getPermutation())
    llvm::append_range(factors.ofCurrent, (*groups)[dim]);
  return success();
}

namespace {

/// A reshape to `before`, a transpose and a reshape to `after`; each may change nothing.
struct ShortChain {
  SmallVector<int64_t> before, permutation, after;

  bool transposes() const {
    return !llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
  }
  SmallVector<int64_t> transposed() const {
    return llvm::map_to_vector(permutation, [&](int64_t dim) { return before[dim]; });
  }
  unsigned numOps(ArrayRef<int64_t> from) const {
    if (!transposes())
      return from != ArrayRef(after);
    return 1 + (from != ArrayRef(before)) + (transposed() != after);
  }
};

} // namespace

/// Merges factors that are neighbors in both orders, unless a dimension of `from` or `to` ends
/// between them. `endsHere` holds the last factor of each such dimension. Dimensions of size 1 are
/// left out.
static ShortChain mergeFactors(const Factors &factors, const llvm::BitVector &endsHere,
                               ArrayRef<int64_t> to) {
  SmallVector<unsigned> place(factors.sizes.size());
  for (auto [index, factor] : llvm::enumerate(factors.ofCurrent))
    place[factor] = index;
  ShortChain chain;
  chain.after.assign(to.begin(), to.end());
  SmallVector<std::pair<unsigned, int64_t>> firstPlaces; // of each merged factor
  for (size_t i = 0; i < factors.ofInput.size(); ++i) {
    unsigned factor = factors.ofInput[i];
    bool joins = i > 0 && !endsHere[factors.ofInput[i - 1]] &&
                 place[factor] == place[factors.ofInput[i - 1]] + 1;
    if (joins) {
      chain.before.back() *= factors.sizes[factor];
      continue;
    }
    firstPlaces.push_back({place[factor], int64_t(chain.before.size())});
    chain.before.push_back(factors.sizes[factor]);
  }
  llvm::sort(firstPlaces);
  for (auto [first, merged] : firstPlaces)
    chain.permutation.push_back(merged);
  return chain;
}

/// Places the dimensions of size 1, so that the chain needs no reshape before its transpose, or
/// none behind it, where that is possible.
static void placeOnes(ShortChain &chain, ArrayRef<int64_t> from) {
  if (!chain.transposes())
    return;
  auto withoutOnes = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> sizes;
    llvm::copy_if(shape, std::back_inserter(sizes), [](int64_t size) { return size != 1; });
    return sizes;
  };
  bool startsThere = withoutOnes(from) == chain.before;
  bool endsThere = withoutOnes(chain.after) == chain.transposed();
  if (!startsThere && !endsThere)
    return;
  // The transpose reads the input, or a reshape of it with the ones of the result in front.
  size_t oneCount = llvm::count(startsThere ? from : ArrayRef(chain.after), 1);
  SmallVector<int64_t> ones, dims, before; // `ones` and `dims` are dimensions of `before`
  if (startsThere) {
    before.assign(from.begin(), from.end());
    for (auto [dim, size] : llvm::enumerate(from))
      (size == 1 ? ones : dims).push_back(dim);
  } else {
    before.assign(oneCount, 1);
    llvm::append_range(before, chain.before);
    llvm::append_range(ones, llvm::seq<int64_t>(0, oneCount));
    llvm::append_range(dims, llvm::seq<int64_t>(oneCount, before.size()));
  }
  SmallVector<int64_t> permutation;
  size_t nextOne = 0, nextDim = 0;
  if (endsThere && size_t(llvm::count(chain.after, 1)) == oneCount) {
    for (int64_t size : chain.after)
      permutation.push_back(size == 1 ? ones[nextOne++] : dims[chain.permutation[nextDim++]]);
  } else {
    permutation = ones;
    for (int64_t dim : chain.permutation)
      permutation.push_back(dims[dim]);
  }
  chain.before = before;
  chain.permutation = permutation;
}

/// Returns the shortest chain from `from` to the value of `ops`, the last op first; nothing if the
/// ops do not keep factors.
static std::optional<ShortChain> shorten(RankedTensorType from, ArrayRef<Operation *> ops) {
  Factors factors(from.getShape());
  for (Operation *op : llvm::reverse(ops))
    if (failed(apply(op, factors)))
      return std::nullopt;
  RankedTensorType to = typeOf(ops.front()->getResult(0));
  auto ofResult = factors.split(to.getShape());
  // Splitting the input's dimensions needs them in the current order.
  Factors input = factors;
  input.ofCurrent = input.ofInput;
  auto ofInput = input.split(from.getShape());
  if (!ofResult || !ofInput || input.sizes.size() != factors.sizes.size())
    return std::nullopt;
  llvm::BitVector endsHere(factors.sizes.size());
  for (const auto &groups : {*ofResult, *ofInput})
    for (const auto &group : groups)
      if (!group.empty())
        endsHere.set(group.back());
  ShortChain chain = mergeFactors(factors, endsHere, to.getShape());
  placeOnes(chain, from.getShape());
  return chain;
}

/// Makes the ops of `chain` from `input` on.
static Value build(const ShortChain &chain, Value input, Location loc, PatternRewriter &rewriter) {
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    RankedTensorType type = typeOf(value);
    if (type.getShape() == shape)
      return value;
    return ReshapeOp::create(rewriter, loc, type.clone(shape), value);
  };
  if (chain.transposes())
    input = TransposeOp::create(rewriter, loc, reshape(input, chain.before), chain.permutation);
  return reshape(input, chain.after);
}

/// Returns the locations of a chain whose last op comes first. Those of transposes come first,
/// because the first name is the name of the result, and only transposes become kernels.
static Location fuseChain(ArrayRef<Operation *> ops) {
  SmallVector<Location> transposes, reshapes;
  for (Operation *op : llvm::reverse(ops))
    (isa<TransposeOp>(op) ? transposes : reshapes).push_back(op->getLoc());
  llvm::append_range(transposes, reshapes);
  return FusedLoc::get(ops.front()->getContext(), transposes);
}

Value simplifyShapeChain(Value value, PatternRewriter &rewriter) {
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs;
  for (Value input = value; ops.size() < maxChain;) {
    Operation *op = input.getDefiningOp();
    if (!isa_and_present<ReshapeOp, TransposeOp>(op))
      break;
    input = op->getOperand(0);
    ops.push_back(op);
    inputs.push_back(input);
  }
  for (size_t count = ops.size(); count > 0; --count) {
    RankedTensorType from = typeOf(inputs[count - 1]);
    ArrayRef<Operation *> shortened = ArrayRef(ops).take_front(count);
    std::optional<ShortChain> chain = shorten(from, shortened);
    if (chain && chain->numOps(from.getShape()) < count)
      return build(*chain, inputs[count - 1], fuseChain(shortened), rewriter);
  }
  return value;
}

/// Returns whether a transpose exchanges the last two dimensions and leaves all others in place.
static bool swapsMatrix(TransposeOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = permutation.size();
  if (rank < 2 || permutation[rank - 1] != rank - 2)
    return false;
  return llvm::equal(permutation.drop_back(2), llvm::seq<int64_t>(0, rank - 2));
}

Value findSwapped(Value value, PatternRewriter &rewriter) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto transpose = (reshape ? reshape.getInput() : value).getDefiningOp<TransposeOp>();
  if (!transpose || !swapsMatrix(transpose))
    return {};
  if (!reshape)
    return transpose.getInput();
  ArrayRef<int64_t> to = reshape.getType().getShape();
  if (to.size() < 2 || to.take_back(2) != transpose.getType().getShape().take_back(2))
    return {};
  SmallVector<int64_t> shape(to);
  std::swap(shape[shape.size() - 2], shape.back());
  return ReshapeOp::create(rewriter, fuseLocations(value, transpose.getInput()),
                           reshape.getType().clone(shape), transpose.getInput());
}

Value swapMatrix(Value value, PatternRewriter &rewriter, Location loc) {
  if (Value swapped = findSwapped(value, rewriter))
    return swapped;
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(permutation[permutation.size() - 2], permutation.back());
  return simplifyShapeChain(rewriter.createOrFold<TransposeOp>(loc, value, permutation), rewriter);
}

} // namespace pcc::graph
