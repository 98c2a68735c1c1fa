// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and sums of products.
#include "test/fuzz/onnx/Entries.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace pcc::fuzz {
namespace {

constexpr Domain factors = {.low = -11, .high = 11};

/// C is optional from opset 11 on, and broadcasts to the result.
bool drawGemm(Maker &m) {
  constexpr int64_t firstWithoutThird = 11;
  const Value &a = m.input(m.types(), factors, 2, 2);
  ElementType type = a.data.getType();
  bool transA = m.random.chance(40), transB = m.random.chance(40);
  int64_t rows = a.data.getShape()[transA], inner = a.data.getShape()[!transA];
  auto fits = [&](llvm::ArrayRef<int64_t> shape) {
    return shape.size() == 2 && shape[transB] == inner;
  };
  const Value &b = m.input(type, factors, fits, [&] {
    int64_t columns = m.size();
    return transB ? Shape{columns, inner} : Shape{inner, columns};
  });
  Draft draft = m.draft();
  draft.input(a).input(b);
  if (m.opset() < firstWithoutThird || m.random.chance(60))
    draft.input(m.inputOf(type, m.partnerShape({rows, b.data.getShape()[!transB]}, true)));
  else if (m.random.chance(50))
    draft.absent();
  m.maySet<int64_t>(draft, "transA", transA, 0);
  m.maySet<int64_t>(draft, "transB", transB, 0);
  bool isFloat = values::isFloat(type);
  m.maySet(draft, "alpha", isFloat && m.random.chance(50) ? m.random.uniform(-2, 2) : 1.0, 1.0);
  m.maySet(draft, "beta", isFloat && m.random.chance(50) ? m.random.uniform(-2, 2) : 1.0, 1.0);
  return m.add(draft);
}

/// Draws vectors, matrices, or stacks of matrices that broadcast together.
bool drawMatMul(Maker &m) {
  const Value &a = m.input(m.types(), factors, 1);
  llvm::ArrayRef<int64_t> shape = a.data.getShape();
  int64_t inner = shape.back();
  const Value &b = m.input(
      a.data.getType(), factors,
      [&](llvm::ArrayRef<int64_t> other) {
        return (other.size() == 1 && other[0] == inner) || (other.size() == 2 && other[0] == inner);
      },
      [&] {
        if (m.random.chance(15))
          return Shape{inner};
        Shape other;
        if (shape.size() > 2 && m.random.chance(60))
          other = m.partnerShape(shape.drop_back(2));
        other.append({inner, m.random.between(1, 9)});
        return other;
      });
  Draft draft = m.draft();
  draft.input(a).input(b);
  return m.add(draft);
}

/// Makes an equation of `count` operands over a few letters. Some operands have dots, and a letter
/// may occur twice in one operand.
class EquationMaker {
public:
  explicit EquationMaker(Maker &m) : m(m), hasDots(m.random.chance(25)) {
    for (char letter : letters)
      sizes[letter] = m.random.chance(20) ? m.size() : m.random.between(1, 5);
    for (int64_t rank = m.random.between(0, 2); rank > 0; --rank)
      batch.push_back(m.random.between(1, 4));
  }

  /// Draws the letters of one operand, and its shape.
  std::pair<std::string, Shape> drawOperand() {
    std::string text;
    Shape shape;
    int64_t rank = m.random.between(hasDots ? 0 : 1, 3);
    size_t dots = hasDots && m.random.chance(80) ? m.random.below(rank + 1) : std::string::npos;
    for (int64_t dim = 0; dim <= rank; ++dim) {
      if (static_cast<size_t>(dim) == dots) {
        text += "...";
        llvm::append_range(shape, m.partnerShape(batch, /*isOneWay=*/true));
      }
      if (dim == rank)
        break;
      char letter = letters[m.random.below(sizeof(letters))];
      if (llvm::StringRef(text).contains(letter) && !m.random.chance(15))
        continue;
      text += letter;
      shape.push_back(sizes[letter]);
    }
    used += text;
    return {text, shape};
  }

  /// Draws the letters of the result: some letters of the operands in any order.
  std::string drawResult() {
    std::string chosen;
    for (char letter : letters)
      if (llvm::StringRef(used).contains(letter) && m.random.chance(50))
        chosen += letter;
    m.random.shuffle(chosen);
    if (llvm::StringRef(used).contains("..."))
      chosen.insert(m.random.below(static_cast<int64_t>(chosen.size()) + 1), "...");
    return chosen;
  }

private:
  static constexpr char letters[] = {'a', 'b', 'i', 'j', 'K'};

  Maker &m;
  bool hasDots;
  std::map<char, int64_t> sizes;
  Shape batch;
  std::string used;
};

bool drawEinsum(Maker &m) {
  EquationMaker maker(m);
  Types types = m.types();
  ElementType type = m.input(types).data.getType();
  Draft draft = m.draft();
  std::string equation;
  int64_t count = m.random.of<int64_t>({1, 2, 2, 2, 3});
  for (int64_t n = 0; n < count; ++n) {
    auto [text, shape] = maker.drawOperand();
    draft.input(m.inputOf(type, shape, within(-5, 5)));
    equation += (n == 0 ? "" : m.random.chance(20) ? " , " : ",") + text;
  }
  if (m.random.chance(80))
    equation += "->" + maker.drawResult();
  draft.set("equation", llvm::StringRef(equation));
  return m.add(draft);
}

} // namespace

std::vector<Entry> productEntries() {
  return {
      {"Einsum", drawEinsum},
      {"Gemm", drawGemm},
      {"MatMul", drawMatMul},
  };
}

} // namespace pcc::fuzz
