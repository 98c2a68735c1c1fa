// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TfIdfVectorizer on integers. The n-grams are known, so each is compared with the tokens at all
// positions of a row, and the positions where all of its tokens agree are counted.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

class NGramCounter {
public:
  explicit NGramCounter(Node &node) : node(node), emit(node.emit) {}
  LogicalResult run();

private:
  bool readAttributes();
  bool checkPool();
  Tensor countOfSize(int64_t size, llvm::ArrayRef<int64_t> grams);
  Tensor countAll();
  Tensor weigh(const Tensor &counts);

  Node &node;
  Emitter &emit;
  Tensor tokens; ///< [rows, tokens], of i64
  std::string mode;
  int64_t minSize = 0, maxSize = 0, maxSkips = 0, columns = 0;
  Shape pool, starts, indices; ///< n-grams, where those of each size start, their columns
  llvm::SmallVector<double> weights;
};

bool NGramCounter::readAttributes() {
  mode = node.text("mode", "");
  minSize = node.integer("min_gram_length", 0);
  maxSize = node.integer("max_gram_length", 0);
  maxSkips = node.integer("max_skip_count", 0);
  if (node.hasAttribute("pool_strings")) {
    node.texts("pool_strings");
    emit.error() << "strings are not supported: expected n-grams in 'pool_int64s'";
    return false;
  }
  pool = node.integers("pool_int64s").value_or(Shape());
  starts = node.integers("ngram_counts").value_or(Shape());
  indices = node.integers("ngram_indexes").value_or(Shape());
  weights = node.numbers("weights").value_or(llvm::SmallVector<double>());
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") {
    emit.error() << "expected attribute 'mode' to be TF, IDF or TFIDF, got '" << mode << "'";
    return false;
  }
  if (minSize < 1 || maxSize < minSize || maxSkips < 0 || indices.empty()) {
    emit.error() << "expected n-grams, sizes of at least 1 and 'max_skip_count' of at least 0, got "
                 << indices.size() << " n-grams of sizes " << minSize << " to " << maxSize
                 << " and skips " << maxSkips;
    return false;
  }
  return checkPool();
}

/// Checks that n-grams of size 1, 2, … follow one another, and that each has a column.
bool NGramCounter::checkPool() {
  int64_t count = 0;
  bool fits = !starts.empty() && starts.front() >= 0;
  for (auto [n, start] : llvm::enumerate(starts)) {
    int64_t end = n + 1 < starts.size() ? starts[n + 1] : static_cast<int64_t>(pool.size());
    auto size = static_cast<int64_t>(n + 1);
    fits &= start <= end && end <= static_cast<int64_t>(pool.size()) && (end - start) % size == 0;
    count += (end - start) / size;
  }
  for (int64_t column : indices) {
    fits &= column >= 0 && column < Emitter::maxFoldedElements;
    columns = std::max(columns, column + 1);
  }
  fits &= count == static_cast<int64_t>(indices.size());
  fits &= weights.empty() || static_cast<int64_t>(weights.size()) == columns;
  if (!fits)
    emit.error() << "expected whole n-grams in 'pool_int64s' from each place in 'ngram_counts' on, "
                    "and a column and a weight for each";
  return fits;
}

/// Counts the n-grams of one size, [rows, n-grams]: with each number of skipped tokens between
/// theirs. Single tokens have nothing in between.
Tensor NGramCounter::countOfSize(int64_t size, llvm::ArrayRef<int64_t> grams) {
  int64_t rows = tokens.shape()[0], length = tokens.shape()[1];
  int64_t count = static_cast<int64_t>(grams.size()) / size;
  Tensor table = emit.reshape(Tensor::of(Constant::integers(emit.context(), grams)), {count, size});
  Type f32 = emit.attributes().getF32Type();
  Tensor sum = emit.broadcast(emit.scalar(f32, 0.0), {rows, count});
  for (int64_t step = 1; step <= (size == 1 ? 1 : maxSkips + 1); ++step) {
    int64_t places = length - step * (size - 1);
    if (places < 1)
      break;
    Tensor isEqual;
    for (int64_t n : llvm::seq(size)) {
      Tensor own = emit.reshape(emit.slice(tokens, 1, n * step, 1, places), {rows, places, 1});
      Tensor wanted = emit.reshape(emit.slice(table, 1, n, 1, 1), {count});
      Tensor agrees = emit.compare(graph::Direction::EQ, own, wanted);
      isEqual = n == 0 ? agrees : emit.binary<graph::AndOp>(isEqual, agrees);
    }
    Tensor found = emit.reduce(graph::ReduceOpKind::Sum, emit.cast(isEqual, f32), {1});
    sum = emit.binary<graph::AddOp>(sum, found);
  }
  return sum;
}

/// Counts all n-grams, [rows, columns].
Tensor NGramCounter::countAll() {
  int64_t rows = tokens.shape()[0], next = 0, gram = 0;
  Type f32 = emit.attributes().getF32Type();
  llvm::SmallVector<Tensor> parts = {emit.broadcast(emit.scalar(f32, 0.0), {rows, 1})};
  Shape sources(columns, 0); // column 0 of the parts is zero
  for (auto [n, start] : llvm::enumerate(starts)) {
    auto size = static_cast<int64_t>(n + 1);
    int64_t end = n + 1 < starts.size() ? starts[n + 1] : static_cast<int64_t>(pool.size());
    int64_t count = (end - start) / size;
    bool counts = size >= minSize && size <= maxSize && count > 0;
    for (int64_t index : llvm::seq(count)) {
      if (counts)
        sources[indices[gram]] = next + index + 1;
      ++gram;
    }
    if (!counts)
      continue;
    parts.push_back(countOfSize(size, llvm::ArrayRef(pool).slice(start, end - start)));
    next += count;
  }
  return emit.gather(emit.concat(parts, 1), Tensor::of(Constant::integers(emit.context(), sources)),
                     1);
}

/// Weighs the counts, or for IDF whether there are any.
Tensor NGramCounter::weigh(const Tensor &counts) {
  if (!counts || mode == "TF")
    return counts;
  Tensor result = counts;
  if (mode == "IDF")
    result = emit.cast(emit.compare(graph::Direction::GT, counts, emit.scalarLike(counts, 0.0)),
                       counts.elementType());
  if (weights.empty())
    return result;
  auto type = RankedTensorType::get({columns}, Float64Type::get(emit.context()));
  Tensor factors = Tensor::of(
      Constant::of(type, values::Tensor::floats(values::ElementType::F64, {columns}, weights)));
  return emit.binary<graph::MulOp>(result, emit.cast(factors, counts.elementType()));
}

LogicalResult NGramCounter::run() {
  if (!readAttributes())
    return failure();
  Tensor x = node.input(0);
  if (x.rank() > 2 || !isa<IntegerType>(x.elementType()))
    return emit.error() << "expected integers of at most two dimensions, got " << x.type;
  int64_t rows = x.rank() == 2 ? x.shape()[0] : 1;
  int64_t length = x.rank() == 0 ? 1 : x.shape().back();
  tokens = emit.cast(emit.reshape(x, {rows, length}), emit.attributes().getI64Type());
  Shape shape = {rows, columns};
  if (x.rank() < 2)
    shape.erase(shape.begin());
  return node.setResult(emit.reshape(weigh(tokens ? countAll() : Tensor()), shape));
}

LogicalResult importTfIdf(Node &node) { return NGramCounter(node).run(); }

} // namespace

llvm::ArrayRef<Operator> tfIdfOperators() {
  static const Operator rows[] = {{"TfIdfVectorizer", 9, 1, 1, NoGradient, importTfIdf}};
  return rows;
}

} // namespace pcc::import
