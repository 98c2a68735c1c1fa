// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time that a search leaves goes to the following ones, with more devices. These have more
// shapes.
#include "compiler/search/PlanSearch.h"

#include <tuple>

using namespace mlir;

namespace pcc::search {

bool FrontierPoint::dominates(const FrontierPoint &other) const {
  auto needs = [](const FrontierPoint &point) {
    return std::tuple(point.devices, point.candidate.peakBytes, point.candidate.seconds);
  };
  return devices <= other.devices && candidate.peakBytes <= other.candidate.peakBytes &&
         candidate.seconds <= other.candidate.seconds && needs(*this) != needs(other);
}

void keepFrontier(std::vector<FrontierPoint> &points) {
  auto order = [](const FrontierPoint &point) {
    return std::tuple(point.devices, point.candidate.seconds, point.candidate.peakBytes);
  };
  llvm::stable_sort(
      points, [&](const FrontierPoint &a, const FrontierPoint &b) { return order(a) < order(b); });
  // A point comes after all that dominate it, and after those that equal it.
  std::vector<FrontierPoint> kept;
  for (FrontierPoint &point : points)
    if (llvm::none_of(kept, [&](const FrontierPoint &better) {
          return better.dominates(point) || order(better) == order(point);
        }))
      kept.push_back(std::move(point));
  points = std::move(kept);
}

FrontierSearch::FrontierSearch(ModuleOp model, CompileOptions options, PlanSearchOptions given)
    : model(model), options(std::move(options)), limits(std::move(given)) {
  limits.wantsFrontier = true;
}

void FrontierSearch::add(int64_t devices, const PlanSearch &search) {
  DeviceCount count{devices,
                    search.getCandidates().size(),
                    search.getNumUntried(),
                    search.getBound(),
                    search.wasCutOff(),
                    search.getFailure().str()};
  memory = search.getMemory();
  for (const PlanCandidate &candidate : search.getCandidates()) {
    if (!candidate.error.empty())
      continue;
    if (count.minBytes == 0 || candidate.peakBytes < count.minBytes)
      count.minBytes = candidate.peakBytes;
    if (candidate.fits(memory))
      points.push_back({devices, candidate});
  }
  counts.push_back(count);
}

llvm::StringRef FrontierSearch::getFailure() const {
  bool hasFailed = !counts.empty() && llvm::none_of(counts, [](const DeviceCount &count) {
    return count.failure.empty();
  });
  return hasFailed ? llvm::StringRef(counts.front().failure) : "";
}

LogicalResult FrontierSearch::run() {
  std::vector<int64_t> numbers = plan::listDivisors(options.parallel.device_num());
  double seconds = limits.seconds, work = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    CompileOptions own = options;
    own.parallel.set_device_num(int(numbers[i]));
    limits.seconds = std::max(0.0, seconds - work) / double(numbers.size() - i);
    PlanSearch search(model, std::move(own), limits);
    if (failed(search.run()))
      return failure();
    work += search.getWork();
    elapsed += search.getElapsed();
    add(numbers[i], search);
  }
  keepFrontier(points);
  return success();
}

} // namespace pcc::search
