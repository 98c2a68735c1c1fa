// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The world of a single process, with communicators that the caller has made. Queries about other
// processes keep World's defaults.

#include "runtime/collective/World.h"

#include "runtime/base/Base.h"

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

std::string Placement::nameRanksOf(int process) const {
  int first = firstOf(process), last = firstOf(process + 1) - 1;
  return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
}

std::unique_ptr<World> makeLocalWorld(std::vector<std::unique_ptr<Communicator>> communicators) {
  return std::make_unique<LocalWorld>(std::move(communicators));
}

} // namespace pcc::runtime
