// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections that a stage's program has in the place of @forward_backward, by name. A stage with
// several chunks has them for each, `forward_train.0`, `forward_train.1`, … Where gradients are
// reduced beside the last run of a section, that run is a section of its own.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc::facts {

inline constexpr llvm::StringLiteral forwardBackwardName = "forward_backward";

inline constexpr llvm::StringLiteral forwardTrainName = "forward_train";
/// Where gradients are computed in one piece.
inline constexpr llvm::StringLiteral backwardName = "backward";
/// Where those of weights are computed on their own: what the stage before waits for, and they.
inline constexpr llvm::StringLiteral backwardInputName = "backward_input";
inline constexpr llvm::StringLiteral backwardWeightName = "backward_weight";

/// The name of the section of the how many-th chunk of a stage with so many.
inline std::string sectionOfChunk(llvm::StringRef section, int64_t chunk, int64_t chunks) {
  return chunks == 1 ? section.str() : (section + "." + std::to_string(chunk)).str();
}

/// The name of the section that stands for the last run of another in a step:
/// `backward_last`, `backward_weight_last.1`.
inline std::string sectionOfLastSlot(llvm::StringRef section) {
  auto [name, chunk] = section.rsplit('.');
  return chunk.empty() ? (name + "_last").str() : (name + "_last." + chunk).str();
}

} // namespace pcc::facts
