// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN. The length of the sequence is known, so the loop over its steps is unrolled;
// all steps share the weights. One matmul computes the part of the gates that depends on the input
// alone, for all steps.

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace pcc::import {
namespace {

//===--- One step of a cell ----------------------------------------------===//

// One step of a recurrent cell, emitted as graph ops. `inputs` is the part of the gates that does
// not depend on the state, [batch, gates · hidden]; the gates are in ONNX's order.
//
//     cell   gates      functions   state
//     RNN    i          f           hidden
//     GRU    z r h      f g         hidden
//     LSTM   i o f c    f g h       hidden, cell
//
// Null tensors stand for zeros throughout, so the first step emits no op for a zero state. The GRU
// applies its reset gate to the state, or to the matmul of the state (`linear_before_reset`).

/// An activation function of a recurrent operator.
struct Activation {
  std::string name; ///< in lower case
  double alpha = 0, beta = 0;
};

/// State between two steps, [batch, hidden] each. A null tensor stands for zeros.
struct CellState {
  Tensor hidden, cell;
};

/// Weights and options that all steps of one direction share.
struct Cell {
  Tensor recurrent; ///< [gates · hidden, hidden]
  Tensor bias;      ///< [gates · hidden] of the recurrent part, if it is not part of the inputs
  Tensor peepholes; ///< [3 · hidden], null: none
  llvm::SmallVector<Activation, 3> functions;
  std::optional<double> clip; ///< limits the inputs of the functions
  bool couplesGates = false;  ///< the forget gate is one minus the input gate
  bool resetsAfter = false;   ///< the reset gate scales the matmul of the state, not the state
};

/// Returns x + y, where a null tensor is zero.
Tensor add(Emitter &emit, const Tensor &x, const Tensor &y) {
  return !y ? x : !x ? y : emit.binary<graph::AddOp>(x, y);
}

/// Returns x · y; null, for zero, if one of them is null.
Tensor multiply(Emitter &emit, const Tensor &x, const Tensor &y) {
  return x && y ? emit.binary<graph::MulOp>(x, y) : Tensor();
}

/// Returns factor · x + term.
Tensor affine(Emitter &emit, const Tensor &x, double factor, double term) {
  Tensor scaled = factor == 1.0 ? x : multiply(emit, x, emit.scalarLike(x, factor));
  return term == 0.0 ? scaled : add(emit, scaled, emit.scalarLike(x, term));
}

Tensor softsign(Emitter &emit, const Tensor &x) {
  return emit.binary<graph::DivOp>(x, affine(emit, emit.unary<graph::AbsOp>(x), 1.0, 1.0));
}

Tensor apply(Emitter &emit, const Activation &f, const Tensor &x) {
  using llvm::APFloat;
  if (f.name == "sigmoid")
    return emit.unary<graph::SigmoidOp>(x);
  if (f.name == "tanh")
    return emit.unary<graph::TanhOp>(x);
  if (f.name == "relu")
    return emit.unary<graph::ReluOp>(x);
  if (f.name == "affine")
    return affine(emit, x, f.alpha, f.beta);
  if (f.name == "leakyrelu")
    return emit.map<graph::LeakyReluOp>(x, APFloat(f.alpha));
  if (f.name == "thresholdedrelu") {
    Tensor isAbove = emit.compare(graph::Direction::GE, x, emit.scalarLike(x, f.alpha));
    return emit.select(isAbove, x, emit.scalarLike(x, 0.0));
  }
  if (f.name == "scaledtanh")
    return affine(emit, emit.unary<graph::TanhOp>(affine(emit, x, f.beta, 0.0)), f.alpha, 0.0);
  if (f.name == "hardsigmoid")
    return emit.map<graph::ClampOp>(affine(emit, x, f.alpha, f.beta), APFloat(0.0), APFloat(1.0));
  if (f.name == "elu")
    return emit.map<graph::EluOp>(x, APFloat(f.alpha));
  return f.name == "softsign" ? softsign(emit, x) : emit.unary<graph::SoftplusOp>(x);
}

/// Applies function number `index` of the cell to `x`, which is limited first if the cell clips.
Tensor activate(Emitter &emit, const Cell &cell, unsigned index, const Tensor &x) {
  if (!x)
    return {};
  Tensor limited =
      cell.clip ? emit.map<graph::ClampOp>(x, llvm::APFloat(-*cell.clip), llvm::APFloat(*cell.clip))
                : x;
  return limited ? apply(emit, cell.functions[index], limited) : Tensor();
}

/// Returns the product of the state and the rows of the recurrent weight from gate `first` on.
Tensor product(Emitter &emit, const Cell &cell, const Tensor &hidden, int64_t first,
               int64_t count) {
  if (!hidden)
    return {};
  int64_t width = cell.recurrent.shape()[1];
  Tensor rows = emit.slice(cell.recurrent, 0, first * width, 1, count * width);
  return emit.matmul(hidden, rows, /*transposeX=*/false, /*transposeY=*/true);
}

llvm::SmallVector<Tensor> splitGates(Emitter &emit, const Tensor &x, int64_t count) {
  llvm::SmallVector<int64_t> sizes(count, x ? x.shape()[1] / count : 0);
  return emit.split(x, 1, sizes);
}

/// Returns 1 - x.
Tensor complement(Emitter &emit, const Tensor &x) {
  return x ? emit.binary<graph::SubOp>(emit.scalarLike(x, 1.0), x) : Tensor();
}

/// Returns the function `name` with its default numbers; nothing for an unknown name. Sets
/// `numbers` to the count of numbers that the function has: alpha, or alpha and beta.
std::optional<Activation> findActivation(llvm::StringRef name, unsigned &numbers) {
  struct Row {
    llvm::StringLiteral name;
    unsigned numbers;
    double alpha, beta;
  };
  static constexpr Row rows[] = {
      {"affine", 2, 1, 0},
      {"elu", 1, 1, 0},
      {"hardsigmoid", 2, 0.2, 0.5},
      {"leakyrelu", 1, 0.01, 0},
      {"relu", 0, 0, 0},
      {"scaledtanh", 2, 1, 1},
      {"sigmoid", 0, 0, 0},
      {"softplus", 0, 0, 0},
      {"softsign", 0, 0, 0},
      {"tanh", 0, 0, 0},
      {"thresholdedrelu", 1, 1, 0},
  };
  for (const Row &row : rows)
    if (name.equals_insensitive(row.name)) {
      numbers = row.numbers;
      return Activation{row.name.str(), row.alpha, row.beta};
    }
  return std::nullopt;
}

CellState stepRnn(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state) {
  Tensor sum = add(emit, inputs, product(emit, cell, state.hidden, 0, 1));
  return {activate(emit, cell, 0, sum), {}};
}

CellState stepGru(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state) {
  int64_t width = cell.recurrent.shape()[1];
  Tensor hidden, open, all;
  if (cell.resetsAfter) {
    all = add(emit, product(emit, cell, state.hidden, 0, 3), cell.bias);
    if (all && all.rank() == 1)
      all = emit.broadcast(all, inputs.shape());
  }
  Tensor own = emit.slice(inputs, 1, 0, 1, 2 * width);
  Tensor past = all ? emit.slice(all, 1, 0, 1, 2 * width) : product(emit, cell, state.hidden, 0, 2);
  auto gates = splitGates(emit, add(emit, own, past), 2);
  Tensor update = activate(emit, cell, 0, gates[0]), reset = activate(emit, cell, 0, gates[1]);
  Tensor term = all ? multiply(emit, reset, emit.slice(all, 1, 2 * width, 1, width))
                    : product(emit, cell, multiply(emit, reset, state.hidden), 2, 1);
  open = add(emit, emit.slice(inputs, 1, 2 * width, 1, width), term);
  hidden = multiply(emit, complement(emit, update), activate(emit, cell, 1, open));
  return {add(emit, hidden, multiply(emit, update, state.hidden)), {}};
}

CellState stepLstm(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state) {
  int64_t width = cell.recurrent.shape()[1];
  auto gates = splitGates(emit, add(emit, inputs, product(emit, cell, state.hidden, 0, 4)), 4);
  /// Adds to `gate` the product of `cellState` and peephole weight `index` (0 input, 1 output, 2
  /// forget).
  auto withPeephole = [&](const Tensor &gate, int64_t index, const Tensor &cellState) {
    if (!cell.peepholes || !cellState)
      return gate;
    Tensor weight = emit.slice(cell.peepholes, 0, index * width, 1, width);
    return add(emit, gate, multiply(emit, cellState, weight));
  };
  Tensor in = activate(emit, cell, 0, withPeephole(gates[0], 0, state.cell));
  Tensor forget = cell.couplesGates
                      ? complement(emit, in)
                      : activate(emit, cell, 0, withPeephole(gates[2], 2, state.cell));
  Tensor candidate = activate(emit, cell, 1, gates[3]);
  Tensor next = add(emit, multiply(emit, in, candidate), multiply(emit, forget, state.cell));
  Tensor out = activate(emit, cell, 0, withPeephole(gates[1], 1, next));
  return {multiply(emit, out, activate(emit, cell, 2, next)), next};
}

//===--- The operators ---------------------------------------------------===//

/// A recurrent operator.
struct Recurrence {
  int64_t gates;
  llvm::SmallVector<llvm::StringRef, 3> functions; ///< default activation functions
  bool hasCell;                                    ///< the state has a cell beside the hidden part
  CellState (*step)(Emitter &, const Cell &, const Tensor &, const CellState &);
};

/// Imports a node in three steps: reads it, runs each direction, joins their results.
class Unroller {
public:
  Unroller(Node &node, const Recurrence &kind) : node(node), emit(node.emit), kind(kind) {}
  LogicalResult run();

private:
  bool readShapes();
  bool readFunctions();
  bool checkShape(size_t position, llvm::StringRef name, llvm::ArrayRef<int64_t> expected);
  Tensor ofDirection(const Tensor &x, int64_t direction);
  Tensor initial(size_t position, int64_t direction);
  Tensor joinDirections(llvm::ArrayRef<Tensor> parts, int64_t axis);
  Tensor readSteps(int64_t direction, Cell &cell);
  bool runDirection(int64_t direction);
  CellState maskStep(int64_t time, const CellState &next, const CellState &last, Tensor &output);

  Node &node;
  Emitter &emit;
  const Recurrence &kind;
  int64_t directions = 1, length = 0, batch = 0, width = 0;
  bool isBatchFirst = false, startsReversed = false;
  Tensor lengths; ///< [batch]; null: all sequences have all steps
  Cell shared;    ///< options of all directions
  llvm::SmallVector<Activation> functions;
  llvm::SmallVector<Tensor, 2> outputs, hidden, cells; ///< of each direction
};

bool Unroller::checkShape(size_t position, llvm::StringRef name, llvm::ArrayRef<int64_t> expected) {
  Tensor x = node.input(position);
  if (!x || x.shape() == expected)
    return true;
  emit.error() << "expected '" << name << "' of shape " << formatShape(expected) << ", got "
               << x.type;
  return false;
}

bool Unroller::readShapes() {
  Tensor x = node.input(0), recurrent = node.input(2);
  isBatchFirst = node.integer("layout", 0) != 0;
  if (x.rank() != 3 || recurrent.rank() != 3) {
    emit.error() << "expected a sequence and weights of rank 3, got " << x.type << " and "
                 << recurrent.type;
    return false;
  }
  length = x.shape()[isBatchFirst], batch = x.shape()[!isBatchFirst];
  width = recurrent.shape()[2];
  std::string direction = node.text("direction", "forward");
  directions = direction == "bidirectional" ? 2 : 1;
  startsReversed = direction == "reverse";
  if (directions == 1 && !startsReversed && direction != "forward") {
    emit.error() << "expected 'direction' to be forward, reverse or bidirectional, got '"
                 << direction << "'";
    return false;
  }
  if (int64_t size = node.integer("hidden_size", width); size != width) {
    emit.error() << "expected 'hidden_size' to be " << width << ", got " << size;
    return false;
  }
  int64_t rows = kind.gates * width;
  Shape state = {directions, batch, width};
  if (isBatchFirst)
    std::swap(state[0], state[1]);
  return checkShape(1, "W", {directions, rows, x.shape()[2]}) &&
         checkShape(2, "R", {directions, rows, width}) &&
         checkShape(3, "B", {directions, 2 * rows}) && checkShape(4, "sequence_lens", {batch}) &&
         checkShape(5, "initial_h", state) && checkShape(6, "initial_c", state) &&
         checkShape(7, "P", {directions, 3 * width});
}

/// Reads the activation functions; each takes its numbers from the front of the lists.
bool Unroller::readFunctions() {
  size_t each = kind.functions.size();
  llvm::SmallVector<std::string> names;
  for (int64_t direction = 0; direction < directions; ++direction)
    for (llvm::StringRef name : kind.functions)
      names.push_back(name.str());
  auto given = node.texts("activations");
  // The default of RNN in ONNX's table lists the functions of both directions.
  if (given && given->size() == 2 * each && directions == 1)
    given->resize(each);
  if (given)
    names = std::move(*given);
  auto alphas = node.numbers("activation_alpha").value_or(llvm::SmallVector<double>());
  auto betas = node.numbers("activation_beta").value_or(llvm::SmallVector<double>());
  if (names.size() != each * directions) {
    emit.error() << "expected " << each * directions << " activation functions, got "
                 << names.size();
    return false;
  }
  auto alpha = alphas.begin(), beta = betas.begin();
  for (const std::string &name : names) {
    unsigned numbers = 0;
    auto function = findActivation(name, numbers);
    if (!function) {
      emit.error() << "activation function '" << name << "' is not supported";
      return false;
    }
    if (numbers > 0 && alpha != alphas.end())
      function->alpha = *alpha++;
    if (numbers > 1 && beta != betas.end())
      function->beta = *beta++;
    functions.push_back(*function);
  }
  if (node.hasAttribute("clip"))
    shared.clip = node.number("clip", 0.0);
  return true;
}

/// Returns the part of a weight that belongs to one direction.
Tensor Unroller::ofDirection(const Tensor &x, int64_t direction) {
  return x ? emit.reshape(emit.slice(x, 0, direction, 1, 1), x.shape().drop_front()) : Tensor();
}

Tensor Unroller::initial(size_t position, int64_t direction) {
  Tensor x = node.input(position);
  if (!x)
    return {};
  return emit.reshape(emit.slice(x, isBatchFirst ? 1 : 0, direction, 1, 1), {batch, width});
}

/// Computes the part of the gates that depends on the inputs, [length, batch, gates · hidden], and
/// sets the weights of `cell`.
Tensor Unroller::readSteps(int64_t direction, Cell &cell) {
  Tensor x = node.input(0);
  if (isBatchFirst)
    x = emit.transpose(x, {1, 0, 2});
  cell.recurrent = ofDirection(node.input(2), direction);
  cell.peepholes = ofDirection(node.input(7), direction);
  Tensor steps = emit.matmul(x, ofDirection(node.input(1), direction), false, /*transposeY=*/true);
  Tensor biases = ofDirection(node.input(3), direction);
  if (!biases || !steps)
    return steps;
  int64_t rows = kind.gates * width;
  auto parts = emit.split(biases, 0, {rows, rows});
  if (cell.resetsAfter)
    cell.bias = parts[1];
  else
    parts[0] = emit.binary<graph::AddOp>(parts[0], parts[1]);
  return emit.binary<graph::AddOp>(steps, parts[0]);
}

/// Keeps the state of the sequences that have ended, or not begun, and zeros their outputs.
CellState Unroller::maskStep(int64_t time, const CellState &next, const CellState &last,
                             Tensor &output) {
  Tensor bound =
      emit.cast(emit.scalar(emit.attributes().getI64Type(), double(time)), lengths.elementType());
  Tensor isLive = emit.reshape(emit.compare(graph::Direction::GT, lengths, bound), {batch, 1});
  auto choose = [&](const Tensor &x, const Tensor &y) {
    return x ? emit.select(isLive, x, y ? y : emit.scalarLike(x, 0.0)) : Tensor();
  };
  output = choose(next.hidden, {});
  return {choose(next.hidden, last.hidden), choose(next.cell, last.cell)};
}

bool Unroller::runDirection(int64_t direction) {
  bool isReversed = startsReversed || direction == 1;
  Cell cell = shared;
  size_t each = kind.functions.size();
  auto own = llvm::ArrayRef(functions).slice(direction * each, each);
  cell.functions.assign(own.begin(), own.end());
  Tensor steps = readSteps(direction, cell);
  if (!steps)
    return false;
  auto inputs = emit.split(steps, 0, Shape(length, 1));
  CellState state = {initial(5, direction), kind.hasCell ? initial(6, direction) : Tensor()};
  llvm::SmallVector<Tensor> results(length);
  for (int64_t step : llvm::seq(length)) {
    int64_t time = isReversed ? length - 1 - step : step;
    Tensor input = emit.reshape(inputs[time], {batch, kind.gates * width});
    CellState next = input ? kind.step(emit, cell, input, state) : CellState();
    if (!next.hidden)
      return false;
    results[time] = next.hidden;
    state = lengths ? maskStep(time, next, state, results[time]) : next;
  }
  for (Tensor &result : results)
    result = emit.reshape(result, {1, batch, width});
  outputs.push_back(emit.concat(results, 0));
  hidden.push_back(state.hidden);
  cells.push_back(state.cell);
  return bool(outputs.back());
}

/// Joins the results of all directions along a new dimension.
Tensor Unroller::joinDirections(llvm::ArrayRef<Tensor> parts, int64_t axis) {
  llvm::SmallVector<Tensor> pieces;
  for (const Tensor &part : parts) {
    Shape shape(part.shape());
    shape.insert(shape.begin() + axis, 1);
    pieces.push_back(emit.reshape(part, shape));
  }
  return emit.concat(pieces, axis);
}

LogicalResult Unroller::run() {
  shared.couplesGates = node.integer("input_forget", 0) != 0;
  shared.resetsAfter = node.integer("linear_before_reset", 0) != 0;
  if (!readShapes() || !readFunctions())
    return failure();
  if (length == 0)
    return emit.error() << "expected a sequence with steps, got " << node.input(0).type;
  if (!emit.allowsParts({length}, "steps"))
    return failure();
  lengths = node.input(4);
  if (lengths && lengths.known && batch <= Emitter::maxFoldedElements &&
      llvm::all_of(llvm::seq(batch), [&](int64_t n) { return (*lengths.known)[n].i >= length; }))
    lengths = {};
  for (int64_t direction : llvm::seq(directions))
    if (!runDirection(direction))
      return failure();
  Tensor all = joinDirections(outputs, 1);
  if (isBatchFirst)
    all = emit.transpose(all, {2, 0, 1, 3});
  llvm::SmallVector<Tensor> results = {all, joinDirections(hidden, isBatchFirst)};
  if (kind.hasCell)
    results.push_back(joinDirections(cells, isBatchFirst));
  return node.setResults(
      llvm::ArrayRef(results).take_front(std::min(node.outputCount(), results.size())));
}

LogicalResult importRnn(Node &node) { return Unroller(node, {1, {"Tanh"}, false, stepRnn}).run(); }
LogicalResult importGru(Node &node) {
  return Unroller(node, {3, {"Sigmoid", "Tanh"}, false, stepGru}).run();
}
LogicalResult importLstm(Node &node) {
  return Unroller(node, {4, {"Sigmoid", "Tanh", "Tanh"}, true, stepLstm}).run();
}

} // namespace

llvm::ArrayRef<Operator> recurrentOperators() {
  static const Operator rows[] = {
      {"GRU", 7, 3, 6, AllInputs, importGru},
      {"LSTM", 7, 3, 8, AllInputs, importLstm},
      {"RNN", 7, 3, 6, AllInputs, importRnn},
  };
  return rows;
}

} // namespace pcc::import
