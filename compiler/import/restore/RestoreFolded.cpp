// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each way in which a value was computed. Each checks that the value can have been
// computed in this way only.
#include "compiler/import/restore/RestorationSteps.h"

#include "compiler/import/files/onnx.pb.h"
#include "compiler/import/restore/ExporterChanges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <cmath>

using namespace mlir;

namespace pcc::import {
namespace {

/// Returns the elements of a matrix of `rows` x `columns`, transposed.
std::string transposeElements(llvm::ArrayRef<char> bytes, int64_t rows, int64_t columns) {
  std::string result(bytes.size(), '\0');
  size_t size = bytes.empty() ? 0 : bytes.size() / (rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::copy_n(bytes.begin() + (row * columns + column) * size, size,
                  result.begin() + (column * rows + row) * size);
  return result;
}

/// Returns whether a tensor repeats its first `period` slices along dimension `dim`.
bool hasPeriod(const TensorData &data, int64_t dim, int64_t period) {
  llvm::ArrayRef<int64_t> shape = data.type.getShape();
  size_t count = 1;
  for (int64_t size : shape.take_front(dim))
    count *= size;
  size_t slices = data.bytes.size() / count, slice = slices / shape[dim];
  for (size_t outer = 0; outer < count; ++outer) {
    llvm::ArrayRef<char> bytes = data.bytes.slice(outer * slices, slices);
    if (bytes.drop_front(period * slice) != bytes.drop_back(period * slice))
      return false;
  }
  return true;
}

/// Returns the elements of a tensor of f32, each changed by `change`.
std::string mapNumbers(llvm::ArrayRef<char> bytes, llvm::function_ref<float(float)> change) {
  std::string result;
  for (; bytes.size() >= 4; bytes = bytes.drop_front(4)) {
    auto bits = llvm::support::endian::read32le(bytes.data());
    char changed[4];
    llvm::support::endian::write32le(changed,
                                     llvm::bit_cast<uint32_t>(change(llvm::bit_cast<float>(bits))));
    result.append(changed, 4);
  }
  return result;
}

class Folded {
public:
  Folded(const onnx::TensorProto &folded, llvm::StringRef target, const ExportedModule &exported,
         const TracedGraph &traced, InitializerEdits &edits)
      : folded(folded), name(folded.name()), target(target), exported(exported), traced(traced),
        edits(edits) {}

  bool restoreTransposed();
  bool restoreExpanded();
  bool restoreIdentity();
  bool restoreUnary();
  bool restoreShape();

private:
  bool isReadBy(llvm::function_ref<bool(const onnx::NodeProto &, const FxNode &)> matches) const;
  bool isFoldedFrom(llvm::function_ref<bool(llvm::StringRef)> isOther) const;
  bool isRepeatedOverBatch(const TensorData &data) const;
  bool isIndexed() const;
  std::optional<llvm::SmallVector<int64_t>> findShapeBefore() const;
  std::string takeBytes(const TensorData &data) const {
    return std::string(data.bytes.begin(), data.bytes.end());
  }

  const onnx::TensorProto &folded;
  llvm::StringRef name, target;
  const ExportedModule &exported;
  const TracedGraph &traced;
  InitializerEdits &edits;
};

/// Returns whether all readers match, and one reads the parameter in the module. The others read
/// equal parameters, which were merged with it.
bool Folded::isReadBy(
    llvm::function_ref<bool(const onnx::NodeProto &, const FxNode &)> matches) const {
  bool isRead = false;
  for (const onnx::NodeProto *node : traced.readersOf.lookup(name)) {
    std::optional<FxNode> fx = findFxNode(*node);
    auto isParameter = [&](llvm::StringRef argument) {
      return exported.isParameter(exported.targetOf(argument));
    };
    if (!fx || !matches(*node, *fx) || llvm::none_of(fx->arguments, isParameter))
      return false;
    isRead |= fx->reads(exported.placeholderOf(target));
  }
  return isRead;
}

/// Returns whether the value was folded from the parameter and such other values only.
bool Folded::isFoldedFrom(llvm::function_ref<bool(llvm::StringRef)> isOther) const {
  return llvm::all_of(exported.foldedFrom(name),
                      [&](llvm::StringRef source) { return source == target || isOther(source); });
}

/// Undoes the transpose of a weight: that of a linear layer, or one that the module computes, as in
/// `x @ weight.T`. If the file has the parameter too, because other nodes read it, both become one.
bool Folded::restoreTransposed() {
  static constexpr llvm::StringLiteral names[] = {"permute", "transpose", "t", "numpy_t"};
  bool isTransposed = isInner(name) ? isReadBy([](const onnx::NodeProto &, const FxNode &fx) {
    return fx.operation.starts_with("aten.linear.");
  })
                                    : llvm::is_contained(names, baseName(name));
  if (folded.dims_size() != 2 || exported.foldedFrom(name).size() != 1 || !isTransposed)
    return false;
  std::optional<TensorData> data = edits.read(folded);
  int64_t rows = folded.dims(0), columns = folded.dims(1);
  if (!data || !edits.addParameter(target, folded, {columns, rows},
                                   transposeElements(data->bytes, rows, columns)))
    return false;
  addAttribute(edits.computeInstead(folded, "Transpose", {target}), "perm", {1, 0});
  return true;
}

/// Returns whether the elements of a tensor show that its first dimension alone was expanded or
/// repeated.
bool Folded::isRepeatedOverBatch(const TensorData &data) const {
  llvm::ArrayRef<int64_t> shape = data.type.getShape();
  if (!hasPeriod(data, 0, 1))
    return false;
  for (size_t dim = 1; dim < shape.size(); ++dim) {
    int64_t longest = baseName(name) == "repeat" ? shape[dim] : std::min<int64_t>(shape[dim], 2);
    for (int64_t period : llvm::seq<int64_t>(1, longest))
      if (shape[dim] % period == 0 && hasPeriod(data, dim, period))
        return false;
  }
  return true;
}

/// Undoes the expansion of a parameter over the batch. An unsqueeze before it added the dimension
/// of the batch, unless another dimension is 1.
bool Folded::restoreExpanded() {
  auto isUnsqueeze = [](llvm::StringRef name) { return baseName(name) == "unsqueeze"; };
  auto isOther = [&](llvm::StringRef source) { return isInner(source) || isUnsqueeze(source); };
  auto added = llvm::count_if(exported.foldedFrom(name), isUnsqueeze);
  bool isExpanded = baseName(name) == "expand" || baseName(name) == "repeat";
  if (!isExpanded || edits.has(target) || added > 1 || !isFoldedFrom(isOther) ||
      folded.dims_size() == 0)
    return false;
  std::optional<TensorData> data = edits.read(folded);
  if (!data || data->bytes.empty() || !isRepeatedOverBatch(*data))
    return false;
  llvm::SmallVector<int64_t> shape(data->type.getShape());
  if (added == 1 && (shape.size() == 1 || llvm::is_contained(llvm::drop_begin(shape), 1)))
    return false;
  llvm::ArrayRef<char> row = data->bytes.take_front(data->bytes.size() / shape[0]);
  std::string shapeName = edits.addIntegers(name, shape);
  shape[0] = 1;
  edits.addParameter(target, folded, llvm::ArrayRef(shape).drop_front(added),
                     std::string(row.begin(), row.end()));
  edits.computeInstead(folded, "Expand", {target, shapeName});
  return true;
}

/// Returns whether all readers select elements along the first dimensions of the parameter. The
/// exporter then adds a transpose that moves nothing.
bool Folded::isIndexed() const {
  return isInner(name) && isReadBy([&](const onnx::NodeProto &node, const FxNode &fx) {
           const auto *firstNone = llvm::find(fx.lastList, "None");
           return fx.operation.starts_with("aten.index.") && node.op_type() == "GatherND" &&
                  node.input(0) == name && !fx.lastList.empty() &&
                  std::all_of(firstNone, fx.lastList.end(),
                              [](llvm::StringRef item) { return item == "None"; });
         });
}

/// Restores a parameter that is stored unchanged under another name.
bool Folded::restoreIdentity() {
  bool isSame = baseName(name) == "alias" || isIndexed();
  std::optional<TensorData> data;
  if (isSame && exported.foldedFrom(name).size() == 1)
    data = edits.read(folded);
  if (!data || !edits.addParameter(target, folded, data->type.getShape(), takeBytes(*data)))
    return false;
  edits.computeInstead(folded, "Identity", {target});
  return true;
}

/// Undoes an exponential, a negation, or the negation of an exponential: a scale of logits, or the
/// decays of a state space. The logarithm may differ from the parameter in its last digit.
bool Folded::restoreUnary() {
  bool isNegated = baseName(name) == "neg", isExponential = baseName(name) == "exp";
  for (llvm::StringRef source : exported.foldedFrom(name)) {
    if (source != target && (!isNegated || isExponential || baseName(source) != "exp"))
      return false;
    isExponential |= source != target;
  }
  std::optional<TensorData> data;
  if ((isNegated || isExponential) && folded.data_type() == onnx::TensorProto::FLOAT)
    data = edits.read(folded);
  if (!data)
    return false;
  bool isNormal = true;
  std::string bytes = mapNumbers(data->bytes, [&](float number) {
    float positive = isNegated ? -number : number;
    isNormal &= !isExponential || (std::isnormal(positive) && positive > 0);
    return isExponential ? static_cast<float>(std::log(double(positive))) : positive;
  });
  if (!isNormal || !edits.addParameter(target, folded, data->type.getShape(), std::move(bytes)))
    return false;
  if (isNegated && isExponential) {
    std::string inner = (name + ".exp").str();
    edits.addNode("Exp", {target}, inner);
    edits.computeInstead(folded, "Neg", {inner});
  } else {
    edits.computeInstead(folded, isNegated ? "Neg" : "Exp", {target});
  }
  return true;
}

/// Returns the shape of a parameter that the module reshaped; nullopt if it is not certain. An
/// unsqueeze adds a dimension of 1. A view that adds several to a list has one other dimension; one
/// of a single dimension comes from a tensor of several.
std::optional<llvm::SmallVector<int64_t>> Folded::findShapeBefore() const {
  auto isUnsqueeze = [](llvm::StringRef name) { return baseName(name) == "unsqueeze"; };
  llvm::SmallVector<int64_t> shape;
  llvm::copy_if(folded.dims(), std::back_inserter(shape), [](int64_t size) { return size != 1; });
  int64_t ones = folded.dims_size() - static_cast<int64_t>(shape.size());
  if (isUnsqueeze(name)) {
    int64_t added = llvm::count_if(exported.foldedFrom(name), isUnsqueeze) + 1;
    bool isOnly = isFoldedFrom([&](auto source) { return isInner(source) || isUnsqueeze(source); });
    return isOnly && added == ones ? std::optional(shape) : std::nullopt;
  }
  bool isView = baseName(name) == "view" || baseName(name) == "reshape";
  bool isList = shape.size() == 1 && ones > 0 && isFoldedFrom(isInner);
  return isView && isList ? std::optional(shape) : std::nullopt;
}

/// Restores a parameter that the module, or a PReLU, stores with more dimensions: [1, 16, 1, 1].
bool Folded::restoreShape() {
  bool isSlope = isInner(name) && isFoldedFrom(isInner) &&
                 isReadBy([](const onnx::NodeProto &node, const FxNode &fx) {
                   return fx.operation.starts_with("aten.prelu.") && node.op_type() == "PRelu";
                 });
  std::optional<llvm::SmallVector<int64_t>> shape = findShapeBefore();
  std::optional<TensorData> data;
  if (isSlope || shape)
    data = edits.read(folded);
  if (!data)
    return false;
  if (isSlope)
    shape = {data->type.getNumElements()};
  if (!edits.addParameter(target, folded, *shape, takeBytes(*data)))
    return false;
  edits.computeInstead(folded, "Reshape", {target, edits.addIntegers(name, data->type.getShape())});
  return true;
}

/// Returns whether an fx node only makes zeros, or moves elements.
bool isOfZeros(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "zeros",  "zeros_like", "new_zeros", "getitem", "unbind",  "select",    "slice", "view",
      "expand", "squeeze",    "unsqueeze", "reshape", "permute", "transpose", "clone"};
  return isInner(name) || llvm::is_contained(names, baseName(name));
}

/// Returns whether each row of a tensor holds the elements of a list.
bool repeatsRow(const TensorData &data, const TensorData &row) {
  if (row.type.getRank() != 1 || row.type.getElementType() != data.type.getElementType() ||
      row.type.getDimSize(0) != data.type.getShape().back())
    return false;
  size_t size = row.bytes.size();
  llvm::ArrayRef<char> rest = data.bytes;
  while (!rest.empty() && rest.take_front(size) == row.bytes)
    rest = rest.drop_front(size);
  return rest.empty();
}

/// Restores the result of a linear layer on zeros, such as the first state of an RNN. It is the
/// bias, or zero, and no gradient flows to the weight.
void restoreLinearOfZeros(const onnx::TensorProto &folded,
                          llvm::ArrayRef<llvm::StringRef> parameters,
                          const ExportedModule &exported, InitializerEdits &edits) {
  llvm::StringRef name = folded.name();
  auto isZeros = [](llvm::StringRef source) { return baseName(source).contains("zeros"); };
  auto isKnown = [&](llvm::StringRef source) {
    return exported.isParameter(source) || isOfZeros(source);
  };
  llvm::ArrayRef<llvm::StringRef> sources = exported.foldedFrom(name);
  std::optional<TensorData> data;
  if (baseName(name) == "linear" && llvm::any_of(sources, isZeros) &&
      llvm::all_of(sources, isKnown) && folded.dims_size() > 0)
    data = edits.read(folded);
  if (!data || data->bytes.empty())
    return;
  if (parameters.size() == 1 && llvm::all_of(data->bytes, [](char byte) { return byte == 0; })) {
    std::string zeros = (name + ".zeros").str();
    edits.addCopyOfTensor(zeros, folded);
    edits.computeInstead(folded, "Identity", {zeros});
  }
  const auto *bias = llvm::find_if(parameters, [&](llvm::StringRef parameter) {
    const onnx::TensorProto *tensor = edits.find(parameter);
    std::optional<TensorData> row = tensor ? edits.read(*tensor) : std::nullopt;
    return row && repeatsRow(*data, *row);
  });
  if (parameters.size() == 2 && bias != parameters.end())
    edits.computeInstead(folded, "Expand", {*bias, edits.addIntegers(name, data->type.getShape())});
}

} // namespace

void restoreFolded(const onnx::TensorProto &folded, const ExportedModule &exported,
                   const TracedGraph &traced, InitializerEdits &edits) {
  llvm::SmallVector<llvm::StringRef> targets;
  llvm::copy_if(exported.foldedFrom(folded.name()), std::back_inserter(targets),
                [&](llvm::StringRef name) { return exported.isParameter(name); });
  if (exported.isParameter(folded.name()))
    return;
  restoreLinearOfZeros(folded, targets, exported, edits);
  if (targets.size() != 1 || edits.isReplaced(folded.name()))
    return;
  Folded value(folded, targets.front(), exported, traced, edits);
  (void)(value.restoreTransposed() || value.restoreExpanded() || value.restoreIdentity() ||
         value.restoreUnary() || value.restoreShape());
}

} // namespace pcc::import
