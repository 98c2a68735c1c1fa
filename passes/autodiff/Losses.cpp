// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/autodiff/Losses.h"

#include "passes/autodiff/OptionList.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::autodiff {

//===------------------------------------------------------------------------------------------===//
// softmax_cross_entropy
//===------------------------------------------------------------------------------------------===//

static std::string checkLogits(RankedTensorType logits) {
  if (logits.getRank() < 1)
    return "expected logits with a dimension of classes, got a scalar";
  if (!isa<FloatType>(logits.getElementType()))
    return "expected logits of floats";
  return "";
}

/// Class numbers: the logits' shape without the classes.
static RankedTensorType classNumbers(RankedTensorType logits) {
  return RankedTensorType::get(logits.getShape().drop_back(),
                               IntegerType::get(logits.getContext(), 64));
}

/// Class numbers of any integer type, or probabilities of the logits' type, none of which is
/// ignored.
static std::string checkClasses(RankedTensorType logits, RankedTensorType labels,
                                const LossSpec &spec) {
  bool sparse = labels.getShape() == logits.getShape().drop_back() &&
                isa<IntegerType>(labels.getElementType()) && !labels.getElementType().isInteger(1);
  bool dense = labels == logits && !spec.ignoreIndex;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!sparse && !dense)
    os << "expected '" << classNumbers(logits) << "', got '" << labels << "'";
  else if (spec.ignoreIndex && !llvm::isIntN(labels.getElementTypeBitWidth(), *spec.ignoreIndex))
    os << "expected 'ignore_index' to be one of '" << labels.getElementType() << "', got "
       << *spec.ignoreIndex;
  return text;
}

static Value buildSoftmaxCrossEntropy(ImplicitLocOpBuilder &builder, Value logits, Value labels,
                                      const LossSpec &spec) {
  IntegerAttr ignored =
      spec.ignoreIndex ? builder.getI64IntegerAttr(*spec.ignoreIndex) : IntegerAttr();
  return graph::SoftmaxCrossEntropyOp::create(
      builder, logits, labels, graph::LossReductionAttr::get(builder.getContext(), spec.reduction),
      ignored);
}

static constexpr StringRef softmaxCrossEntropyOptions[] = {"reduction", "ignore_index"};

//===------------------------------------------------------------------------------------------===//
// The table and the flag
//===------------------------------------------------------------------------------------------===//

static constexpr LossKind losses[] = {
    {"softmax_cross_entropy", softmaxCrossEntropyOptions, checkLogits, classNumbers, checkClasses,
     buildSoftmaxCrossEntropy},
};

static llvm::Expected<const LossKind *> findLoss(StringRef name) {
  SmallVector<StringRef> known;
  for (const LossKind &kind : losses) {
    if (kind.name == name)
      return &kind;
    known.push_back(kind.name);
  }
  return makeError("unknown loss '", name, "'; known: ", quotedList(known));
}

static llvm::Error setOption(LossSpec &spec, const Option &option) {
  if (option.key == "ignore_index")
    return parseInteger(option).moveInto(spec.ignoreIndex.emplace());
  std::optional<graph::LossReduction> reduction = graph::symbolizeLossReduction(option.value);
  if (!reduction)
    return makeError("option 'reduction': expected mean or sum, got '", option.value, "'");
  spec.reduction = *reduction;
  return llvm::Error::success();
}

/// The first words are the names of prediction and labels, options follow.
static llvm::Error setItems(LossSpec &spec, StringRef owner, ArrayRef<Option> items) {
  SmallVector<Option> names(llvm::make_filter_range(items, [](auto &i) { return !i.hasValue; }));
  SmallVector<Option> options(llvm::make_filter_range(items, [](auto &i) { return i.hasValue; }));
  if (names.size() > 2)
    return makeError("expected at most two names in ", owner, ", a prediction and labels, got ",
                     names.size());
  if (names.size() > 0)
    spec.prediction = names[0].key.str();
  if (names.size() > 1)
    spec.labels = names[1].key.str();
  if (llvm::Error error = checkOptions(owner, options, spec.kind->options))
    return error;
  for (const Option &option : options)
    if (llvm::Error error = setOption(spec, option))
      return error;
  return llvm::Error::success();
}

llvm::Expected<LossSpec> parseLoss(StringRef text) {
  auto [name, rest] = text.split(':');
  auto kind = findLoss(name.trim());
  if (!kind)
    return kind.takeError();
  LossSpec spec;
  spec.kind = *kind;
  std::string owner = ("loss '" + spec.kind->name + "'").str();
  auto items = splitOptions(owner, rest);
  if (!items)
    return items.takeError();
  if (llvm::Error error = setItems(spec, owner, *items))
    return error;
  return spec;
}

} // namespace pcc::autodiff
