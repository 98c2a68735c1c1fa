// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einsum of any number of operands, contracted from the left. Each step contracts the intermediate
// result with the next operand and keeps the letters that are still needed.
//
//   "...ij,...jk"   the dots are broadcast dimensions, and get letters of their own; without "->"
//                   the result has them first, then the letters that occur once, by alphabet

#include "compiler/import/files/Shapes.h"
#include "compiler/import/operators/Operators.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace pcc::import {
namespace {

/// A tensor with a letter for each dimension.
struct Term {
  Tensor tensor;
  std::string letters;
};

class EinsumReader {
public:
  EinsumReader(Emitter &emit, std::string equation) : emit(emit), equation(std::move(equation)) {}

  /// Reads the equation for `operands`. Returns false after an error.
  bool read(llvm::ArrayRef<Tensor> operands);

  llvm::SmallVector<Term> terms;
  std::string result;

private:
  bool fail(const llvm::Twine &message) {
    emit.error() << "equation '" << equation << "': " << message.str();
    return false;
  }
  bool readTerm(llvm::StringRef text, const Tensor &operand);
  bool readResult(llvm::StringRef text);
  void makeResult(llvm::StringRef operands);
  void takeDots(llvm::StringRef text);
  bool joinSizes();

  Emitter &emit;
  std::string equation;
  std::string dots; ///< letters for the dimensions of dots; the last ones are used first
};

/// Reserves for the dots all letters that do not occur in `text`.
void EinsumReader::takeDots(llvm::StringRef text) {
  for (char letter : llvm::StringRef("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    if (!text.contains(letter))
      dots += letter;
}

bool EinsumReader::readTerm(llvm::StringRef text, const Tensor &operand) {
  auto [before, after] = text.split("...");
  bool hasDots = text.contains("...");
  int64_t named = before.size() + after.size(), left = operand.rank() - named;
  if (left < 0 || (left > 0 && !hasDots) || left > static_cast<int64_t>(dots.size()))
    return fail("expected " + llvm::Twine(operand.rank()) + " letters for operand " +
                llvm::Twine(terms.size()) + ", got '" + text + "'");
  std::string letters =
      (before + llvm::StringRef(dots).take_back(hasDots ? left : 0) + after).str();
  if (!llvm::all_of(letters, llvm::isAlpha))
    return fail("expected letters, got '" + text + "'");
  terms.push_back({operand, letters});
  return true;
}

/// Makes the result of an equation without "->": the dimensions of the dots, and every letter that
/// occurs once.
void EinsumReader::makeResult(llvm::StringRef operands) {
  for (int c = 0; c < 128; ++c)
    if (llvm::isAlpha(static_cast<char>(c)) && operands.count(static_cast<char>(c)) == 1)
      result += static_cast<char>(c);
}

bool EinsumReader::readResult(llvm::StringRef text) {
  size_t most = 0;
  for (const Term &term : terms)
    for (auto [place, letter] : llvm::enumerate(dots))
      if (llvm::StringRef(term.letters).contains(letter))
        most = std::max(most, dots.size() - place);
  std::string common = dots.substr(dots.size() - most);
  auto [before, after] = text.split("...");
  result = before.str() + (text.contains("...") ? common : "") + after.str();
  for (char letter : result) {
    bool isThere = llvm::any_of(
        terms, [&](const Term &term) { return llvm::StringRef(term.letters).contains(letter); });
    if (!isThere || llvm::StringRef(result).count(letter) != 1)
      return fail("expected every letter of the result once, and in an operand, got '" + text +
                  "'");
  }
  return true;
}

/// Drops dimensions of size one that broadcast. Any other difference of sizes is an error.
bool EinsumReader::joinSizes() {
  std::map<char, int64_t> sizes;
  for (const Term &term : terms)
    for (auto [letter, size] : llvm::zip_equal(term.letters, term.tensor.shape())) {
      int64_t &common = sizes.try_emplace(letter, size).first->second;
      if (common != size && common != 1 && size != 1)
        return fail("expected equal sizes of '" + std::string(1, letter) + "', got " +
                    llvm::Twine(common) + " and " + llvm::Twine(size));
      common = std::max(common, size);
    }
  for (Term &term : terms) {
    Shape shape;
    std::string kept;
    for (auto [letter, size] : llvm::zip_equal(term.letters, term.tensor.shape()))
      if (size == sizes[letter]) {
        shape.push_back(size);
        kept += letter;
      }
    term = {emit.reshape(term.tensor, shape), kept};
  }
  return true;
}

bool EinsumReader::read(llvm::ArrayRef<Tensor> operands) {
  std::string text;
  llvm::copy_if(equation, std::back_inserter(text), [](char c) { return c != ' '; });
  takeDots(text);
  auto [left, right] = llvm::StringRef(text).split("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != operands.size())
    return fail("expected " + llvm::Twine(operands.size()) + " operands, got " +
                llvm::Twine(parts.size()));
  for (auto [part, operand] : llvm::zip_equal(parts, operands))
    if (!readTerm(part, operand))
      return false;
  std::string implicit;
  if (!llvm::StringRef(text).contains("->")) {
    makeResult(left);
    implicit = "..." + result;
    right = implicit;
  }
  return readResult(right) && joinSizes();
}

/// Takes the diagonal of two dimensions with the same letter. Elements off the diagonal are set to
/// zero before a sum over the second dimension.
Term takeDiagonals(Emitter &emit, Term term) {
  for (size_t first = 0; first < term.letters.size(); ++first)
    for (size_t second;
         (second = term.letters.find(term.letters[first], first + 1)) != std::string::npos;) {
      int64_t size = term.tensor.shape()[first];
      Type i64 = emit.attributes().getI64Type();
      Shape rows(term.tensor.rank() - first, 1), columns(term.tensor.rank() - second, 1);
      rows[0] = columns[0] = size;
      Tensor number = emit.iota(i64, size);
      Tensor isEqual = emit.compare(graph::Direction::EQ, emit.reshape(number, rows),
                                    emit.reshape(number, columns));
      Tensor kept = emit.select(isEqual, term.tensor, emit.scalarLike(term.tensor, 0.0));
      term.tensor = emit.reduce(graph::ReduceOpKind::Sum, kept, static_cast<int64_t>(second));
      term.letters.erase(second, 1);
    }
  return term;
}

/// Arranges `term` to the dimensions `letters`: sums over all other dimensions, then transposes.
Tensor arrange(Emitter &emit, const Term &term, llvm::StringRef letters) {
  llvm::SmallVector<int64_t> summed, permutation;
  std::string kept;
  for (auto [dim, letter] : llvm::enumerate(term.letters)) {
    if (letters.contains(letter))
      kept += letter;
    else
      summed.push_back(dim);
  }
  for (char letter : letters)
    permutation.push_back(kept.find(letter));
  return emit.transpose(emit.reduce(graph::ReduceOpKind::Sum, term.tensor, summed), permutation);
}

Tensor contract(Emitter &emit, const Term &x, const Term &y, llvm::StringRef result) {
  Shape shape;
  for (char letter : result) {
    size_t dim = x.letters.find(letter);
    shape.push_back(dim != std::string::npos ? x.tensor.shape()[dim]
                                             : y.tensor.shape()[y.letters.find(letter)]);
  }
  Builder &b = emit.attributes();
  std::string equation = x.letters + "," + y.letters + "->" + result.str();
  return emit.apply<graph::EinsumOp>(x.tensor.type.clone(shape), {x.tensor, y.tensor},
                                     b.getNamedAttr("equation", b.getStringAttr(equation)))[0];
}

LogicalResult importEinsum(Node &node) {
  Emitter &emit = node.emit;
  EinsumReader reader(emit, node.text("equation", ""));
  if (!reader.read(node.allInputs()))
    return failure();
  llvm::MutableArrayRef<Term> terms = reader.terms;
  for (Term &term : terms)
    term = takeDiagonals(emit, term);
  Term made = terms.front();
  for (size_t next = 1; made.tensor && next < terms.size(); ++next) {
    bool isLast = next + 1 == terms.size();
    std::string kept = isLast ? reader.result : "";
    auto isNeeded = [&](char letter) {
      return llvm::StringRef(reader.result).contains(letter) ||
             llvm::any_of(terms.drop_front(next + 1), [&](const Term &term) {
               return llvm::StringRef(term.letters).contains(letter);
             });
    };
    if (!isLast)
      for (char letter : made.letters + terms[next].letters)
        if (isNeeded(letter) && !llvm::StringRef(kept).contains(letter))
          kept += letter;
    made = {contract(emit, made, terms[next], kept), kept};
  }
  return node.setResult(made.tensor ? arrange(emit, made, reader.result) : Tensor());
}

} // namespace

llvm::ArrayRef<Operator> einsumOperators() {
  static const Operator rows[] = {
      {"Einsum", 12, 1, anyNumber, AllInputs, importEinsum},
  };
  return rows;
}

} // namespace pcc::import
