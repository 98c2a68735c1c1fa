// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of a function's arguments and results, and how the ranks hold them. By this contract,
// functions of modules of different phases and numbers of ranks get equal inputs and are compared.
#pragma once

#include "compiler/values/Tensor.h"
#include "dialects/dist/Sharding.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <optional>

namespace pcc::interpret {

using namespace values;

/// Global values by the keys of their bindings.
using NamedTensors = std::map<std::string, Tensor>;

/// One argument or result.
struct Binding {
  /// Name, unique among the arguments, and among the results that are not accumulated. Examples:
  /// `input images`, `input images, copy 1`, `parameter fc.weight`, `gradient fc.weight`, `loss`,
  /// `step`, `output logits`. Without a role: `argument 2`, `result 0`.
  std::string key;
  /// Key of the external value. A parameter that is a copy in a later virtual stage, and its
  /// gradient, have the key of the original.
  std::string globalKey;
  std::optional<graph::RoleKind> role;
  std::string name;            ///< external name of the role; empty if it has none
  mlir::RankedTensorType type; ///< in the function: local in a local function
  llvm::SmallVector<int64_t, 4> globalShape;
  dist::Sharding sharding;     ///< replicated if the function gives none
  double gradientFactor = 1.0; ///< `dist.gradient_factor` of a result, still to be applied
  std::optional<double> accumulateScale; ///< of `pipe.accumulate`
  /// Scale with which the function itself multiplies the sum that it takes (`pipe.unscaled`).
  std::optional<double> ownScale;
  int64_t copy = 0;       ///< `pipe.copy` of an input: the copy whose rows it has
  bool isPerRank = false; ///< of a `layerwise_parallel` parameter: ranks may hold different values
};

struct Signature {
  std::vector<Binding> arguments, results;
  bool isLocal = false; ///< types are those of one rank

  /// Reads the signature of `function`, which must have ranked tensors only.
  static Signature of(mlir::func::FuncOp function);
};

/// Returns the key of a value of role `kind` called `name`.
std::string bindingKey(graph::RoleKind kind, llvm::StringRef name);

} // namespace pcc::interpret
