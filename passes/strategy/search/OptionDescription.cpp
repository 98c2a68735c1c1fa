// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/search/OptionDescription.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::AxisList;
using pcc::dist::Sharding;

namespace pcc::strategy {

static std::string join(const std::vector<std::string> &parts, StringRef nothing) {
  return parts.empty() ? nothing.str() : llvm::join(parts, ", ");
}

/// Returns `tp carries sums through operands 0, 1`, or an empty string if no operand is carried. An
/// axis that splits a factor is not carried, even if an operand enters once over it.
static std::string describeCarried(const OpSharding &opSharding, const FactorAxes &factors) {
  AxisList axes;
  std::vector<std::string> operands;
  for (auto [index, sharding] : llvm::enumerate(opSharding.operands)) {
    bool isCarried = false;
    for (const std::string &axis : sharding.getPartialAxes()) {
      if (factors.uses(axis))
        continue;
      isCarried = true;
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
    }
    if (isCarried)
      operands.push_back(std::to_string(index));
  }
  if (axes.empty())
    return "";
  return llvm::join(axes, ".") + " carries sums through operand" +
         (operands.size() > 1 ? "s " : " ") + llvm::join(operands, ", ");
}

std::string describeSplit(Operation *op, const OpSharding &opSharding, const dist::Mesh &mesh) {
  FactorAxes factors(op, mesh);
  for (auto [index, sharding] : llvm::enumerate(opSharding.operands))
    factors.takeOperand(index, sharding);
  for (auto [index, sharding] : llvm::enumerate(opSharding.results))
    factors.takeResult(index, sharding);
  auto isSummed = [&](const AxisList &axes) {
    return llvm::any_of(opSharding.results, [&](const Sharding &result) {
      return llvm::is_contained(result.getPartialAxes(), axes.front());
    });
  };
  std::vector<std::string> parts;
  for (auto [factor, axes] : llvm::zip_equal(factors.getRule().getFactors(), factors.getAxes()))
    if (!axes.empty())
      parts.push_back(llvm::join(axes, ".") + " splits " + factor.name +
                      (isSummed(axes) ? ", a " + stringify(factor.reduce).str() : ""));
  if (std::string carried = describeCarried(opSharding, factors); !carried.empty())
    parts.push_back(std::move(carried));
  return join(parts, "every rank does all of it");
}

std::string describeCut(const Sharding &sharding) {
  std::vector<std::string> parts;
  for (auto [dim, axes] : llvm::enumerate(sharding.getDims()))
    if (!axes.empty())
      parts.push_back(llvm::join(axes, ".") + " cuts dimension " + std::to_string(dim));
  if (sharding.isPartial())
    parts.push_back("partial sums over " + llvm::join(sharding.getPartialAxes(), "."));
  return join(parts, "every rank holds all of it");
}

} // namespace pcc::strategy
