// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of MemoryPlanChecker that checks the results that the caller of the program reads after a
// section.
#include "passes/schedule/memory/MemoryPlanChecker.h"

using namespace mlir;
using namespace pcc::graph;

namespace pcc::schedule {

/// Returns the collectives that reduce the result in place before it is shown; null if there are
/// none.
const analysis::HoistedReduction *MemoryPlanChecker::reductionOf(RoleAttr role) const {
  return role && role.getKind() == RoleKind::Gradient ? reductions.find(role) : nullptr;
}

/// Checks the sums over actions that the section completes and that no collective reduces in place.
LogicalResult MemoryPlanChecker::checkSums(const Action &action) {
  const PlacedSection &section = placed.sections[action.section];
  Operation *end = section.section->function.getBody().front().getTerminator();
  auto check = [&](const PlacedSum &sum) -> LogicalResult {
    const PlacedSections::Sum &own = placed.sums[sum.sum];
    if (!sum.ends || !action.isLast || reductionOf(own.role))
      return success();
    return expect(end, action, getSpan(own.place, own.bytes, 0), sums[sum.sum].version);
  };
  SmallVector<PlacedSum> ended = section.argumentSums;
  for (const PlacedKernel &kernel : section.kernels) {
    if (kernel.ownSum)
      ended.push_back(*kernel.ownSum);
    llvm::append_range(ended, kernel.sums);
  }
  for (const PlacedSum &sum : ended)
    if (failed(check(sum)))
      return failure();
  return success();
}

/// Returns whether the caller of the program reads results of this role when the section is done.
static bool isRead(RoleKind kind) {
  return kind == RoleKind::Loss || kind == RoleKind::Output || kind == RoleKind::Gradient;
}

/// Checks the results that are shown as the section returns them.
LogicalResult MemoryPlanChecker::checkReturned(const Action &action, const Versions &own) {
  const PlacedSection &section = placed.sections[action.section];
  Operation *end = section.section->function.getBody().front().getTerminator();
  for (auto [result, value] : section.results) {
    RoleAttr role = section.section->getResultRole(result);
    bool isShown = role && value && isRead(role.getKind()) && !reductionOf(role);
    if (isShown && failed(expectValue(end, action, *value, own)))
      return failure();
  }
  return success();
}

/// Returns the version that the collective with this result computed from `from` in place; 0: none
/// yet.
uint32_t MemoryPlanChecker::findReduced(Value result, uint32_t from) const {
  auto found = llvm::find_if(llvm::reverse(versions), [&](const Version &version) {
    return version.value == result && version.reducedFrom == from;
  });
  return found == versions.rend() ? 0 : uint32_t(std::distance(found, versions.rend()) - 1);
}

/// Checks that the bytes hold the result of all collectives of `reduction`, and no others, on
/// `made`.
LogicalResult MemoryPlanChecker::expectReduced(const Action &action, const ByteSpan &span,
                                               uint32_t made,
                                               const analysis::HoistedReduction &reduction) {
  analysis::Section *section = placed.sections[action.section].section;
  Operation *end = section->function.getBody().front().getTerminator();
  for (dist::AllReduceOp reduce : reduction.reduces) {
    made = findReduced(reduce.getResult(), made);
    if (made == 0)
      return reduce.emitError() << "does not reduce what it reads in place before \""
                                << section->function.getName() << "\" is done";
  }
  return expect(end, action, span, made);
}

/// Checks the gradients that are shown now because the section has run the last of the collectives
/// that reduce them in place.
LogicalResult MemoryPlanChecker::checkReduced(const Action &action) {
  StringRef name = placed.sections[action.section].section->function.getName();
  auto endsHere = [&](const analysis::HoistedReduction *reduction) {
    return reduction && action.isLast && reduction->section == name;
  };
  for (const PlacedSection &section : placed.sections)
    for (auto [result, value] : section.results) {
      RoleAttr role = section.section->getResultRole(result);
      const analysis::HoistedReduction *reduction = reductionOf(role);
      if (!value || !endsHere(reduction))
        continue;
      const PlacedValue &shown = section.values[*value];
      if (failed(expectReduced(action, getSpan(shown.place, shown.bytes, 0),
                               returned.lookup({role, 0}), *reduction)))
        return failure();
    }
  for (auto [sum, state] : llvm::zip_equal(placed.sums, sums))
    if (const analysis::HoistedReduction *reduction = reductionOf(sum.role); endsHere(reduction))
      if (failed(
              expectReduced(action, getSpan(sum.place, sum.bytes, 0), state.version, *reduction)))
        return failure();
  return success();
}

LogicalResult MemoryPlanChecker::endAction(const Action &action, const Versions &own) {
  return failure(failed(checkReturned(action, own)) || failed(checkSums(action)) ||
                 failed(checkReduced(action)) || failed(setParameters(action, own)));
}

} // namespace pcc::schedule
