// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the row of an operator. The first lookup builds an index from names to rows of all
// families. An operator has few rows, which a lookup scans.
#include "compiler/import/operators/Operators.h"

#include "llvm/ADT/StringMap.h"

namespace pcc::import {

std::vector<llvm::ArrayRef<Operator>> operatorFamilies() {
  return {elementwiseOperators(), logicOperators(),     constantOperators(),
          shapeOperators(),       indexOperators(),     contractionOperators(),
          reduceOperators(),      normOperators(),      lossOperators(),
          convolutionOperators(), poolOperators(),      activationOperators(),
          einsumOperators(),      attentionOperators(), elementIndexOperators(),
          maskOperators(),        orderOperators(),     sequenceOperators(),
          recurrentOperators(),   resizeOperators(),    groupNormOperators(),
          hyperbolicOperators(),  bitOperators(),       layoutOperators(),
          knownDataOperators(),   controlOperators(),   gridSampleOperators(),
          rotaryOperators(),      quantizeOperators(),  linearAttentionOperators(),
          signalOperators(),      samplingOperators(),  tfIdfOperators()};
}

const Operator *findOperator(llvm::StringRef name, int64_t opset) {
  using Rows = llvm::SmallVector<const Operator *, 2>;
  static const llvm::StringMap<Rows> index = [] {
    llvm::StringMap<Rows> rows;
    for (llvm::ArrayRef<Operator> family : operatorFamilies())
      for (const Operator &row : family)
        rows[row.name].push_back(&row);
    return rows;
  }();
  const Operator *best = nullptr;
  auto entry = index.find(name);
  if (entry != index.end())
    for (const Operator *row : entry->second)
      if (row->since <= opset && (!best || row->since > best->since))
        best = row;
  return best;
}

} // namespace pcc::import
