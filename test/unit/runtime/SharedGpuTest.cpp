// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that share the emulated GPU, by the suite that all communicators pass. The suite looks at
// its data on the host, so they go to the GPU and back around each batch.

#include "runtime/collective/gpu/SharedGpu.h"

#include "test/unit/runtime/CommunicatorConformance.h"
#include "test/unit/runtime/DeviceBuffers.h"
#include "test/unit/runtime/GpuPrograms.h"
#include "test/unit/runtime/Programs.h"

namespace pcc::test {
namespace {

using namespace runtime;

std::vector<std::unique_ptr<Communicator>> makeShared(int ranks) {
  static const abi::Executable executable = forGpu(ProgramBuilder(1).executable);
  auto devices = makeCudaDevices(executable, 0, ranks);
  EXPECT_TRUE(bool(devices)) << devices.status().describe();
  SharedGpu shared(ranks);
  std::vector<std::unique_ptr<Communicator>> communicators;
  for (int rank = 0; rank < ranks; ++rank) {
    std::shared_ptr<Device> device = std::move((*devices)[size_t(rank)]);
    auto joined = shared.join(rank, cuda::partsOf(*device));
    EXPECT_TRUE(bool(joined)) << joined.status().describe();
    communicators.push_back(std::make_unique<OnDevice>(std::move(*joined), std::move(device)));
  }
  return communicators;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(SharedGpu, CommunicatorConformance,
                         testing::Values(Conformance{"emulator", makeShared}),
                         [](const auto &info) { return info.param.name; });

} // namespace pcc::test
