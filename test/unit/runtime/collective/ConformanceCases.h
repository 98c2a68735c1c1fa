// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random collectives for the conformance suite, and the expected results of each member.

#pragma once

#include "test/unit/runtime/collective/CollectiveReference.h"

#include <random>

namespace pcc::test {

using Random = std::mt19937;

int pick(Random &random, int low, int high);

/// The state of one collective on all members of one group.
struct Case {
  runtime::CollectiveCall call;
  /// The operand becomes the result, without separate sources.
  bool isInPlace = false;
  std::vector<std::vector<std::byte>> sources = {}, destinations = {};
  std::vector<Values> expected = {};
};

/// Makes a random call of a kind for a group of `members`, on random values.
Case makeCase(Random &random, abi::CollectiveKind kind, int members);

/// Makes `calls` calls that form one fused collective.
std::vector<Case> makeMessage(Random &random, abi::CollectiveKind kind, int members, int calls);

/// Returns the call of one member.
runtime::CollectiveCall callOf(Case &test, int position);

/// Expects that a member has its expected result.
void expectDone(const Case &test, int position);

/// Returns colors that split `ranks` ranks into groups of equal size, in random order.
std::vector<int> randomColors(Random &random, int ranks, int groups);

} // namespace pcc::test
