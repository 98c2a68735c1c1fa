// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/graph/Pieces.h"

using namespace mlir;

namespace pcc::graph {

std::string makePieceName(StringRef whole, StringRef label) {
  return (whole + "[" + label + "]").str();
}

StringRef getWholeName(StringRef name) {
  return name.ends_with("]") && name.contains('[') ? name.rsplit('[').first : "";
}

/// Reads the annotation as it is written; nothing if an entry is missing.
static std::optional<Piece> readPiece(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!entries)
    return std::nullopt;
  auto whole = entries.getAs<StringAttr>("whole");
  auto shape = entries.getAs<DenseI64ArrayAttr>("shape");
  auto period = entries.getAs<IntegerAttr>("period"), offset = entries.getAs<IntegerAttr>("offset");
  if (!whole || !shape || !period || !offset)
    return std::nullopt;
  Piece piece;
  piece.whole = whole.getValue();
  piece.shape.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
  piece.period = period.getInt();
  piece.offset = offset.getInt();
  return piece;
}

/// Returns how many elements of each period `count` elements are, or 0 if they do not divide
/// evenly.
static int64_t findRun(const Piece &piece, int64_t count) {
  int64_t all = ShapedType::getNumElements(piece.shape);
  if (piece.period < 1 || all < 1 || all % piece.period || count % (all / piece.period))
    return 0;
  return count / (all / piece.period);
}

std::optional<Piece> getPiece(ParameterOp parameter) {
  std::optional<Piece> piece = readPiece(parameter->getAttr(pieceAttrName));
  if (piece)
    piece->run = findRun(*piece, parameter.getTensorType().getNumElements());
  return piece;
}

void setPiece(ParameterOp parameter, const Piece &piece) {
  Builder b(parameter.getContext());
  parameter->setAttr(
      pieceAttrName,
      b.getDictionaryAttr({b.getNamedAttr("whole", b.getStringAttr(piece.whole)),
                           b.getNamedAttr("shape", b.getDenseI64ArrayAttr(piece.shape)),
                           b.getNamedAttr("period", b.getI64IntegerAttr(piece.period)),
                           b.getNamedAttr("offset", b.getI64IntegerAttr(piece.offset))}));
}

LogicalResult verifyPiece(ParameterOp parameter) {
  Attribute attribute = parameter->getAttr(pieceAttrName);
  if (!attribute)
    return success();
  std::optional<Piece> piece = readPiece(attribute);
  bool isPositive = piece && llvm::all_of(piece->shape, [](int64_t size) { return size > 0; });
  if (!isPositive) // C6
    return parameter.emitOpError()
           << "expected '" << pieceAttrName
           << "' with a 'whole', a 'shape' of positive sizes, a 'period' and an 'offset', got "
           << attribute;
  int64_t count = parameter.getTensorType().getNumElements();
  int64_t run = findRun(*piece, count);
  if (run < 1 || piece->offset < 0 || piece->offset > piece->period - run) // C7
    return parameter.emitOpError()
           << "expected '" << pieceAttrName << "' inside of its whole, got " << count
           << " elements of " << ShapedType::getNumElements(piece->shape) << ", from "
           << piece->offset << " on in every " << piece->period;
  return success();
}

std::vector<char> cutPiece(const Piece &piece, ArrayRef<char> whole) {
  int64_t width = whole.size() / ShapedType::getNumElements(piece.shape);
  std::vector<char> bytes;
  bytes.reserve(whole.size() / piece.period * piece.run);
  for (size_t at = piece.offset * width; at < whole.size(); at += piece.period * width)
    llvm::append_range(bytes, whole.slice(at, piece.run * width));
  return bytes;
}

} // namespace pcc::graph
