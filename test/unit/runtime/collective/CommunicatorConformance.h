// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every implementation of Communicator must do: each case runs a collective on random data in
// a random group layout and compares each member's destination with a reference written for
// clearness. Values are small integers, so that every type and every order of summing gives the
// same result.
//
// An implementation includes this file and instantiates the suite with its factory:
//   INSTANTIATE_TEST_SUITE_P(Local, CommunicatorConformance, testing::Values(Conformance{"local",
//   make}));
// Where ranks are spread over processes, each runs the suite, the factory gives it its own ranks,
// and each rank looks at what it got.

#ifndef PCC_TEST_UNIT_RUNTIME_COMMUNICATORCONFORMANCE_H
#define PCC_TEST_UNIT_RUNTIME_COMMUNICATORCONFORMANCE_H

#include "test/unit/runtime/collective/Ranks.h"

#include <gtest/gtest.h>

#include <string>

namespace pcc::test {

struct Conformance {
  std::string name;
  WorldFactory make;
  /// Whether ranks that call different collectives are named; else the proof of programs has to
  /// see to it that there are none.
  bool comparesCalls = true;
};

inline void PrintTo(const Conformance &conformance, std::ostream *out) { *out << conformance.name; }

class CommunicatorConformance : public testing::TestWithParam<Conformance> {};

} // namespace pcc::test

#endif // PCC_TEST_UNIT_RUNTIME_COMMUNICATORCONFORMANCE_H
