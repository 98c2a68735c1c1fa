// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/PipelineChoice.h"

#include "passes/solve/order/AutoSchedule.h"
#include "passes/solve/order/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace pcc::plan {
namespace {

/// Tries of the search of an order, few of which change anything.
constexpr int64_t autoTrials = 300;

/// The schedules of the space for which a program is cut as `cut` says. On one stage all are the
/// same.
std::vector<const order::Schedule *> listSuitable(const PipelineSpace &space,
                                                  const PipelineCut &cut) {
  std::vector<const order::Schedule *> found;
  for (const order::Schedule &schedule : order::listSchedules())
    if (llvm::is_contained(space.schedules, schedule.name) && schedule.placement == cut.placement &&
        schedule.splitsBackward == cut.splitsBackward && schedule.whyNot(cut.getShape()).empty() &&
        (cut.stages > 1 || found.empty()))
      found.push_back(&schedule);
  return found;
}

/// A search of an order lets gradients of weights wait, up to the memory that there is. One stage
/// has one order.
bool suitsAuto(const PipelineSpace &space, const PipelineCut &cut) {
  return llvm::is_contained(space.schedules, "auto") && cut.splitsBackward &&
         space.memoryLimit > 0 && cut.stages > 1;
}

class Ranking {
public:
  Ranking(const PipelineSpace &space, CutCompiler compile) : space(space), compile(compile) {}

  std::vector<PipelineCandidate> run();

private:
  void addCut(const PipelineCut &cut);
  void addAuto(const PipelineCut &cut, const PipelinePrice &price);
  void add(const PipelineCut &cut, std::string_view schedule, const PipelinePrice &price,
           const order::Order &order);
  const PipelineSpace &space;
  CutCompiler compile;
  std::vector<PipelineCandidate> candidates;
};

void Ranking::add(const PipelineCut &cut, std::string_view schedule, const PipelinePrice &price,
                  const order::Order &order) {
  PipelinePrice::Outcome outcome = price.run(cut.getShape(), order);
  PipelineCandidate candidate;
  candidate.cut = cut;
  candidate.schedule = schedule;
  candidate.seconds = outcome.seconds;
  candidate.bubble = outcome.timeline.bubbleRate();
  candidate.peakBytes = *llvm::max_element(outcome.peakBytes);
  if (space.memoryLimit > 0 && candidate.peakBytes > space.memoryLimit)
    candidate.error = llvm::formatv("needs {0:f1} GB of {1:f1} GB", candidate.peakBytes / 1e9,
                                    space.memoryLimit / 1e9);
  candidates.push_back(std::move(candidate));
}

void Ranking::addAuto(const PipelineCut &cut, const PipelinePrice &price) {
  order::AutoOptions options;
  options.trials = autoTrials;
  options.cap = price.getLiveLimit(cut.chunks, space.memoryLimit);
  if (options.cap < 1)
    return;
  order::AutoSchedule found = order::autoSchedule(cut.getShape(), price.times, options);
  if (!found.order.empty())
    add(cut, "auto", price, found.order);
}

void Ranking::addCut(const PipelineCut &cut) {
  CompiledCut compiled = compile(cut);
  if (!compiled.error.empty()) {
    PipelineCandidate &refused = candidates.emplace_back();
    refused.cut = cut;
    refused.error = std::move(compiled.error);
    return;
  }
  for (const order::Schedule *schedule : listSuitable(space, cut))
    add(cut, schedule->name, compiled.price,
        schedule->expand(cut.getShape(), compiled.price.times));
  if (suitsAuto(space, cut))
    addAuto(cut, compiled.price);
}

std::vector<PipelineCandidate> Ranking::run() {
  for (const PipelineCut &cut : listCuts(space))
    addCut(cut);
  llvm::stable_sort(candidates, [](const PipelineCandidate &a, const PipelineCandidate &b) {
    // Compiled ones have taken time.
    auto rank = [](const PipelineCandidate &c) {
      return c.error.empty() ? 0 : c.seconds > 0 ? 1 : 2;
    };
    if (rank(a) != rank(b))
      return rank(a) < rank(b);
    return rank(a) == 0 ? a.seconds < b.seconds : a.peakBytes < b.peakBytes;
  });
  return std::move(candidates);
}

} // namespace

/// One stage has nothing to send and nobody to wait for, so that it is cut in one way only.
static bool isWorthCompiling(const PipelineSpace &space, const PipelineCut &cut) {
  bool isPlain = cut.chunks == 1 && !cut.splitsBackward;
  if (cut.microbatches < cut.stages || (cut.stages == 1 && !isPlain))
    return false;
  return suitsAuto(space, cut) || !listSuitable(space, cut).empty();
}

std::vector<PipelineCut> listCuts(const PipelineSpace &space) {
  std::vector<PipelineCut> cuts;
  for (int stages : space.stages)
    for (int64_t microbatches : space.microbatches)
      for (int chunks : space.chunks)
        for (auto placement : {order::Placement::Looped, order::Placement::Vee})
          for (bool splits : {false, true})
            if (PipelineCut cut{stages, microbatches, chunks, placement, splits};
                isWorthCompiling(space, cut))
              cuts.push_back(cut);
  return cuts;
}

std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space, CutCompiler compile) {
  return Ranking(space, compile).run();
}

} // namespace pcc::plan
