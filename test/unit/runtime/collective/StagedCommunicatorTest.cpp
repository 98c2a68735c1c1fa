// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/StagedCommunicator.h"
#include "runtime/collective/local/LocalCommunicator.h"
#include "runtime/device/host/HostDevice.h"
#include "test/unit/runtime/Programs.h"
#include "test/unit/runtime/collective/CommunicatorConformance.h"

namespace pcc::test {
namespace {

using namespace runtime;

struct DeviceHolder {
  std::unique_ptr<Device> ownDevice;
};

class StagedWithDevice : DeviceHolder, public StagedCommunicator {
public:
  StagedWithDevice(std::unique_ptr<Communicator> transport, std::unique_ptr<Device> device)
      : DeviceHolder{std::move(device)}, StagedCommunicator(std::move(transport), *ownDevice) {}
};

/// Makes local ranks whose device memory only the device can access.
std::vector<std::unique_ptr<Communicator>> makeStaged(int ranks) {
  auto devices = makeHostDevices(ProgramBuilder(1).executable, 1, ranks);
  std::vector<std::unique_ptr<Communicator>> staged;
  for (std::unique_ptr<Communicator> &transport : makeLocalCommunicators(ranks))
    staged.push_back(std::make_unique<StagedWithDevice>(std::move(transport),
                                                        std::move((*devices)[staged.size()])));
  return staged;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Staged, CommunicatorConformance,
                         testing::Values(Conformance{"host", makeStaged}),
                         [](const auto &info) { return info.param.name; });

} // namespace pcc::test
