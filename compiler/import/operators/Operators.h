// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Table of the ONNX operators that pcc imports, with one row for each change of an operator's
// meaning.
//
//     name       since  inputs  gradients of   handler
//     Softmax    1      1..1    x              flattened to two dimensions at `axis`
//     Softmax    13     1..1    x              along `axis`
//
// A node of opset v uses the row of its operator with the greatest `since` up to v. To add an
// operator, add a row to the table of its family, and a handler that emits graph ops.
#pragma once

#include "compiler/import/emit/Node.h"
#include <vector>

namespace pcc::import {

/// Range of the supported opsets of domain `ai.onnx`. Of opsets before 7, which few files have,
/// only operators with unchanged meaning are supported.
constexpr int64_t oldestOpset = 1;
constexpr int64_t newestOpset = 28;

/// Returns whether `domain` is `ai.onnx`, whose name files may omit.
inline bool isDefaultDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// Inputs through which a gradient can flow, one bit each; bit 31 is for all inputs from 31 on.
enum Gradients : uint32_t {
  NoGradient = 0,
  FirstInput = 1u << 0,
  SecondInput = 1u << 1,
  ThirdInput = 1u << 2,
  FourthInput = 1u << 3,
  FifthInput = 1u << 4,
  AllInputs = ~0u,
};

/// How an operator takes inputs whose elements are narrow (NarrowTypes.h).
enum class NarrowInputs {
  Refused,
  Read,  ///< by a handler that knows them
  Moved, ///< the first input is moved, and the results have its element type
};

struct Operator {
  llvm::StringLiteral name;
  int64_t since;
  unsigned minInputs, maxInputs; ///< the first `minInputs` are required
  Gradients gradients;
  mlir::LogicalResult (*handler)(Node &);
  uint32_t states = NoGradient; ///< inputs that training changes without a gradient, as `gradients`
  uint32_t sequences = NoGradient; ///< inputs that may be sequences, as `gradients`
  NarrowInputs narrow = NarrowInputs::Refused;
};

/// Returns the row of an operator whose handler knows narrow inputs.
inline Operator readsNarrow(Operator row) {
  row.narrow = NarrowInputs::Read;
  return row;
}

/// Returns the row of an operator that only moves the elements of its first input.
inline Operator movesNarrow(Operator row) {
  row.narrow = NarrowInputs::Moved;
  return row;
}

/// Values of `maxInputs` for any number of inputs: all required, or those after the first
/// `minInputs` optional.
constexpr unsigned anyNumber = ~0u;
constexpr unsigned anyNumberOptional = anyNumber - 1;

/// Rows of each family, in its own file.
llvm::ArrayRef<Operator> elementwiseOperators();     // ElementwiseOperators.cpp
llvm::ArrayRef<Operator> logicOperators();           // LogicOperators.cpp
llvm::ArrayRef<Operator> constantOperators();        // ConstantOperators.cpp
llvm::ArrayRef<Operator> shapeOperators();           // ShapeOperators.cpp
llvm::ArrayRef<Operator> indexOperators();           // IndexOperators.cpp
llvm::ArrayRef<Operator> contractionOperators();     // ContractionOperators.cpp
llvm::ArrayRef<Operator> reduceOperators();          // ReduceOperators.cpp
llvm::ArrayRef<Operator> normOperators();            // NormOperators.cpp
llvm::ArrayRef<Operator> lossOperators();            // LossOperators.cpp
llvm::ArrayRef<Operator> convolutionOperators();     // ConvolutionOperators.cpp
llvm::ArrayRef<Operator> poolOperators();            // PoolOperators.cpp
llvm::ArrayRef<Operator> activationOperators();      // ActivationOperators.cpp
llvm::ArrayRef<Operator> attentionOperators();       // AttentionOperators.cpp
llvm::ArrayRef<Operator> rotaryOperators();          // RotaryOperators.cpp
llvm::ArrayRef<Operator> einsumOperators();          // EinsumOperator.cpp
llvm::ArrayRef<Operator> elementIndexOperators();    // ElementIndexOperators.cpp
llvm::ArrayRef<Operator> maskOperators();            // MaskOperators.cpp
llvm::ArrayRef<Operator> orderOperators();           // OrderOperators.cpp
llvm::ArrayRef<Operator> recurrentOperators();       // RecurrentOperators.cpp
llvm::ArrayRef<Operator> sequenceOperators();        // SequenceOperators.cpp
llvm::ArrayRef<Operator> resizeOperators();          // ResizeOperators.cpp
llvm::ArrayRef<Operator> groupNormOperators();       // GroupNormOperators.cpp
llvm::ArrayRef<Operator> hyperbolicOperators();      // HyperbolicOperators.cpp
llvm::ArrayRef<Operator> bitOperators();             // BitOperators.cpp
llvm::ArrayRef<Operator> layoutOperators();          // LayoutOperators.cpp
llvm::ArrayRef<Operator> knownDataOperators();       // KnownDataOperators.cpp
llvm::ArrayRef<Operator> controlOperators();         // ControlOperators.cpp
llvm::ArrayRef<Operator> gridSampleOperators();      // GridSampleOperator.cpp
llvm::ArrayRef<Operator> quantizeOperators();        // QuantizeOperators.cpp
llvm::ArrayRef<Operator> linearAttentionOperators(); // LinearAttentionOperators.cpp
llvm::ArrayRef<Operator> signalOperators();          // SignalOperators.cpp
llvm::ArrayRef<Operator> samplingOperators();        // SamplingOperators.cpp
llvm::ArrayRef<Operator> tfIdfOperators();           // TfIdfOperator.cpp

/// Returns all families, and thereby every row of the table.
std::vector<llvm::ArrayRef<Operator>> operatorFamilies();

/// Returns the row for `name` in `opset`; null for an operator that is not supported.
const Operator *findOperator(llvm::StringRef name, int64_t opset);

} // namespace pcc::import
