// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the strategies of a program under the cost model `memory`. Builds the problem of its
// forward graph, solves it, and prescribes the solution for every forward op as a user's constraint
// would. The backward pass and the update follow by propagation.
#pragma once

#include "passes/strategy/memory_model/MemoryProblem.h"
#include "passes/strategy/search/Search.h"

namespace pcc::strategy {

struct MemorySearchOptions {
  MemoryModel model;
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  analysis::DeviceUse use = analysis::DeviceUse::Any;
  bool elementwiseFollows = false; ///< whether elementwise ops keep their operands' layouts
  solve::SolveOptions solve = {};
};

/// Solution of the search for one op.
struct MemoryChoice {
  mlir::Operation *op;
  std::vector<std::vector<int64_t>> operands, results; ///< number of parts by dimension
  double total = 0;                                    ///< cost of the op without redistribution
};

struct MemoryOutcome {
  ConstrainedProgram program;        ///< includes the solution, if there is one
  solve::SolveResult result;         ///< costs in the problem's unit
  MemoryCost cost;                   ///< cost of the solution
  double total = 0;                  ///< cost of the solution as one number
  double bound = 0;                  ///< proven lower bound of `total`
  double seconds = 0;                ///< duration of the search
  std::vector<MemoryChoice> choices; ///< in program order

  bool isFeasible() const { return result.hasSolution(); }
};

/// Searches under the constraints in `constrained` on `deviceNum` ranks; the mesh is refined as the
/// solution requires.
MemoryOutcome searchByMemory(mlir::ModuleOp module, int64_t deviceNum,
                             ConstrainedProgram constrained, const MemorySearchOptions &options);

/// Emits a remark with the costs.
void explain(mlir::ModuleOp module, const MemoryOutcome &outcome);

/// Reduces the cost of `program`, which has a strategy for every forward op. Ops for which
/// `isFixed` holds keep their strategies.
void improveByMemory(mlir::ModuleOp module, int64_t deviceNum, const MemoryModel &model,
                     llvm::function_ref<bool(mlir::Operation *op)> isFixed,
                     ConstrainedProgram &program);

/// Reduces the cost of `counts`, the shard counts by node of `graph`. In each round every op may
/// move to a neighboring strategy, all ops jointly (passes/solve/strategy/primal/Improve.h). Rounds
/// end when nothing is saved, at the latest after the number of prime factors of `space.devices`
/// plus two. A second run starts from unsplit ops, because leaving devices unused may be cheapest.
/// Returns the better result. `space.allows` is ignored.
std::vector<FactorCounts> improveCounts(const MemoryGraph &graph, const MemorySpace &space,
                                        const MemoryModel &model, std::vector<FactorCounts> counts);

/// Shard counts of an op's factors on a mesh.
FactorCounts countFactors(const GivenOp &given, const dist::Mesh &mesh);

/// Whether `other` differs from `counts` by one prime factor of the devices: the prime splits a
/// different factor, or it splits a factor on one side only.
bool isNeighbor(llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> other);

} // namespace pcc::strategy
