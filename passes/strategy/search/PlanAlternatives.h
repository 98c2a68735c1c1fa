// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explains the split of an op in a plan. Lists each of its options, the cost of the best plan with
// the option, and the neighbor that opposes it most.
//
//   option            own     plan    against it
//   dp splits i       10 us   1.20 ms                                        chosen
//   dp splits j        8 us   1.24 ms result 0 [_, dp] -> 'relu' [dp, _]: all_to_all
//
// "Against it" is the use whose reshard cost would rise most if only this op changed.
#pragma once

#include "passes/strategy/search/Search.h"
#include "runtime/abi/Status.h"

namespace pcc::strategy {

/// A use between the op and a neighbor, where the neighbor has its option in the plan.
struct Objection {
  std::string from, to;         ///< for example `result 0`, `'relu' operand 0`
  dist::Sharding made, wanted;  ///< shardings of the value
  std::string steps;            ///< steps of the reshard: `all_gather(dp: 0)`
  double before = 0, after = 0; ///< seconds of a step with the plan's option, and with this option
};

/// One option of the op; times are seconds of a step.
struct PlanAlternative {
  OpSharding opSharding;
  std::string description; ///< description of the option
  bool isChosen = false;
  double seconds = 0;                     ///< time of the op itself, with its own collectives
  int64_t bytes = 0;                      ///< bytes of its results on one rank
  std::vector<OwnCollective> collectives; ///< collectives of one run
  solve::SolveResult best;                ///< best plan with the option
  std::optional<Objection> objection;
};

struct OpExplanation {
  std::string name, section, rule; ///< the rule is empty if the node is no op
  int64_t runs = 1;                ///< runs per step
  dist::Mesh mesh;
  solve::Int128 cost = 0, bound = 0;    ///< cost and bound of the searched plan
  std::vector<PlanAlternative> options; ///< the plan's option first, then by plan cost
};

/// Explains the node `node` (NodeNames.h) of an `outcome` that has a plan. Constraints hold, except
/// those of this node. If the plan is a loaded strategy, only the user's constraints hold.
/// `options` are the options of the search; their `seconds` limit the time for all options
/// together. Error: Failed if no plan without the node's constraints is found in that time.
abi::Expected<OpExplanation> explainNode(const SearchOutcome &outcome, unsigned node,
                                         const SearchOptions &options);

} // namespace pcc::strategy
