// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/local/LocalCommunicator.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"

namespace pcc::test {

// The actual machine; a machine too small for any helper; a machine with a core for every rank,
// where waits spin; ranks over a link.
INSTANTIATE_TEST_SUITE_P(
    Local, CommunicatorConformance,
    testing::Values(
        Conformance{"machine", [](int ranks) { return runtime::makeLocalCommunicators(ranks); }},
        Conformance{"one_core",
                    [](int ranks) { return runtime::makeLocalCommunicators(ranks, 1); }},
        Conformance{"many_cores",
                    [](int ranks) { return runtime::makeLocalCommunicators(ranks, 64); }},
        Conformance{"link",
                    [](int ranks) {
                      return runtime::makeLocalCommunicators(
                          ranks, 0,
                          machine::UniformLink{.bytesPerSecond = 1e10, .latencySeconds = 1e-6});
                    }}),
    [](const auto &info) { return info.param.name; });

} // namespace pcc::test
