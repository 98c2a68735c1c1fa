// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches the strategies of a program under the cost model `memory`: builds the problem of its
// forward graph, solves it, and gives every forward op the strategy that was found, as a pin would;
// the backward pass and the update follow.
#pragma once

#include "passes/strategy/MemoryProblem.h"
#include "passes/strategy/Search.h"

namespace pcc::strategy {

struct MemorySearchOptions {
  MemoryModel model;
  SearchAlgorithm algorithm = SearchAlgorithm::DynamicProgramming;
  facts::DeviceUse use = facts::DeviceUse::Any;
  bool elementwiseFollows = false; ///< an elementwise op takes what it reads as it comes
  solve::SolveOptions solve = {};
};

/// What was found for one op.
struct MemoryChoice {
  mlir::Operation *op;
  std::vector<std::vector<int64_t>> operands, results; ///< into how many parts each is cut
  double total = 0;                                    ///< of the op, without redistribution
};

struct MemoryOutcome {
  PinnedProgram program;             ///< with the solution, if there is one
  solve::SolveResult result;         ///< costs in the problem's unit
  MemoryPrice price;                 ///< of the solution
  double total = 0;                  ///< the same in one figure
  double bound = 0;                  ///< no strategies cost less in all, as far as is proved
  double seconds = 0;                ///< that it took
  std::vector<MemoryChoice> choices; ///< in program order

  bool isFeasible() const { return result.hasSolution(); }
};

/// `pinned` is what must hold on `deviceNum` ranks; its mesh is cut as the solution needs.
MemoryOutcome searchByMemory(mlir::ModuleOp module, int64_t deviceNum, PinnedProgram pinned,
                             const MemorySearchOptions &options);

/// A remark with the price.
void explain(mlir::ModuleOp module, const MemoryOutcome &outcome);

/// Makes `program` cheaper, which has a strategy for every forward op; ops that `isFixed` stay.
void improveByMemory(mlir::ModuleOp module, int64_t deviceNum, const MemoryModel &model,
                     llvm::function_ref<bool(mlir::Operation *op)> isFixed, PinnedProgram &program);

/// Makes `counts`, by node of `graph`, cheaper: every op tries its neighbouring strategies, all of
/// them together (passes/solve/Improve.h), and again from there as long as that saves something, at
/// most as often as `space.devices` has prime factors, and twice more. The same from where nothing
/// is split, for it may be cheapest to leave devices over; the better of the two. `space.allows` is
/// not asked.
std::vector<FactorCounts> improveCounts(const MemoryGraph &graph, const MemorySpace &space,
                                        const MemoryModel &model, std::vector<FactorCounts> counts);

/// The counts of an op's factors on a mesh.
FactorCounts countFactors(const GivenOp &given, const dist::Mesh &mesh);

/// Whether `other` splits as `counts` does, but for one prime factor of the devices, which splits
/// another factor there, or none on one side.
bool isNeighbour(llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> other);

} // namespace pcc::strategy
