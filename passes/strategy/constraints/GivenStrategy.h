// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strategy as the user wrote it, before it is checked against the op.
//
//   ((2,1),(1,4))         shard counts: a tuple per tensor, a count per dimension
//   [dp, _], [_, tp]      shardings: a list per tensor, the axes of the mesh per dimension
#pragma once

#include "dialects/dist/Dist.h"
#include <variant>
#include <vector>

namespace pcc::strategy {

/// Shard counts of one tensor, by dimension.
using CountTuple = llvm::SmallVector<int64_t, 4>;

/// Cuts of several tensors, in one of the two forms.
using GivenCuts = std::variant<std::vector<CountTuple>, std::vector<dist::Sharding>>;

/// Strategy given for one op; a side without a value is not constrained.
struct GivenStrategy {
  std::optional<GivenCuts> in, out;
  /// Whether `out`, like `in`, determines how the factors are split. Otherwise `out` beside `in` is
  /// the sharding in which the users read the results.
  bool joinsSides = false;
  /// Shardings of all operands, if the op takes some of them as partial sums.
  std::vector<dist::Sharding> carried;

  bool operator==(const GivenStrategy &) const = default;
};

/// Parses either form. On failure calls `emitError`, which names the source of `text`, and appends
/// the reason.
mlir::FailureOr<GivenCuts> parseCuts(llvm::StringRef text, mlir::MLIRContext *context,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Prints cuts in the form that parseCuts reads.
std::string toText(const GivenCuts &cuts);

/// Number of tensors that `cuts` describes.
size_t getNumTensors(const GivenCuts &cuts);
/// Number of dimensions that `cuts` describes for tensor number `index`.
int64_t getRank(const GivenCuts &cuts, size_t index);
/// Whether `cuts` splits dimension `dim` of tensor number `index`.
bool isCut(const GivenCuts &cuts, size_t index, unsigned dim);

} // namespace pcc::strategy
