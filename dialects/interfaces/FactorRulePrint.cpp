// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints factor rules: ([i,k],[k,j]) -> ([i,j]) {reduce k: sum} {linear: (0) (1)}.
#include "dialects/interfaces/FactorRule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace pcc {

/// Prints one tensor: [i.j,_,k]; `_` is a dimension without factors.
static void printTensor(raw_ostream &os, const TensorFactors &dims, ArrayRef<Factor> factors) {
  os << '[';
  interleave(
      dims,
      [&](const DimFactors &dim) {
        if (dim.empty())
          os << '_';
        interleave(dim, [&](unsigned factor) { os << factors[factor].name; }, [&] { os << '.'; });
      },
      [&] { os << ','; });
  os << ']';
}

static void printTensors(raw_ostream &os, ArrayRef<TensorFactors> tensors,
                         ArrayRef<Factor> factors) {
  os << '(';
  interleave(
      tensors, [&](const TensorFactors &dims) { printTensor(os, dims, factors); },
      [&] { os << ','; });
  os << ')';
}

/// Prints the factors of one kind other than parallel: {reduce k: sum, l: sum}, {whole j}.
static void printKind(raw_ostream &os, FactorKind kind, StringRef word, ArrayRef<Factor> factors) {
  SmallVector<std::string> entries;
  for (const Factor &factor : factors)
    if (factor.kind == kind)
      entries.push_back(kind == FactorKind::Reduce
                            ? factor.name + ": " + stringify(factor.reduce).str()
                            : factor.name);
  if (entries.empty())
    return;
  os << " {" << word << ' ';
  interleaveComma(entries, os);
  os << '}';
}

/// Formats the sets of one kind: (0,1) (2).
static std::string linearSets(ArrayRef<LinearSet> linear, ReduceKind kind) {
  std::string text;
  raw_string_ostream os(text);
  for (const LinearSet &set : linear) {
    if (set.kind != kind)
      continue;
    os << " (";
    interleave(set.operands, os, ",");
    os << ')';
  }
  return text;
}

/// Prints kinds with the same sets as one group: {linear: (0)} for sum, {linear max|min: (0)},
/// {linear any: (0)} for all four.
static void printLinear(raw_ostream &os, ArrayRef<LinearSet> linear) {
  constexpr ReduceKind kinds[] = {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min,
                                  ReduceKind::Prod};
  SmallVector<std::pair<std::string, SmallVector<ReduceKind, 4>>> groups;
  for (ReduceKind kind : kinds) {
    std::string sets = linearSets(linear, kind);
    if (sets.empty())
      continue;
    auto *same = find_if(groups, [&](const auto &group) { return group.first == sets; });
    if (same == groups.end())
      same = &groups.emplace_back(sets, SmallVector<ReduceKind, 4>());
    same->second.push_back(kind);
  }
  for (const auto &[sets, of] : groups) {
    os << " {linear";
    if (of.size() == std::size(kinds))
      os << " any";
    else if (of.size() > 1 || of.front() != ReduceKind::Sum) {
      os << ' ';
      interleave(of, [&](ReduceKind kind) { os << stringify(kind); }, [&] { os << '|'; });
    }
    os << ':' << sets << '}';
  }
}

void FactorRule::print(raw_ostream &os) const {
  printTensors(os, operands, factors);
  os << " -> ";
  printTensors(os, results, factors);
  printKind(os, FactorKind::Reduce, "reduce", factors);
  printKind(os, FactorKind::Whole, "whole", factors);
  printKind(os, FactorKind::Window, "window", factors);
  printLinear(os, linear);
}

std::string FactorRule::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

} // namespace pcc
