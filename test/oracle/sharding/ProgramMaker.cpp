// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/ProgramMaker.h"

#include "test/oracle/sharding/Partitioned.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace pcc::test {

std::string joined(ArrayRef<int64_t> numbers) {
  return join(map_range(numbers, [](int64_t number) { return std::to_string(number); }), ", ");
}

bool ProgramMaker::isSmall(ArrayRef<int64_t> shape) {
  return shape.size() <= 4 && product_of(shape) <= 2304;
}

Shape ProgramMaker::drawOrder(ArrayRef<int64_t> shape) {
  auto order = to_vector<4>(seq<int64_t>(0, shape.size()));
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

size_t ProgramMaker::addArgument(const Shape &shape, bool isParameter, StringRef element) {
  values.push_back({"", {}, typeText(shape, element), isParameter});
  shapes.push_back(shape);
  return values.size() - 1;
}

size_t ProgramMaker::add(StringRef text, const std::vector<size_t> &operands, const Shape &shape,
                         StringRef element, unsigned numResults) {
  std::string type = typeText(shape, element), op;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$')
      op += text[at];
    else if (text[++at] == 'r')
      op += type;
    else
      op += values[operands[text[at] - '0']].type;
  }
  ModelValue &value = values.emplace_back();
  value.op = op;
  value.operands = operands;
  value.type = type;
  value.numResults = numResults;
  shapes.push_back(shape);
  return values.size() - 1;
}

size_t ProgramMaker::addTanh(size_t value) {
  return add("tanh @0 : $0", {value}, Shape(shapes[value]));
}

size_t ProgramMaker::addAlong(size_t value, ArrayRef<int64_t> kept) {
  Shape shape, reduced;
  for (auto [dim, size] : enumerate(shapes[value])) {
    bool isKept = is_contained(kept, static_cast<int64_t>(dim));
    (isKept ? shape : reduced).push_back(isKept ? size : static_cast<int64_t>(dim));
  }
  auto other = pick([&](ArrayRef<int64_t> all) { return all == ArrayRef(shape); });
  if (other && flip())
    return *other;
  return add("reduce mean @0, [" + joined(reduced) + "] : $0", {value}, shape);
}

size_t ProgramMaker::addIndex(const Shape &shape) {
  size_t index = add("iota axis = 0 : $r", {}, {product_of(shape)}, "i64");
  return add("reshape @0 : $0 to $r", {index}, shape, "i64");
}

size_t ProgramMaker::addSeed() {
  return add("constant dense<" + std::to_string(draw(1000)) + "> : $r", {}, {}, "i64");
}

size_t ProgramMaker::addApart(size_t value) {
  Shape shape = shapes[value];
  size_t index = addIndex(shape), seed = addSeed();
  size_t random = add("rng_uniform @0, @1 : ($0, $1) -> $r", {index, seed}, shape);
  return add("add @0, @1 : $0", {value, random}, shape);
}

size_t ProgramMaker::addResult(size_t value, unsigned number, const Shape &shape) {
  return add("tanh @0#" + std::to_string(number) + " : $r", {value}, shape);
}

std::optional<size_t> ProgramMaker::pickOf(StringRef ending, Fits fits) {
  std::vector<size_t> all;
  for (size_t index = 0; index < values.size(); ++index)
    if (!shapes[index].empty() && StringRef(values[index].type).ends_with(ending) &&
        fits(shapes[index]))
      all.push_back(index);
  if (all.empty())
    return std::nullopt;
  return all[std::max(random() % all.size(), random() % all.size())];
}

std::optional<size_t> ProgramMaker::pickOfRank(size_t least, size_t most) {
  return pick(
      [=](ArrayRef<int64_t> shape) { return shape.size() >= least && shape.size() <= most; });
}

size_t ProgramMaker::pickLike(size_t value) {
  return *pick([&](ArrayRef<int64_t> shape) { return shape == ArrayRef(shapes[value]); });
}

} // namespace pcc::test
