// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds rules: names and numbers their factors. FactorRulePrint.cpp prints them and
// FactorRuleVerify.cpp checks them against shapes.
#include "dialects/interfaces/FactorRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

namespace pcc {

StringRef stringify(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return "sum";
  case ReduceKind::Max:
    return "max";
  case ReduceKind::Min:
    return "min";
  case ReduceKind::Prod:
    return "prod";
  }
  llvm_unreachable("every kind is listed");
}

/// Names factors i, j, …, z, a, …, h, then by the same letters with a number.
static std::string factorName(unsigned index) {
  constexpr unsigned letters = 26, first = 'i' - 'a';
  std::string name(1, static_cast<char>('a' + (first + index) % letters));
  if (unsigned round = index / letters)
    name += std::to_string(round);
  return name;
}

unsigned FactorRule::addFactor(int64_t size, FactorKind kind, ReduceKind reduce) {
  unsigned index = factors.size();
  factors.push_back({factorName(index), size, kind, reduce});
  return index;
}

DimFactors FactorRule::addDim(int64_t size, FactorKind kind, ReduceKind reduce) {
  if (size == 1)
    return {};
  return {addFactor(size, kind, reduce)};
}

void FactorRule::addLinear(ArrayRef<unsigned> operandSet, ReduceKind kind) {
  linear.push_back({SmallVector<unsigned, 2>(operandSet), kind});
}

void FactorRule::addLinearAnyKind(ArrayRef<unsigned> operandSet) {
  for (ReduceKind kind : {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min, ReduceKind::Prod})
    addLinear(operandSet, kind);
}

FactorRule FactorRule::pointwise(ArrayRef<int64_t> shape, unsigned numOperands,
                                 unsigned numResults) {
  FactorRule rule;
  TensorFactors dims;
  for (int64_t size : shape)
    dims.push_back(rule.addDim(size));
  rule.operands.assign(numOperands, dims);
  rule.results.assign(numResults, dims);
  return rule;
}

} // namespace pcc
