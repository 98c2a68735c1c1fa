// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinearAttention and CausalConvWithState, the layers of Gated DeltaNet, RetNet and Mamba.
//
// LinearAttention updates one matrix of state S for each head and position:
//
//   linear       S = S + k u'           with u = v
//   gated        S = exp(g) S + k u'    with u = v
//   delta        S = S + k u'           with u = beta (v - S' k)
//   gated_delta  S = exp(g) S + k u'    with u = beta (v - exp(g) S' k)
//
// It is computed in chunks of positions, as in "Gated Delta Networks" (arXiv:2412.06464). All
// positions of a chunk are matmuls, and only the chunks follow one another. G is the sum of g
// within a chunk, and D[i, j] = exp(G[i] - G[j]) for j <= i, else 0. The corrections u of a chunk
// solve a triangular system of equations:
//
//   (I + L) u = beta (v - exp(G) k S)
//   L[i, j] = beta[i] D[i, j] (k[i] . k[j]) for j < i, else 0

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace pcc::import {
namespace {

using graph::AddOp, graph::MulOp, graph::SubOp;

/// Greatest size of a chunk whose decays differ along the keys: its tensors of decays have this
/// size twice.
constexpr int64_t maxChunkOfKeyDecays = 16;

/// Most chunks of a sequence.
constexpr int64_t maxChunks = 4096;

/// Tensors of all chunks have the shape [batch, heads of keys, heads of queries for each of them,
/// chunks, positions, width]; sizes of 1 broadcast.
class LinearAttention {
public:
  explicit LinearAttention(Node &node) : node(node), emit(node.emit) {}
  LogicalResult run();

private:
  bool readShapes();
  bool readRule();
  bool checkInputs();
  void chooseChunks();
  Tensor inChunks(const Tensor &x, int64_t ownHeads);
  bool readDecay();
  Tensor matrix(llvm::function_ref<bool(int64_t, int64_t)> isSet);
  Tensor masked(const Tensor &x, int64_t below);
  Tensor products(const Tensor &x, const Tensor &y);
  Tensor decayed(const Tensor &x, const Tensor &factor) {
    return factor ? emit.binary<MulOp>(x, factor) : x;
  }
  Tensor invert(const Tensor &lower);
  bool prepare();
  Tensor step(int64_t index);
  Tensor join(llvm::ArrayRef<Tensor> outputs);
  llvm::SmallVector<Tensor> apart(const Tensor &x);

  Node &node;
  Emitter &emit;
  Type wide; ///< the type of all sums
  bool hasDecay = false, hasCorrection = false;
  int64_t batch = 0, length = 0, queryHeads = 0, heads = 0, keyWidth = 0, valueWidth = 0;
  int64_t chunk = 1, chunks = 1;
  double scale = 1.0;

  Tensor decaySums; ///< G; null: no decay
  Tensor decays;    ///< D; of rank 7 if decays differ along the keys; null: no decay
  Tensor state;     ///< null: zeros
  /// Parts of each chunk: queries that read the state before it; scores of its positions; updates
  /// without what the state contributes, and the factor of that contribution; keys that write the
  /// state behind it; the decay of the state.
  llvm::SmallVector<Tensor> queries, scores, updates, corrections, keys, totals;
};

bool LinearAttention::readShapes() {
  Tensor query = node.input(0), key = node.input(1), value = node.input(2);
  queryHeads = node.integer("q_num_heads", 0);
  heads = node.integer("kv_num_heads", 0);
  if (queryHeads < 1 || heads < 1 || queryHeads % heads != 0) {
    emit.error() << "expected 'q_num_heads' to be a multiple of 'kv_num_heads', got " << queryHeads
                 << " and " << heads;
    return false;
  }
  bool fits = isa<FloatType>(query.elementType()) && query.rank() == 3 && key.rank() == 3 &&
              value.rank() == 3 && query.shape()[2] % queryHeads == 0 &&
              value.shape()[2] % heads == 0 &&
              query.shape()[2] / queryHeads * heads == key.shape()[2] &&
              query.shape().take_front(2) == key.shape().take_front(2) &&
              query.shape().take_front(2) == value.shape().take_front(2) &&
              query.type.getNumElements() > 0 && value.type.getNumElements() > 0;
  if (!fits) {
    emit.error() << "expected query, key and value of shape [batch, positions, heads * width], got "
                 << query.type << ", " << key.type << " and " << value.type;
    return false;
  }
  batch = query.shape()[0], length = query.shape()[1];
  keyWidth = query.shape()[2] / queryHeads, valueWidth = value.shape()[2] / heads;
  wide = graph::accumulatorOf(query.elementType());
  scale = node.number("scale", 0.0);
  if (scale == 0.0)
    scale = 1.0 / std::sqrt(static_cast<double>(keyWidth));
  return true;
}

bool LinearAttention::readRule() {
  std::string rule = node.text("update_rule", "gated_delta");
  hasDecay = rule == "gated" || rule == "gated_delta";
  hasCorrection = rule == "delta" || rule == "gated_delta";
  if (!hasDecay && !hasCorrection && rule != "linear") {
    emit.error() << "expected attribute 'update_rule' to be linear, gated, delta or gated_delta, "
                    "got '"
                 << rule << "'";
    return false;
  }
  if (bool(node.input(4)) != hasDecay || bool(node.input(5)) != hasCorrection) {
    emit.error() << "expected input 'decay' with the rules gated and gated_delta only, and 'beta' "
                    "with delta and gated_delta only; the rule is "
                 << rule;
    return false;
  }
  return true;
}

/// Checks the shapes of the inputs that may be absent.
bool LinearAttention::checkInputs() {
  Tensor past = node.input(3);
  Shape states = {batch, heads, keyWidth, valueWidth};
  if (past && past.shape() != llvm::ArrayRef<int64_t>(states)) {
    emit.error() << "expected a state of shape " << formatShape(states) << ", got " << past.type;
    return false;
  }
  auto check = [&](const Tensor &x, llvm::StringRef name, int64_t otherWidth) {
    if (!x || (x.rank() == 3 && x.shape()[0] == batch && x.shape()[1] == length &&
               (x.shape()[2] == heads || x.shape()[2] == otherWidth)))
      return true;
    emit.error() << "expected '" << name << "' of shape [" << batch << ", " << length << ", "
                 << heads << " or " << otherWidth << "], got " << x.type;
    return false;
  };
  return check(node.input(4), "decay", heads * keyWidth) && check(node.input(5), "beta", 1);
}

/// Chunks have a power of two of positions. The last one is filled up with zeros, which leave the
/// state as it is.
void LinearAttention::chooseChunks() {
  int64_t hint = std::max<int64_t>(1, node.integer("chunk_size", 64));
  if (hasDecay && node.input(4).shape()[2] != heads)
    hint = std::min(hint, maxChunkOfKeyDecays);
  chunk = static_cast<int64_t>(
      std::min(llvm::bit_floor<uint64_t>(hint), llvm::bit_ceil<uint64_t>(length)));
  chunks = llvm::divideCeil(length, chunk);
}

/// Converts [batch, positions, heads * width] to chunks.
Tensor LinearAttention::inChunks(const Tensor &x, int64_t ownHeads) {
  int64_t width = x.shape()[2] / ownHeads, shared = std::min(ownHeads, heads);
  Tensor all = emit.pad(emit.cast(x, wide), 1, 0, chunks * chunk - length, 0.0);
  all = emit.transpose(emit.reshape(all, {batch, chunks, chunk, ownHeads, width}), {0, 3, 1, 2, 4});
  return emit.reshape(all, {batch, shared, ownHeads / shared, chunks, chunk, width});
}

/// Returns the booleans [positions, positions] of a function of row and column.
Tensor LinearAttention::matrix(llvm::function_ref<bool(int64_t, int64_t)> isSet) {
  llvm::SmallVector<int64_t> places;
  for (int64_t row : llvm::seq(chunk))
    for (int64_t column : llvm::seq(chunk))
      places.push_back(isSet(row, column));
  Tensor all = emit.reshape(Tensor::of(Constant::integers(emit.context(), places)), {chunk, chunk});
  return emit.cast(all, emit.attributes().getI1Type());
}

/// Returns `x`, of shape […, i, j] or […, i, j, keys], with zeros where j > i - `below`.
Tensor LinearAttention::masked(const Tensor &x, int64_t below) {
  if (!x)
    return {};
  Tensor isKept = matrix([below](int64_t row, int64_t column) { return column <= row - below; });
  Shape shape = {chunk, chunk};
  if (x.rank() == 7)
    shape.push_back(1);
  return emit.select(emit.reshape(isKept, shape), x, emit.scalarLike(x, 0.0));
}

/// Sums the decays of each chunk. Differences above the diagonal may be large, so they are removed
/// before the exponential.
bool LinearAttention::readDecay() {
  if (!hasDecay)
    return true;
  Builder &b = emit.attributes();
  Tensor each = inChunks(node.input(4), heads);
  if (!each)
    return false;
  decaySums = emit.apply<graph::CumsumOp>(each.type, each,
                                          b.getNamedAttr("axis", b.getI64IntegerAttr(4)))[0];
  if (!decaySums)
    return false;
  Shape rows(decaySums.shape()), columns(decaySums.shape());
  if (rows.back() == 1) {
    std::swap(columns[4], columns[5]);
  } else {
    rows.insert(rows.begin() + 5, 1);
    columns.insert(columns.begin() + 4, 1);
  }
  Tensor differences =
      emit.binary<SubOp>(emit.reshape(decaySums, rows), emit.reshape(decaySums, columns));
  differences = masked(differences, 0);
  decays = differences ? masked(emit.unary<graph::ExpOp>(differences), 0) : Tensor();
  return bool(decays);
}

/// Returns the products D[i, j] (x[i] . y[j]) of all positions of a chunk, for j <= i.
Tensor LinearAttention::products(const Tensor &x, const Tensor &y) {
  if (!x || !y)
    return {};
  if (!decays || decays.rank() == 6) {
    Tensor all = emit.matmul(x, y, /*transposeX=*/false, /*transposeY=*/true);
    return decays ? emit.binary<MulOp>(all, decays) : masked(all, 0);
  }
  Shape rows(x.shape()), columns(y.shape());
  rows.insert(rows.begin() + 5, 1);
  columns.insert(columns.begin() + 4, 1);
  Tensor all = emit.binary<MulOp>(emit.reshape(x, rows), emit.reshape(y, columns));
  return emit.reduce(graph::ReduceOpKind::Sum, emit.binary<MulOp>(all, decays), {6});
}

/// Returns the inverse of I + `lower`, whose elements on and above the diagonal are zeros. The
/// inverse of blocks on the diagonal gives that of blocks of twice the size: the block below them
/// is its negative between the two inverses.
Tensor LinearAttention::invert(const Tensor &lower) {
  Tensor zero = emit.scalar(wide, 0.0);
  Tensor inverse = emit.select(matrix([](int64_t row, int64_t column) { return row == column; }),
                               emit.scalar(wide, 1.0), zero);
  for (int64_t size = 1; size < chunk && inverse; size *= 2) {
    Tensor isBelow = matrix([size](int64_t row, int64_t column) {
      return row / (2 * size) == column / (2 * size) && row / size > column / size;
    });
    Tensor below = emit.select(isBelow, lower, zero);
    if (size > 1)
      below = emit.matmul(emit.matmul(inverse, below), inverse);
    inverse = emit.binary<SubOp>(inverse, below);
  }
  return inverse;
}

/// Returns each chunk without its dimension.
llvm::SmallVector<Tensor> LinearAttention::apart(const Tensor &x) {
  if (!x)
    return llvm::SmallVector<Tensor>(chunks);
  Shape shape(x.shape());
  shape.erase(shape.begin() + 3);
  llvm::SmallVector<Tensor> parts = emit.split(x, 3, Shape(chunks, 1));
  for (Tensor &part : parts)
    part = emit.reshape(part, shape);
  return parts;
}

/// Computes what does not depend on the state, for all chunks together.
bool LinearAttention::prepare() {
  Tensor query = inChunks(node.input(0), queryHeads), key = inChunks(node.input(1), heads);
  Tensor update = inChunks(node.input(2), heads), inflow, outflow, total;
  if (!query || !key || !update)
    return false;
  if (decaySums) {
    Tensor last = emit.slice(decaySums, 4, chunk - 1, 1, 1);
    inflow = emit.unary<graph::ExpOp>(decaySums);
    outflow = emit.unary<graph::ExpOp>(emit.binary<SubOp>(last, decaySums));
    total = emit.unary<graph::ExpOp>(emit.transpose(last, {0, 1, 2, 3, 5, 4}));
  }
  Tensor read = decayed(key, inflow), correction;
  if (hasCorrection) {
    Tensor beta = inChunks(node.input(5), node.input(5).shape()[2]);
    Tensor inner = products(key, key);
    Tensor lower = inner ? masked(emit.binary<MulOp>(inner, beta), 1) : Tensor();
    update = emit.binary<MulOp>(update, beta);
    correction = emit.binary<MulOp>(read, beta);
    if (chunk > 1 && lower) {
      Tensor inverse = invert(lower);
      update = emit.matmul(inverse, update);
      correction = emit.matmul(inverse, correction);
    }
  }
  queries = apart(decayed(query, inflow));
  scores = apart(products(query, key));
  updates = apart(update);
  corrections = apart(correction);
  keys = apart(decayed(key, outflow));
  totals = apart(total);
  return scores.front() && updates.front() && keys.front() &&
         bool(corrections.front()) == hasCorrection;
}

/// Emits a chunk: moves the state behind it, and returns the output at its positions.
Tensor LinearAttention::step(int64_t index) {
  Tensor update = updates[index];
  if (state && hasCorrection)
    update = emit.binary<SubOp>(update, emit.matmul(corrections[index], state));
  Tensor output = emit.matmul(scores[index], update);
  if (state)
    output = emit.binary<AddOp>(output, emit.matmul(queries[index], state));
  Tensor written = emit.matmul(keys[index], update, /*transposeX=*/true);
  if (state)
    written = emit.binary<AddOp>(decayed(state, totals[index]), written);
  state = written;
  if (!output || !state)
    return {};
  return emit.reshape(output, {batch, heads, queryHeads / heads, 1, chunk, valueWidth});
}

/// Joins the outputs of all chunks to [batch, positions, heads * width].
Tensor LinearAttention::join(llvm::ArrayRef<Tensor> outputs) {
  Tensor all = emit.concat(outputs, 3);
  all = emit.binary<MulOp>(all, emit.scalar(wide, scale));
  all = emit.transpose(all, {0, 3, 4, 1, 2, 5});
  all = emit.reshape(all, {batch, chunks * chunk, queryHeads * valueWidth});
  return emit.cast(emit.slice(all, 1, 0, 1, length), node.input(0).elementType());
}

LogicalResult LinearAttention::run() {
  if (!readShapes() || !readRule() || !checkInputs())
    return failure();
  chooseChunks();
  if (chunks > maxChunks)
    return emit.error() << "expected at most " << maxChunks << " chunks of " << chunk
                        << " positions, got " << length << " positions";
  if (!readDecay() || !prepare())
    return failure();
  Tensor past = node.input(3);
  if (past)
    state = emit.reshape(emit.cast(past, wide), {batch, heads, 1, keyWidth, valueWidth});
  llvm::SmallVector<Tensor> outputs;
  for (int64_t index : llvm::seq(chunks)) {
    outputs.push_back(step(index));
    if (!outputs.back())
      return failure();
  }
  Tensor present = emit.reshape(state, {batch, heads, keyWidth, valueWidth});
  present = emit.cast(present, past ? past.elementType() : node.input(0).elementType());
  llvm::SmallVector<Tensor> results = {join(outputs), present};
  return node.setResults(
      llvm::ArrayRef(results).take_front(std::min<size_t>(node.outputCount(), 2)));
}

LogicalResult importLinearAttention(Node &node) { return LinearAttention(node).run(); }

/// Imports CausalConvWithState: a weighted sum of the sequence at each distance. Kernels have few
/// elements, so the sum is one elementwise kernel, and channels may be split.
LogicalResult importCausalConv(Node &node) {
  Emitter &emit = node.emit;
  Tensor x = node.input(0), weight = node.input(1), bias = node.input(2), past = node.input(3);
  std::string activation = node.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return emit.error() << "expected attribute 'activation' to be none, silu or swish, got '"
                        << activation << "'";
  bool fits = x.rank() == 3 && weight.rank() == 3 && weight.shape()[0] == x.shape()[1] &&
              weight.shape()[1] == 1 && weight.shape()[2] >= 1 && x.type.getNumElements() > 0 &&
              isa<FloatType>(x.elementType());
  if (!fits)
    return emit.error() << "expected a sequence [batch, channels, length] and a weight "
                           "[channels, 1, size], got "
                        << x.type << " and " << weight.type;
  int64_t channels = x.shape()[1], length = x.shape()[2], before = weight.shape()[2] - 1;
  Shape states = {x.shape()[0], channels, before};
  if (past && past.shape() != llvm::ArrayRef<int64_t>(states))
    return emit.error() << "expected a state of shape " << formatShape(states) << ", got "
                        << past.type;
  if (bias && bias.shape() != llvm::ArrayRef<int64_t>({channels}))
    return emit.error() << "expected a bias of " << channels << " numbers, got " << bias.type;
  if (!emit.allowsParts({before + 1}, "elements of a kernel"))
    return failure();
  Tensor all = past ? emit.concat({past, x}, 2) : emit.pad(x, 2, before, 0, 0.0);
  Type wide = graph::accumulatorOf(x.elementType());
  Tensor numbers = emit.cast(all, wide), factors = emit.cast(weight, wide), sum;
  for (int64_t tap : llvm::seq(before + 1)) {
    Tensor factor = emit.reshape(emit.slice(factors, 2, tap, 1, 1), {channels, 1});
    Tensor term = emit.binary<MulOp>(emit.slice(numbers, 2, tap, 1, length), factor);
    sum = tap == 0 ? term : emit.binary<AddOp>(sum, term);
  }
  if (bias)
    sum = emit.binary<AddOp>(sum, emit.reshape(emit.cast(bias, wide), {channels, 1}));
  if (activation != "none" && sum)
    sum = emit.unary<graph::SiluOp>(sum);
  llvm::SmallVector<Tensor> results = {emit.cast(sum, x.elementType()),
                                       emit.slice(all, 2, length, 1, before)};
  return node.setResults(
      llvm::ArrayRef(results).take_front(std::min<size_t>(node.outputCount(), 2)));
}

} // namespace

llvm::ArrayRef<Operator> linearAttentionOperators() {
  static const Operator rows[] = {
      {"CausalConvWithState", 27, 2, 4, AllInputs, importCausalConv},
      {"LinearAttention", 27, 3, 6, AllInputs, importLinearAttention},
  };
  return rows;
}

} // namespace pcc::import
