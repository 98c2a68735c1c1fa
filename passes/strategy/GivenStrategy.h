// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a user says that an op is split, before it is known what that means.
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

/// The cuts of some tensors, in one of the two forms.
using GivenCuts = std::variant<std::vector<CountTuple>, std::vector<dist::Sharding>>;

/// What is given for one op; absent where nothing is said.
struct GivenStrategy {
  std::optional<GivenCuts> in, out;
  /// `out` says, like `in`, how the factors are split, and not what the users of the results see.
  bool joinsSides = false;

  bool operator==(const GivenStrategy &) const = default;
};

/// Reads either form. Fails after calling `emitError`, which names the place, with what is wrong.
mlir::FailureOr<GivenCuts> parseCuts(llvm::StringRef text, mlir::MLIRContext *context,
                                     llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The text from which parseCuts reads the same.
std::string toText(const GivenCuts &cuts);

/// For how many tensors something is said.
size_t getNumTensors(const GivenCuts &cuts);
/// For how many dimensions of tensor number `index`.
int64_t getRank(const GivenCuts &cuts, size_t index);
/// Whether dimension `dim` of tensor number `index` is said to be cut.
bool isCut(const GivenCuts &cuts, size_t index, unsigned dim);

} // namespace pcc::strategy
