// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the invariants of a factor rule: dimensions are products of their factors (or multiples
// of a window factor), no factor occurs twice in one tensor, reduced factors do not reach a result,
// linear sets name operands.
#include "dialects/interfaces/FactorRule.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace pcc {

/// Returns whether a dimension of `size` is one window factor; then it only has to be a multiple of
/// the factor.
static bool isWindow(const DimFactors &dim, int64_t size, ArrayRef<Factor> factors) {
  return dim.size() == 1 && factors[dim.front()].kind == FactorKind::Window &&
         size % factors[dim.front()].size == 0;
}

/// Verifies one tensor's dimensions against its shape; `what` is "operand #0" or "result #0".
static std::string verifyTensor(const Twine &what, const TensorFactors &dims,
                                ArrayRef<int64_t> shape, ArrayRef<Factor> factors) {
  if (dims.size() != shape.size())
    return (what + " has rank " + Twine(shape.size()) + ", expected " + Twine(dims.size())).str();
  SmallBitVector seen(factors.size());
  for (auto [index, dim] : enumerate(dims)) {
    int64_t product = 1;
    for (unsigned factor : dim) {
      if (factor >= factors.size())
        return (what + " names factor #" + Twine(factor) + ", which does not exist").str();
      if (seen.test(factor))
        return (what + " holds factor '" + factors[factor].name + "' twice").str();
      seen.set(factor);
      product *= factors[factor].size;
    }
    if (product != shape[index] && !isWindow(dim, shape[index], factors))
      return (what + " dimension " + Twine(index) + " has size " + Twine(shape[index]) +
              ", its factors have " + Twine(product))
          .str();
  }
  return "";
}

static std::string verifyTensors(StringRef what, ArrayRef<TensorFactors> tensors,
                                 ArrayRef<ArrayRef<int64_t>> shapes, ArrayRef<Factor> factors) {
  if (tensors.size() != shapes.size())
    return ("expected " + Twine(tensors.size()) + " " + what + "s, got " + Twine(shapes.size()))
        .str();
  for (auto [index, dims] : enumerate(tensors)) {
    std::string error = verifyTensor(what + " #" + Twine(index), dims, shapes[index], factors);
    if (!error.empty())
      return error;
  }
  return "";
}

/// Verifies that no reduced factor is in a result.
static std::string verifyReduced(ArrayRef<TensorFactors> results, ArrayRef<Factor> factors) {
  for (auto [index, dims] : enumerate(results))
    for (const DimFactors &dim : dims)
      for (unsigned factor : dim)
        if (factors[factor].kind == FactorKind::Reduce)
          return ("result #" + Twine(index) + " holds the reduced factor '" + factors[factor].name +
                  "'")
              .str();
  return "";
}

static std::string verifyLinear(ArrayRef<LinearSet> linear, size_t numOperands) {
  for (const LinearSet &set : linear) {
    if (set.operands.empty())
      return "a linear set is empty";
    for (unsigned operand : set.operands)
      if (operand >= numOperands)
        return ("a linear set names operand #" + Twine(operand) + " of " + Twine(numOperands))
            .str();
  }
  return "";
}

std::string FactorRule::verify(ArrayRef<ArrayRef<int64_t>> operandShapes,
                               ArrayRef<ArrayRef<int64_t>> resultShapes) const {
  std::string error = verifyTensors("operand", operands, operandShapes, factors);
  if (error.empty())
    error = verifyTensors("result", results, resultShapes, factors);
  if (error.empty())
    error = verifyReduced(results, factors);
  if (error.empty())
    error = verifyLinear(linear, operands.size());
  return error;
}

} // namespace pcc
