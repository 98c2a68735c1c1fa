// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance suite for all implementations of Communicator. Each case runs a collective on random
// data in a random group layout. It compares each member's destination with a simple reference.
// Values are small integers, so that every type and every order of summing gives the same result.
//
// An implementation includes this file and instantiates the suite with its factory:
//   INSTANTIATE_TEST_SUITE_P(Local, CommunicatorConformance, testing::Values(Conformance{"local",
//   make}));
// If ranks are spread over processes, each process runs the suite, the factory returns the ranks of
// its own process, and each rank checks its own results.

#pragma once

#include "test/unit/runtime/collective/Ranks.h"

#include <gtest/gtest.h>

#include <string>

namespace pcc::test {

struct Conformance {
  std::string name;
  WorldFactory make;
  /// Whether the communicator reports ranks that call different collectives. Otherwise the checker
  /// of programs must rule such calls out.
  bool comparesCalls = true;
};

inline void PrintTo(const Conformance &conformance, std::ostream *out) { *out << conformance.name; }

class CommunicatorConformance : public testing::TestWithParam<Conformance> {};

} // namespace pcc::test
