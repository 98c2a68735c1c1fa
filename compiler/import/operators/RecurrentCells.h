// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of a recurrent cell, emitted as graph ops. `inputs` is the part of the gates that does
// not depend on the state, [batch, gates · hidden]; the gates are in ONNX's order.
//
//     cell   gates      functions   state
//     RNN    i          f           hidden
//     GRU    z r h      f g         hidden
//     LSTM   i o f c    f g h       hidden, cell
#pragma once

#include "compiler/import/emit/Emitter.h"

namespace pcc::import {

/// An activation function of a recurrent operator.
struct Activation {
  std::string name; ///< in lower case
  double alpha = 0, beta = 0;
};

/// Returns the function `name` with its default numbers; nothing for an unknown name. Sets
/// `numbers` to the count of numbers that the function has: alpha, or alpha and beta.
std::optional<Activation> findActivation(llvm::StringRef name, unsigned &numbers);

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

CellState stepRnn(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state);
CellState stepGru(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state);
CellState stepLstm(Emitter &emit, const Cell &cell, const Tensor &inputs, const CellState &state);

} // namespace pcc::import
