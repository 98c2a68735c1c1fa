// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The world of a single process, with communicators that the caller has made. Queries about other
// processes keep World's defaults.

#include "runtime/collective/World.h"

namespace pcc::runtime {
namespace {

class LocalWorld final : public World {
public:
  explicit LocalWorld(std::vector<std::unique_ptr<Communicator>> communicators)
      : World({int(communicators.size()), 1}, 0), communicators(std::move(communicators)) {}

  Expected<std::vector<std::unique_ptr<Communicator>>> connect() override {
    return std::move(communicators);
  }

private:
  std::vector<std::unique_ptr<Communicator>> communicators;
};

} // namespace

std::unique_ptr<World> makeLocalWorld(std::vector<std::unique_ptr<Communicator>> communicators) {
  return std::make_unique<LocalWorld>(std::move(communicators));
}

} // namespace pcc::runtime
