// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements are counted with overflow checks.
#include "compiler/import/files/Shapes.h"

#include "dialects/graph/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc::import {

std::string formatShape(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

bool isAddressable(llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> elements = 1;
  for (int64_t size : shape) {
    elements = size < 0 ? std::nullopt : llvm::checkedMul(*elements, size);
    if (!elements)
      return false;
  }
  return *elements <= graph::maxElements;
}

std::optional<int64_t> sumSizes(llvm::ArrayRef<int64_t> sizes) {
  std::optional<int64_t> sum = 0;
  for (int64_t size : sizes) {
    sum = size < 0 ? std::nullopt : llvm::checkedAdd(*sum, size);
    if (!sum)
      return std::nullopt;
  }
  return sum;
}

std::optional<Shape> commonShape(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) {
  if (x.size() < y.size())
    std::swap(x, y);
  Shape result(x);
  size_t offset = x.size() - y.size();
  for (auto [dim, size] : llvm::enumerate(y)) {
    int64_t &other = result[offset + dim];
    if (other != size && other != 1 && size != 1)
      return std::nullopt;
    other = other == 1 ? size : other;
  }
  return result;
}

bool swapsLastTwo(llvm::ArrayRef<int64_t> permutation) {
  int64_t rank = permutation.size();
  if (rank < 2 || permutation[rank - 1] != rank - 2 || permutation[rank - 2] != rank - 1)
    return false;
  return llvm::all_of(llvm::enumerate(permutation.drop_back(2)), [](auto entry) {
    return static_cast<int64_t>(entry.index()) == entry.value();
  });
}

std::pair<int64_t, int64_t> matrixSizes(llvm::ArrayRef<int64_t> shape, bool isTransposed) {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  return isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

} // namespace pcc::import
