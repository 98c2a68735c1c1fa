// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow. Loops have a known number of steps and are unrolled. Bodies have no effects, so a
// condition that the program computes selects among the results of both branches.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

using Tensors = llvm::SmallVector<Tensor>;

/// Most steps of a loop.
constexpr int64_t maxSteps = 4096;

/// Returns the value of a condition that is known at import.
std::optional<bool> knownCondition(const Tensor &condition) {
  if (!condition.known || condition.known->size() != 1)
    return std::nullopt;
  return (*condition.known)[0].i != 0;
}

/// Checks that a condition that the program computes is one element; emits an error otherwise. It
/// may be a sequence, or absent.
LogicalResult checkCondition(Emitter &emit, const Tensor &condition) {
  if (condition.type && !condition.sequence && condition.type.getNumElements() == 1)
    return success();
  auto error = emit.error() << "expected a condition of one element, got ";
  if (condition.type && !condition.sequence)
    return error << condition.type;
  return error << (condition.sequence ? "a sequence" : "none");
}

/// Returns `x` where the scalar condition holds, else `y`; emits an error if their types differ.
Tensor choose(Emitter &emit, const Tensor &condition, const Tensor &x, const Tensor &y) {
  if (x.sequence || y.sequence || x.type != y.type) {
    auto error =
        emit.error() << "the condition depends on data: expected results of one type, got ";
    if (x.type && y.type)
      error << x.type << " and " << y.type;
    else
      error << "a sequence";
    return {};
  }
  return emit.select(emit.reshape(condition, {}), x, y);
}

LogicalResult importIf(Node &node) {
  Tensor condition = node.input(0);
  if (auto known = knownCondition(condition)) {
    auto results = node.body(*known ? "then_branch" : "else_branch", {});
    node.ignore(*known ? "else_branch" : "then_branch");
    return succeeded(results) ? node.setResults(*results) : failure();
  }
  if (failed(checkCondition(node.emit, condition)))
    return failure();
  auto onTrue = node.body("then_branch", {}), onFalse = node.body("else_branch", {});
  if (failed(onTrue) || failed(onFalse))
    return failure();
  if (onTrue->size() != onFalse->size())
    return node.emit.error() << "expected as many results of both branches, got " << onTrue->size()
                             << " and " << onFalse->size();
  Tensors results;
  for (auto [x, y] : llvm::zip_equal(*onTrue, *onFalse))
    results.push_back(choose(node.emit, condition, x, y));
  return node.setResults(results);
}

/// Joins the results of all steps along a new dimension.
Tensor stack(Emitter &emit, llvm::ArrayRef<Tensor> steps, int64_t axis) {
  Tensors pieces;
  for (const Tensor &step : steps) {
    if (step.sequence) {
      emit.error() << "expected tensors as results of each step, got a sequence";
      return {};
    }
    Shape shape(step.shape());
    shape.insert(shape.begin() + axis, 1);
    pieces.push_back(emit.reshape(step, shape));
  }
  return emit.concat(pieces, axis);
}

/// Unrolls a Loop node.
class Loop {
public:
  explicit Loop(Node &node) : node(node), emit(node.emit) {}
  LogicalResult run();

private:
  LogicalResult step(int64_t number);
  LogicalResult finish();

  Node &node;
  Emitter &emit;
  Tensor active; ///< whether the loop still runs, if the program computes it
  Tensors carried;
  llvm::SmallVector<Tensors> scanned; ///< of each result that is stacked, for each step
  bool runs = true;
};

LogicalResult Loop::step(int64_t number) {
  Type i64 = emit.attributes().getI64Type();
  Tensors inputs = {Tensor::of(Constant::scalar(i64, number)),
                    active ? active : emit.scalar(emit.attributes().getI1Type(), 1.0)};
  llvm::append_range(inputs, carried);
  auto outputs = node.body("body", inputs);
  if (failed(outputs))
    return failure();
  size_t count = carried.size();
  if (outputs->size() < count + 1)
    return emit.error() << "expected a body of at least " << count + 1 << " outputs, got "
                        << outputs->size();
  for (size_t n : llvm::seq(count)) {
    const Tensor &next = (*outputs)[n + 1];
    carried[n] = active ? choose(emit, active, next, carried[n]) : next;
    if (!carried[n])
      return failure();
  }
  scanned.resize(outputs->size() - count - 1);
  for (auto [list, value] : llvm::zip_equal(scanned, llvm::drop_begin(*outputs, count + 1)))
    list.push_back(value);
  Tensor condition = outputs->front();
  auto known = knownCondition(condition);
  if (!known && failed(checkCondition(emit, condition)))
    return failure();
  if (known)
    runs = *known;
  else
    active = active ? emit.binary<graph::AndOp>(active, emit.reshape(condition, {}))
                    : emit.reshape(condition, {});
  if (active && !scanned.empty())
    return emit.error() << "the number of steps depends on data: expected no results of each step";
  return success();
}

LogicalResult Loop::run() {
  std::optional<Shape> count;
  if (node.inputCount() < 2)
    return emit.error() << "expected 2 or more inputs, got " << node.inputCount();
  if (node.input(0) && !(count = node.knownIntegers(0, "number of steps")))
    return failure();
  if (count && count->size() != 1)
    return emit.error() << "expected one number of steps, got " << count->size();
  if (Tensor condition = node.input(1)) {
    auto known = knownCondition(condition);
    runs = known.value_or(true);
    if (!known && failed(checkCondition(emit, condition)))
      return failure();
    if (!known)
      active = emit.reshape(condition, {});
  }
  carried.assign(node.allInputs().begin() + 2, node.allInputs().end());
  for (int64_t number = 0; runs && (!count || number < count->front()); ++number) {
    if (number == maxSteps)
      return emit.error() << "expected at most " << maxSteps << " steps";
    if (!count && active)
      return emit.error() << "the number of steps depends on data: expected it to be known at "
                             "import";
    if (failed(step(number)))
      return failure();
  }
  return finish();
}

LogicalResult Loop::finish() {
  node.ignore("body");
  Tensors results = carried;
  for (const Tensors &steps : scanned)
    results.push_back(stack(emit, steps, 0));
  if (results.size() < node.outputCount())
    return emit.error() << "expected at least one step, which gives results their shape";
  return node.setResults(results);
}

LogicalResult importLoop(Node &node) { return Loop(node).run(); }

/// Returns the list `name` of `count` numbers, or zeros.
std::optional<Shape> readList(Node &node, llvm::StringRef name, size_t count) {
  Shape list = node.integers(name).value_or(Shape(count, 0));
  if (list.size() == count)
    return list;
  node.emit.error() << "expected " << count << " numbers in '" << name << "', got " << list.size();
  return std::nullopt;
}

/// The scanned inputs of a Scan node, cut into steps.
FailureOr<llvm::SmallVector<Tensors>> readScanned(Node &node, size_t first) {
  Emitter &emit = node.emit;
  size_t count = node.inputCount() - first;
  auto axes = readList(node, "scan_input_axes", count);
  auto directions = readList(node, "scan_input_directions", count);
  if (!axes || !directions)
    return failure();
  llvm::SmallVector<Tensors> steps;
  for (size_t n : llvm::seq(count)) {
    Tensor x = node.input(first + n);
    auto axis = node.checkAxis((*axes)[n], x.rank());
    if (!axis)
      return failure();
    int64_t size = x.shape()[*axis];
    if (size > maxSteps || (n > 0 && static_cast<size_t>(size) != steps.front().size()))
      return emit.error() << "expected inputs of equally many steps, at most " << maxSteps
                          << ", got " << size << " along axis " << *axis << " of " << x.type;
    Tensors pieces = emit.split(x, *axis, Shape(size, 1));
    Shape shape(x.shape());
    shape.erase(shape.begin() + *axis);
    for (Tensor &piece : pieces)
      piece = emit.reshape(piece, shape);
    if ((*directions)[n] != 0)
      std::reverse(pieces.begin(), pieces.end());
    steps.push_back(std::move(pieces));
  }
  return steps;
}

LogicalResult importScan(Node &node) {
  Emitter &emit = node.emit;
  int64_t count = node.integer("num_scan_inputs", 0);
  if (count < 1 || count > static_cast<int64_t>(node.inputCount()))
    return emit.error() << "expected from 1 to " << node.inputCount() << " scanned inputs, got "
                        << count;
  size_t states = node.inputCount() - count;
  auto inputs = readScanned(node, states);
  if (failed(inputs))
    return failure();
  Tensors carried(node.allInputs().take_front(states));
  llvm::SmallVector<Tensors> scanned;
  for (size_t step : llvm::seq(inputs->front().size())) {
    Tensors arguments = carried;
    for (const Tensors &list : *inputs)
      arguments.push_back(list[step]);
    auto outputs = node.body("body", arguments);
    if (failed(outputs))
      return failure();
    if (outputs->size() != node.outputCount() || outputs->size() < states)
      return emit.error() << "expected a body of " << node.outputCount() << " outputs, got "
                          << outputs->size();
    carried.assign(outputs->begin(), outputs->begin() + states);
    scanned.resize(outputs->size() - states);
    for (auto [list, value] : llvm::zip_equal(scanned, llvm::drop_begin(*outputs, states)))
      list.push_back(value);
  }
  auto axes = readList(node, "scan_output_axes", scanned.size());
  auto directions = readList(node, "scan_output_directions", scanned.size());
  if (!axes || !directions)
    return failure();
  for (auto [n, list] : llvm::enumerate(scanned)) {
    if (list.front().sequence || !list.front())
      return emit.error() << "expected tensors as results of each step, got "
                          << (list.front().sequence ? "a sequence" : "none");
    auto axis = node.checkAxis((*axes)[n], list.front().rank() + 1);
    if (!axis)
      return failure();
    if ((*directions)[n] != 0)
      std::reverse(list.begin(), list.end());
    carried.push_back(stack(emit, list, *axis));
  }
  return node.setResults(carried);
}

/// Imports SequenceMap: the body for the values of the first sequence, with those of the other
/// sequences at the same place, and with the tensors.
LogicalResult importSequenceMap(Node &node) {
  Emitter &emit = node.emit;
  if (!node.input(0).sequence || node.input(0).isAbsent())
    return emit.error() << "expected input 0 to be a sequence, got " << node.input(0).type;
  std::vector<std::vector<Tensor>> results(node.outputCount());
  for (size_t step : llvm::seq(node.input(0).sequence->size())) {
    Tensors arguments;
    for (const Tensor &input : node.allInputs()) {
      if (input.sequence && step >= input.sequence->size())
        return emit.error() << "expected sequences of one length, got "
                            << node.input(0).sequence->size() << " and " << input.sequence->size();
      arguments.push_back(input.sequence ? (*input.sequence)[step] : input);
    }
    auto outputs = node.body("body", arguments);
    if (failed(outputs))
      return failure();
    if (outputs->size() != results.size())
      return emit.error() << "expected a body of " << results.size() << " outputs, got "
                          << outputs->size();
    for (auto [list, value] : llvm::zip_equal(results, *outputs))
      list.push_back(value);
  }
  node.ignore("body");
  Tensors sequences;
  for (std::vector<Tensor> &list : results)
    sequences.push_back(Tensor::ofSequence(std::move(list)));
  return node.setResults(sequences);
}

} // namespace

llvm::ArrayRef<Operator> controlOperators() {
  static const Operator rows[] = {
      {"If", 1, 1, 1, NoGradient, importIf},
      {"Loop", 1, 0, anyNumberOptional, AllInputs, importLoop, NoGradient, AllInputs},
      {"Scan", 9, 1, anyNumber, AllInputs, importScan},
      {"SequenceMap", 17, 1, anyNumber, AllInputs, importSequenceMap, NoGradient, AllInputs},
  };
  return rows;
}

} // namespace pcc::import
