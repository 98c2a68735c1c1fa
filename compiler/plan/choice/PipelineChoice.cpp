// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits cuts by ascending lower bound. A cut that does not fit is compiled again, at most
// maxRecuts times. The new memory budget is the last one less the shortage, clamped to 50 to 70 %
// of it. A budget that could not be compiled is replaced by the mean of it and the last one.
#include "compiler/plan/choice/PipelineChoice.h"

#include "compiler/plan/choice/ByteUnit.h"
#include "passes/solve/order/AutoSchedule.h"
#include "passes/solve/order/Schedule.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::ArrayRef;

namespace pcc::plan {
namespace {

/// Bounds for cutting again with less memory after a cut that does not fit: the number of attempts,
/// and the range of memory fractions. Stages are cut by an estimate that may be far from their real
/// memory, so the shortage is only a hint.
constexpr int maxRecuts = 5;
constexpr double minMemoryShare = 0.5, maxMemoryShare = 0.7;

/// Returns the schedules of the space that fit `cut`. On one stage all schedules are the same, so
/// only one is returned.
std::vector<const order::Schedule *> listSuitable(const PipelineSpace &space,
                                                  const PipelineCut &cut) {
  std::vector<const order::Schedule *> found;
  for (const order::Schedule &schedule : order::listSchedules())
    if (llvm::is_contained(space.schedules, schedule.name) && schedule.placement == cut.placement &&
        schedule.splitsBackward == cut.splitsBackward &&
        schedule.findViolation(cut.getShape()).empty() && (cut.stages > 1 || found.empty()))
      found.push_back(&schedule);
  return found;
}

/// Returns whether `auto` applies to `cut`. The order search delays weight gradients up to the
/// memory limit. One stage has only one order.
bool suitsAuto(const PipelineSpace &space, const PipelineCut &cut) {
  return llvm::is_contained(space.schedules, "auto") && cut.splitsBackward &&
         space.memoryLimit > 0 && cut.stages > 1;
}

class Ranking {
public:
  Ranking(const PipelineSpace &space, CutBound bound, CutCompiler compile)
      : space(space), bound(bound), compile(compile) {}

  std::vector<PipelineCandidate> run(ArrayRef<PipelineCut> cuts);

private:
  void addCut(const PipelineCut &cut);
  /// Lists the candidates of one cut. A compilation error gives one candidate without a schedule.
  std::vector<PipelineCandidate> list(const PipelineCut &cut);
  /// Lists the candidates of one cut. If none fits, cuts again for less memory.
  std::vector<PipelineCandidate> listFitting(PipelineCut cut);
  std::optional<PipelineCandidate> makeAuto(const PipelineCut &cut, const PipelineCost &cost);
  PipelineCandidate make(const PipelineCut &cut, std::string_view schedule,
                         const PipelineCost &cost, const order::Order &order);
  /// Returns the bytes that the smallest candidate exceeds the memory by; nothing if one fits or
  /// none was compiled.
  std::optional<int64_t> getShortage(ArrayRef<PipelineCandidate> listed) const;

  const PipelineSpace &space;
  CutBound bound;
  CutCompiler compile;
  std::vector<PipelineCandidate> candidates;
  double best = std::numeric_limits<double>::infinity(); ///< seconds of the fastest fit
};

PipelineCandidate Ranking::make(const PipelineCut &cut, std::string_view schedule,
                                const PipelineCost &cost, const order::Order &order) {
  PipelineCost::Outcome outcome = cost.run(cut.getShape(), order);
  PipelineCandidate candidate;
  candidate.cut = cut;
  candidate.schedule = schedule;
  candidate.seconds = outcome.seconds;
  candidate.bubble = outcome.timeline.bubbleRate();
  candidate.peakBytes = *llvm::max_element(outcome.peakBytes);
  ByteUnit unit(space.memoryLimit);
  if (space.memoryLimit > 0 && candidate.peakBytes > space.memoryLimit)
    candidate.error =
        llvm::formatv("needs {0:f1} {2} of {1:f1} {2}", unit.convert(candidate.peakBytes),
                      unit.convert(space.memoryLimit), unit.getName());
  return candidate;
}

std::optional<PipelineCandidate> Ranking::makeAuto(const PipelineCut &cut,
                                                   const PipelineCost &cost) {
  order::AutoOptions options;
  options.cap = cost.getLiveLimit(cut.chunks, space.memoryLimit);
  if (options.cap < 1)
    return std::nullopt;
  order::AutoSchedule found = order::autoSchedule(cut.getShape(), cost.times, options);
  if (found.order.empty())
    return std::nullopt;
  return make(cut, "auto", cost, found.order);
}

std::vector<PipelineCandidate> Ranking::list(const PipelineCut &cut) {
  std::vector<PipelineCandidate> listed;
  CompiledCut compiled = compile(cut);
  if (!compiled.error.empty()) {
    listed.emplace_back().cut = cut;
    listed.back().error = std::move(compiled.error);
    return listed;
  }
  for (const order::Schedule *schedule : listSuitable(space, cut))
    listed.push_back(make(cut, schedule->name, compiled.cost,
                          schedule->expand(cut.getShape(), compiled.cost.times)));
  if (suitsAuto(space, cut))
    if (std::optional<PipelineCandidate> found = makeAuto(cut, compiled.cost))
      listed.push_back(std::move(*found));
  for (PipelineCandidate &candidate : listed)
    candidate.recomputedOps = compiled.recomputedOps;
  return listed;
}

std::optional<int64_t> Ranking::getShortage(ArrayRef<PipelineCandidate> listed) const {
  std::optional<int64_t> least;
  for (const PipelineCandidate &candidate : listed)
    if (int64_t lacks = candidate.peakBytes - space.memoryLimit; !candidate.schedule.empty())
      least = least ? std::min(*least, lacks) : lacks;
  return space.memoryLimit > 0 && least && *least > 0 ? least : std::nullopt;
}

std::vector<PipelineCandidate> Ranking::listFitting(PipelineCut cut) {
  std::vector<PipelineCandidate> listed = list(cut);
  double memory = double(space.memoryLimit), refused = 0;
  for (int again = 0; again < maxRecuts && cut.stages > 1; ++again) {
    std::optional<int64_t> shortage = getShortage(listed);
    if (!shortage)
      break;
    double less =
        std::clamp(memory - double(*shortage), minMemoryShare *memory, maxMemoryShare *memory);
    if (less <= refused)
      less = (memory + refused) / 2;
    cut.memory = int64_t(less);
    std::vector<PipelineCandidate> tighter = list(cut);
    if (tighter.front().schedule.empty()) {
      refused = less;
      continue;
    }
    memory = less;
    listed = std::move(tighter);
  }
  return listed;
}

void Ranking::addCut(const PipelineCut &cut) {
  std::vector<PipelineCandidate> listed = listFitting(cut);
  for (PipelineCandidate &candidate : listed) {
    if (candidate.error.empty())
      best = std::min(best, candidate.seconds);
    candidates.push_back(std::move(candidate));
  }
}

/// Visits cuts with the lowest bound first, so that more of the later cuts can be pruned.
std::vector<PipelineCandidate> Ranking::run(ArrayRef<PipelineCut> cuts) {
  std::vector<std::pair<double, PipelineCut>> bounded;
  for (const PipelineCut &cut : cuts)
    bounded.emplace_back(bound ? bound(cut) : 0, cut);
  llvm::stable_sort(bounded, llvm::less_first());
  for (const auto &[least, cut] : bounded) {
    size_t first = candidates.size();
    if (least > best) {
      candidates.emplace_back().cut = cut;
      candidates.back().isPruned = true;
    } else {
      addCut(cut);
    }
    for (PipelineCandidate &candidate : llvm::drop_begin(candidates, first))
      candidate.bound = least;
  }
  llvm::stable_sort(candidates, [](const PipelineCandidate &a, const PipelineCandidate &b) {
    // Candidates with a time were compiled.
    auto rank = [](const PipelineCandidate &c) {
      return c.isPruned ? 3 : c.error.empty() ? 0 : c.seconds > 0 ? 1 : 2;
    };
    if (rank(a) != rank(b))
      return rank(a) < rank(b);
    return rank(a) == 0 ? a.seconds < b.seconds : a.peakBytes < b.peakBytes;
  });
  return std::move(candidates);
}

} // namespace

/// Returns whether a schedule fits `cut`. One stage has no messages and no waiting, so only the
/// plain cut is worth compiling.
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

std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space, ArrayRef<PipelineCut> cuts,
                                             CutBound bound, CutCompiler compile) {
  return Ranking(space, bound, compile).run(cuts);
}

std::vector<PipelineCandidate> rankPipelines(const PipelineSpace &space, CutCompiler compile) {
  return rankPipelines(space, listCuts(space), /*bound=*/nullptr, compile);
}

} // namespace pcc::plan
