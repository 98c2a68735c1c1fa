// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "test/oracle/sharding/Partitioned.h"
#include "test/oracle/sharding/RandomProgram.h"

using namespace mlir;
using pcc::dist::Mesh;

namespace pcc::test {
namespace {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Adds values one after the other; every value may be used again by any later op. What can grow is
/// followed by a tanh, so that long chains stay in range.
class Maker {
public:
  explicit Maker(uint64_t seed) : random(seed) {}

  std::vector<ModelValue> make() {
    addArgument({24, 12}, false);
    addArgument({24}, false, "i64");
    for (const Shape &shape :
         {Shape{12, 12}, Shape{12, 12}, Shape{12}, Shape{24, 12}, Shape{4, 6, 12}})
      addArgument(shape, true);
    size_t numOps = 10 + random() % 50, first = values.size();
    while (values.size() < first + numOps)
      addOp();
    return std::move(values);
  }

private:
  void addArgument(const Shape &shape, bool isParameter, StringRef element = "f32") {
    values.push_back({"", {}, typeText(shape, element), isParameter});
    shapes.push_back(element == "f32" ? shape : Shape{});
  }
  size_t add(const std::string &op, std::vector<size_t> operands, const Shape &shape) {
    values.push_back({op, std::move(operands), typeText(shape)});
    shapes.push_back(shape);
    return values.size() - 1;
  }
  /// A value for which `fits` holds of its shape; nothing if there is none. Later ones are taken
  /// more often, as in a model.
  template <typename Fits> std::optional<size_t> pick(Fits fits) {
    std::vector<size_t> all;
    for (size_t index = 0; index < values.size(); ++index)
      if (!shapes[index].empty() && fits(ArrayRef<int64_t>(shapes[index])))
        all.push_back(index);
    if (all.empty())
      return std::nullopt;
    return all[std::max(random() % all.size(), random() % all.size())];
  }
  size_t pickAny() {
    return *pick([](ArrayRef<int64_t>) { return true; });
  }
  size_t pickLike(size_t value) {
    return *pick([&](ArrayRef<int64_t> shape) { return shape == ArrayRef(shapes[value]); });
  }

  void addOp();
  void addUnary();
  void addBinary();
  void addProduct();
  void addReshape();
  void addTranspose();
  void addBroadcast();
  void addReduction();
  void addAlongAxis();
  void addRows();

  std::mt19937_64 random;
  std::vector<ModelValue> values;
  std::vector<Shape> shapes; ///< empty for what is no float
};

void Maker::addUnary() {
  static const char *ops[] = {"relu", "tanh", "sigmoid", "neg", "gelu", "silu", "sin"};
  size_t x = pickAny();
  add(std::string(ops[random() % std::size(ops)]) + " @0 : " + values[x].type, {x}, shapes[x]);
}

void Maker::addBinary() {
  static const char *ops[] = {"add", "sub", "mul", "max", "min"};
  size_t x = pickAny(), y = pickLike(x);
  add(std::string(ops[random() % std::size(ops)]) + " @0, @1 : " + values[x].type, {x, y},
      shapes[x]);
}

/// With the second operand as it is stored, or transposed.
void Maker::addProduct() {
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() >= 2; });
  ArrayRef<int64_t> left = shapes[*x];
  bool isTransposed = random() % 2;
  auto y = pick([&](ArrayRef<int64_t> shape) {
    return shape.size() == left.size() && shape.drop_back(2) == left.drop_back(2) &&
           shape[shape.size() - (isTransposed ? 1 : 2)] == left.back();
  });
  if (!y)
    return;
  Shape shape = shapes[*x];
  shape.back() = shapes[*y][shape.size() - (isTransposed ? 2 : 1)];
  size_t product = add("matmul @0, @1 " + std::string(isTransposed ? "{transpose_rhs} " : "") +
                           ": " + values[*x].type + ", " + values[*y].type,
                       {*x, *y}, shape);
  add("tanh @0 : " + values[product].type, {product}, shape);
}

/// Merges two dimensions, or takes one apart.
void Maker::addReshape() {
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() >= 2; });
  Shape shape = shapes[*x];
  size_t dim = random() % (shape.size() - 1);
  int64_t parts = 2 + random() % 5;
  if (shape.size() >= 3) {
    shape[dim] *= shape[dim + 1];
    shape.erase(shape.begin() + dim + 1);
  } else if (shape[dim] % parts == 0) {
    shape[dim] /= parts;
    shape.insert(shape.begin() + dim, parts);
  }
  add("reshape @0 : " + values[*x].type + " to " + typeText(shape), {*x}, shape);
}

void Maker::addTranspose() {
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() >= 2; });
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, shapes[*x].size()));
  std::shuffle(order.begin(), order.end(), random);
  Shape shape;
  std::string text;
  for (int64_t dim : order) {
    text += (text.empty() ? "" : ", ") + std::to_string(dim);
    shape.push_back(shapes[*x][dim]);
  }
  add("transpose @0, [" + text + "] : " + values[*x].type, {*x}, shape);
}

/// To one more dimension in front or behind.
void Maker::addBroadcast() {
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() == 1 || shape.size() == 2; });
  Shape shape = shapes[*x];
  bool inFront = random() % 2;
  shape.insert(inFront ? shape.begin() : shape.end(), shape.size() == 1 ? 12 : 4);
  std::string dims;
  for (size_t dim = 0; dim < shapes[*x].size(); ++dim)
    dims += (dim ? ", " : "") + std::to_string(dim + inFront);
  add("broadcast @0, [" + dims + "] : " + values[*x].type + " to " + typeText(shape), {*x}, shape);
}

void Maker::addReduction() {
  static const char *kinds[] = {"sum", "mean", "max", "min"};
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() >= 2; });
  Shape shape = shapes[*x];
  size_t dim = random() % shape.size();
  shape.erase(shape.begin() + dim);
  size_t reduced = add("reduce " + std::string(kinds[random() % std::size(kinds)]) + " @0, [" +
                           std::to_string(dim) + "] : " + values[*x].type,
                       {*x}, shape);
  add("tanh @0 : " + values[reduced].type, {reduced}, shape);
}

/// Ops whose axis is whole: softmax, the first half, twice the same.
void Maker::addAlongAxis() {
  size_t x = pickAny();
  Shape shape = shapes[x];
  size_t dim = random() % shape.size();
  std::string axis = " axis = " + std::to_string(dim);
  switch (random() % 3) {
  case 0:
    // Its sums are one: the sine keeps them from being a constant without gradients.
    x = add("softmax @0" + axis + " : " + values[x].type, {x}, shape);
    add("sin @0 : " + values[x].type, {x}, shape);
    break;
  case 1:
    if (shape[dim] % 2 != 0)
      return;
    shape[dim] /= 2;
    add("slice @0" + axis + " start = 1 : " + values[x].type + " to " + typeText(shape), {x},
        shape);
    break;
  default:
    if (shape[dim] > 12)
      return;
    shape[dim] *= 2;
    add("concat @0, @1" + axis + " : " + values[x].type + ", " + values[x].type, {x, pickLike(x)},
        shape);
  }
}

/// Rows of a matrix by the model's integer input.
void Maker::addRows() {
  auto x = pick([](ArrayRef<int64_t> shape) { return shape.size() == 2; });
  Shape shape = {24, shapes[*x][1]};
  add("gather @0, @1 axis = 0 : " + values[*x].type + ", " + values[1].type, {*x, 1}, shape);
}

void Maker::addOp() {
  static constexpr void (Maker::*kinds[])() = {
      &Maker::addUnary,     &Maker::addUnary,     &Maker::addBinary,    &Maker::addBinary,
      &Maker::addBinary,    &Maker::addProduct,   &Maker::addProduct,   &Maker::addReshape,
      &Maker::addTranspose, &Maker::addBroadcast, &Maker::addReduction, &Maker::addAlongAxis,
      &Maker::addRows};
  (this->*kinds[random() % std::size(kinds)])();
}

Mesh pickMesh(std::mt19937_64 &random) {
  const Mesh meshes[] = {Mesh({{"x", 2}, {"y", 2}}),
                         Mesh({{"x", 2}, {"y", 4}}),
                         Mesh({{"x", 2}, {"y", 3}}),
                         Mesh({{"x", 3}, {"y", 2}}),
                         Mesh({{"x", 2}, {"y", 2}, {"z", 2}}),
                         Mesh({{"x", 6}}),
                         Mesh({{"x", 12}}),
                         Mesh({{"x", 3}, {"y", 4}})};
  return meshes[random() % std::size(meshes)];
}

} // namespace

/// Strategies are legal for an op, which is known when the text has been read.
RandomProgram makeRandomProgram(uint64_t seed) {
  RandomProgram program{Maker(seed).make(), {}};
  std::mt19937_64 random(seed);
  program.mesh = pickMesh(random);
  if (random() % 2)
    program.gradientSeed = seed;
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(program.str(), context.get());
  if (!module)
    return program; // found to differ
  size_t index = program.countArguments();
  for (Operation &op : module->lookupSymbol<func::FuncOp>("forward").getBody().front()) {
    if (index == program.values.size())
      break;
    if (random() % 2)
      program.values[index].strategy = pickStrategy(&op, program.mesh, random);
    ++index;
  }
  return program;
}

} // namespace pcc::test
