// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, writes and verifies the annotation. The length of a run is not stored: it is the part's
// share of all elements, in every period. Verifies the rules C6 and C7.
#include "dialects/graph/ParameterPart.h"

using namespace mlir;

namespace pcc::graph {

std::string makePartName(StringRef whole, StringRef label) {
  return (whole + "[" + label + "]").str();
}

StringRef getWholeName(StringRef name) {
  return name.ends_with("]") && name.contains('[') ? name.rsplit('[').first : "";
}

/// Reads the annotation as it is written; nothing if an entry is missing.
static std::optional<ParameterPart> readPart(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!entries)
    return std::nullopt;
  auto whole = entries.getAs<StringAttr>("whole");
  auto shape = entries.getAs<DenseI64ArrayAttr>("shape");
  auto period = entries.getAs<IntegerAttr>("period"), offset = entries.getAs<IntegerAttr>("offset");
  if (!whole || !shape || !period || !offset)
    return std::nullopt;
  ParameterPart part;
  part.whole = whole.getValue();
  part.shape.assign(shape.asArrayRef().begin(), shape.asArrayRef().end());
  part.period = period.getInt();
  part.offset = offset.getInt();
  return part;
}

/// Returns how many elements of each period `count` elements are, or 0 if they do not divide
/// evenly.
static int64_t findRun(const ParameterPart &part, int64_t count) {
  int64_t all = ShapedType::getNumElements(part.shape);
  if (part.period < 1 || all < 1 || all % part.period || count % (all / part.period))
    return 0;
  return count / (all / part.period);
}

std::optional<ParameterPart> getParameterPart(ParameterOp parameter) {
  std::optional<ParameterPart> part = readPart(parameter->getAttr(partAttrName));
  if (part)
    part->run = findRun(*part, parameter.getTensorType().getNumElements());
  return part;
}

void setParameterPart(ParameterOp parameter, const ParameterPart &part) {
  Builder b(parameter.getContext());
  parameter->setAttr(
      partAttrName,
      b.getDictionaryAttr({b.getNamedAttr("whole", b.getStringAttr(part.whole)),
                           b.getNamedAttr("shape", b.getDenseI64ArrayAttr(part.shape)),
                           b.getNamedAttr("period", b.getI64IntegerAttr(part.period)),
                           b.getNamedAttr("offset", b.getI64IntegerAttr(part.offset))}));
}

LogicalResult verifyParameterPart(ParameterOp parameter) {
  Attribute attribute = parameter->getAttr(partAttrName);
  if (!attribute)
    return success();
  std::optional<ParameterPart> part = readPart(attribute);
  bool isPositive = part && llvm::all_of(part->shape, [](int64_t size) { return size > 0; });
  if (!isPositive) // C6
    return parameter.emitOpError()
           << "expected '" << partAttrName
           << "' with a 'whole', a 'shape' of positive sizes, a 'period' and an 'offset', got "
           << attribute;
  int64_t count = parameter.getTensorType().getNumElements();
  int64_t run = findRun(*part, count);
  if (run < 1 || part->offset < 0 || part->offset > part->period - run) // C7
    return parameter.emitOpError()
           << "expected '" << partAttrName << "' inside of its whole, got " << count
           << " elements of " << ShapedType::getNumElements(part->shape) << ", from "
           << part->offset << " on in every " << part->period;
  return success();
}

std::vector<char> cutParameterPart(const ParameterPart &part, ArrayRef<char> whole) {
  int64_t width = whole.size() / ShapedType::getNumElements(part.shape);
  std::vector<char> bytes;
  bytes.reserve(whole.size() / part.period * part.run);
  for (size_t at = part.offset * width; at < whole.size(); at += part.period * width)
    llvm::append_range(bytes, whole.slice(at, part.run * width));
  return bytes;
}

} // namespace pcc::graph
