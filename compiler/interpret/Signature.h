// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function's arguments and results stand for and how the ranks hold them: the contract by
// which functions of modules of different stages and numbers of ranks are fed and compared.
#pragma once

#include "compiler/interpret/Tensor.h"
#include "dialects/dist/Sharding.h"
#include "dialects/graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <optional>

namespace pcc::interpret {

/// Global values by the key of their binding.
using NamedTensors = std::map<std::string, Tensor>;

/// One argument or result.
struct Binding {
  /// Unique among the arguments, and among the results that are not accumulated: `input images`,
  /// `input images, copy 1`, `parameter fc.weight`, `gradient fc.weight`, `loss`, `step`, `output
  /// logits`; without a role `argument 2`, `result 0`.
  std::string key;
  /// The key of the value outside: of a parameter that stands for another one in a later chunk, and
  /// of its gradient, the other one's.
  std::string globalKey;
  std::optional<graph::RoleKind> role;
  std::string name;            ///< of the role, outside; empty if it has none
  mlir::RankedTensorType type; ///< in the function: local in a local function
  llvm::SmallVector<int64_t, 4> globalShape;
  dist::Sharding sharding;     ///< replicated where the function says nothing
  double gradientFactor = 1.0; ///< `dist.gradient_factor` of a result, which is still to be applied
  std::optional<double> accumulateScale; ///< of `pipe.accumulate`
  int64_t copy = 0;                      ///< `pipe.copy` of an input, whose rows it has
  bool isOwn = false; ///< of a `layerwise_parallel` parameter: ranks may hold different values
};

struct Signature {
  std::vector<Binding> arguments, results;
  bool isLocal = false; ///< the types are those of one rank

  /// `function` has ranked tensors only.
  static Signature of(mlir::func::FuncOp function);
};

/// The key of a value of role `kind` called `name`.
std::string bindingKey(graph::RoleKind kind, llvm::StringRef name);

} // namespace pcc::interpret
