// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why an op is split as it is: each of its options, what the best plan with it takes, and which
// neighbour speaks against it.
//
//   option            own     plan    against it
//   dp splits i       10 us   1.20 ms                                        chosen
//   dp splits j        8 us   1.24 ms result 0 [_, dp] -> 'relu' [dp, _]: all_to_all
//
// "Against it" is the use whose reshard would cost more by most, if only this op changed.
#pragma once

#include "passes/strategy/Search.h"

namespace pcc::strategy {

/// A use between the op and a neighbour, as the neighbour is in the plan.
struct Objection {
  std::string from, to;         ///< `result 0`, `'relu' operand 0`
  dist::Sharding made, wanted;  ///< of the value
  std::string steps;            ///< of the reshard: `all_gather(dp: 0)`
  double before = 0, after = 0; ///< seconds of a step with the option of the plan, and with this
};

/// One option; times are seconds of a step.
struct PlanAlternative {
  OpSharding way;
  std::string words; ///< OptionWords.h
  bool isChosen = false;
  double seconds = 0;                     ///< of the op's own, with its own collectives
  int64_t bytes = 0;                      ///< that its results take on one rank
  std::vector<OwnCollective> collectives; ///< in one run
  solve::SolveResult best;                ///< of the plans with the option
  std::optional<Objection> against;
};

struct OpExplanation {
  std::string name, section, rule; ///< the rule is empty of what is no op
  int64_t runs = 1;                ///< in a step
  dist::Mesh mesh;
  solve::Int128 cost = 0, bound = 0;    ///< of the plan, as it was searched
  std::vector<PlanAlternative> options; ///< the plan's first, then by what their plans cost
};

/// About the node `name` (NodeNames.h) of an `outcome` that has a plan. Pins hold, but for those of
/// that node; of a loaded strategy, which is then the plan, only those of the user. `options` are
/// those of the search; their seconds are for all alternatives together.
OpExplanation explainNode(const SearchOutcome &outcome, unsigned node,
                          const SearchOptions &options);

} // namespace pcc::strategy
