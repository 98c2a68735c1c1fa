// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of ONNX's RNN, GRU and LSTM. Null tensors stand for zeros throughout, so the first step
// emits no op for a zero state. The GRU applies its reset gate to the state, or to the matmul of
// the state (`linear_before_reset`).
#include "compiler/import/operators/RecurrentCells.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace pcc::import {
namespace {

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

} // namespace

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

} // namespace pcc::import
