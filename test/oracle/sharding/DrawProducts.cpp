// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/Draw.h"
#include "test/oracle/sharding/Partitioned.h"

using namespace llvm;

namespace pcc::test {

/// Draws each operand as stored, or transposed.
void drawMatmul(ProgramMaker &maker) {
  auto x = maker.pickOfRank(2);
  Shape left = maker.shapeOf(*x);
  size_t last = left.size() - 1;
  bool transposesLeft = maker.draw(3) == 0, transposesRight = maker.flip();
  int64_t rows = left[last - !transposesLeft], inner = left[last - transposesLeft];
  auto y = maker.pick([&](ArrayRef<int64_t> shape) {
    return shape.size() == left.size() && shape.drop_back(2) == ArrayRef(left).drop_back(2) &&
           shape[last - !transposesRight] == inner;
  });
  if (!y)
    return;
  Shape shape = left;
  shape[last - 1] = rows;
  shape[last] = maker.shapeOf(*y)[last - transposesRight];
  if (!ProgramMaker::isSmall(shape))
    return;
  std::string attributes = transposesLeft && transposesRight ? "{transpose_lhs, transpose_rhs} "
                           : transposesLeft                  ? "{transpose_lhs} "
                           : transposesRight                 ? "{transpose_rhs} "
                                                             : "";
  maker.addTanh(maker.add("matmul @0, @1 " + attributes + ": $0, $1", {*x, *y}, shape));
}

/// Draws letters for the dimensions of two operands. Some dimensions of the second share a letter
/// with dimensions of the first of the same size.
void drawEinsum(ProgramMaker &maker) {
  size_t x = maker.pickAny(), y = maker.pickAny();
  Shape sizes = maker.shapeOf(x);
  std::string left = StringRef("abcd").take_front(sizes.size()).str(), right;
  for (int64_t size : maker.shapeOf(y)) {
    size_t letter = 0;
    while (letter < left.size() &&
           (sizes[letter] != size || StringRef(right).contains(left[letter]) || maker.draw(4) == 0))
      ++letter;
    if (letter == left.size()) {
      letter = sizes.size();
      sizes.push_back(size);
    }
    right += static_cast<char>('a' + letter);
  }
  std::string result;
  Shape shape;
  for (int64_t letter : maker.drawOrder(sizes)) {
    char name = static_cast<char>('a' + letter);
    bool isInBoth = StringRef(left).contains(name) && StringRef(right).contains(name);
    if (maker.draw(4) == 0 || (isInBoth && maker.flip()))
      continue;
    result += name;
    shape.push_back(sizes[letter]);
  }
  if (!shape.empty() && ProgramMaker::isSmall(shape))
    maker.addTanh(maker.add("einsum \"" + left + "," + right + "->" + result + "\" @0, @1 : $0, $1",
                            {x, y}, shape));
}

/// Adds a mask for scores of `shape`; it is repeated along its dimensions of size 1.
static size_t addMask(ProgramMaker &maker, size_t query, const Shape &scores) {
  Shape mask = {scores[0], 1, 1, 1};
  size_t mean = maker.addAlong(query, {0});
  mean = maker.add("reshape @0 : $0 to $r", {mean}, mask);
  mask[3] = scores[3];
  mean = maker.add("broadcast @0, [0, 1, 2, 3] : $0 to $r", {mean}, mask);
  size_t rising = maker.add("iota axis = 3 : $r", {}, mask);
  return maker.add("mul @0, @1 : $0", {mean, rising}, mask);
}

void drawAttention(ProgramMaker &maker) {
  auto query = maker.pickOfRank(4);
  if (!query)
    return;
  Shape shape = maker.shapeOf(*query);
  size_t key = *maker.pick([&](ArrayRef<int64_t> other) {
    return other.size() == 4 && other[0] == shape[0] && shape[1] % other[1] == 0 &&
           other[3] == shape[3];
  });
  Shape keys = maker.shapeOf(key);
  size_t value = *maker.pick([&](ArrayRef<int64_t> other) {
    return other.size() == 4 && other.drop_back() == ArrayRef(keys).drop_back();
  });
  Shape scores = {shape[0], shape[1], shape[2], keys[2]};
  if (!ProgramMaker::isSmall(scores))
    return;
  // The gradient computes weights from the logarithm of their sum. The larger the scores, the fewer
  // digits it has after the point.
  std::vector<size_t> operands = {maker.addTanh(*query), maker.addTanh(key), value};
  std::string mask, type;
  if (maker.draw(3) == 0) {
    operands.push_back(addMask(maker, *query, scores));
    mask = ", @3";
    type = ", $3";
  }
  Shape result = shape;
  result.back() = maker.shapeOf(value).back();
  size_t attention = maker.add("attention @0, @1, @2" + mask + " scale = 0.5 " +
                                   (maker.flip() ? "{causal} " : "") + ": $0, $1, $2" + type,
                               operands, result, "f32", 2);
  // A row that sees no key has no logarithm of its sum.
  if (maker.draw(4) == 0 && shape[2] <= keys[2])
    maker.addResult(attention, 1, {shape[0], shape[1], shape[2]});
}

void drawRotation(ProgramMaker &maker) {
  auto x =
      maker.pick([](ArrayRef<int64_t> shape) { return shape.size() == 4 && shape[3] % 2 == 0; });
  if (!x)
    return;
  Shape shape = maker.shapeOf(*x), half = {shape[2], shape[3] / 2};
  bool differs = maker.flip(); // differs from sample to sample
  if (differs)
    half.insert(half.begin(), shape[0]);
  size_t angles = differs ? maker.addAlong(*x, {0, 2, 3}) : maker.addAlong(*x, {2, 3});
  angles = maker.add("slice @0 axis = " + std::to_string(half.size() - 1) + " start = 0 : $0 to $r",
                     {angles}, half);
  size_t cosine = maker.add("cos @0 : $0", {angles}, half);
  size_t sine = maker.add("sin @0 : $0", {angles}, half);
  maker.add(std::string("rotary_embedding @0, @1, @2 ") + (maker.flip() ? "{interleaved} " : "") +
                ": $0, $1",
            {*x, cosine, sine}, shape);
}

} // namespace pcc::test
