// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the sections of a stage's program that replace @forward_backward. A stage with several
// virtual stages has them for each: `forward_train.0`, `forward_train.1`, and so on. If gradients
// are reduced beside the last run of a section, that run is a section of its own.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc::analysis {

inline constexpr llvm::StringLiteral forwardBackwardName = "forward_backward";

inline constexpr llvm::StringLiteral forwardTrainName = "forward_train";
/// Section that computes all gradients in one piece.
inline constexpr llvm::StringLiteral backwardName = "backward";
/// Sections that compute input gradients, for which the stage before waits, and weight gradients.
inline constexpr llvm::StringLiteral backwardInputName = "backward_input";
inline constexpr llvm::StringLiteral backwardWeightName = "backward_weight";

/// Returns the name of the section of virtual stage `chunk` on a stage with `chunks` of them.
inline std::string sectionOfVirtualStage(llvm::StringRef section, int64_t chunk, int64_t chunks) {
  return chunks == 1 ? section.str() : (section + "." + std::to_string(chunk)).str();
}

/// Returns the name of the section that stands for the last run of another in a step:
/// `backward_last`, `backward_weight_last.1`.
inline std::string sectionOfLastAction(llvm::StringRef section) {
  auto [name, chunk] = section.rsplit('.');
  return chunk.empty() ? (name + "_last").str() : (name + "_last." + chunk).str();
}

} // namespace pcc::analysis
