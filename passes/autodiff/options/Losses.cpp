// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the losses in a table of functions that check types and build the op. Losses of classes
// share one set of functions, losses of single elements another.
#include "passes/autodiff/options/Losses.h"

#include "passes/autodiff/options/OptionList.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace pcc::autodiff {

//===------------------------------------------------------------------------------------------===//
// softmax_cross_entropy, nll
//===------------------------------------------------------------------------------------------===//

static std::string checkFloats(RankedTensorType prediction) {
  return isa<FloatType>(prediction.getElementType()) ? "" : "expected logits of floats";
}

static std::string checkLogits(RankedTensorType logits) {
  if (logits.getRank() < 1)
    return "expected logits with a dimension of classes, got a scalar";
  return checkFloats(logits);
}

/// Returns the type of class numbers: the logits' shape without the classes.
static RankedTensorType classNumbers(RankedTensorType logits) {
  return RankedTensorType::get(logits.getShape().drop_back(),
                               IntegerType::get(logits.getContext(), 64));
}

/// Checks class numbers of any integer type.
static std::string checkNumbers(RankedTensorType logits, RankedTensorType labels,
                                const LossSpec &spec) {
  bool fits = labels.getShape() == logits.getShape().drop_back() &&
              isa<IntegerType>(labels.getElementType()) && !labels.getElementType().isInteger(1);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!fits)
    os << "expected '" << classNumbers(logits) << "', got '" << labels << "'";
  else if (spec.ignoreIndex && !llvm::isIntN(labels.getElementTypeBitWidth(), *spec.ignoreIndex))
    os << "expected 'ignore_index' to be one of '" << labels.getElementType() << "', got "
       << *spec.ignoreIndex;
  return text;
}

/// Checks class numbers, or probabilities of the logits' type, which allow no ignored label.
static std::string checkClasses(RankedTensorType logits, RankedTensorType labels,
                                const LossSpec &spec) {
  bool dense = labels == logits && !spec.ignoreIndex;
  return dense ? "" : checkNumbers(logits, labels, spec);
}

static graph::LossReductionAttr reductionOf(ImplicitLocOpBuilder &builder, const LossSpec &spec) {
  return graph::LossReductionAttr::get(builder.getContext(), spec.reduction);
}

/// Builds a loss of samples with one class each.
template <typename Op>
static Value buildClassLoss(ImplicitLocOpBuilder &builder, Value prediction, Value labels,
                            const LossSpec &spec) {
  IntegerAttr ignored =
      spec.ignoreIndex ? builder.getI64IntegerAttr(*spec.ignoreIndex) : IntegerAttr();
  return Op::create(builder, prediction, labels, reductionOf(builder, spec), ignored);
}

static constexpr StringRef classOptions[] = {"reduction", "ignore_index"};

//===------------------------------------------------------------------------------------------===//
// mse, sigmoid_cross_entropy
//===------------------------------------------------------------------------------------------===//

static RankedTensorType sameType(RankedTensorType prediction) { return prediction; }

static std::string checkTarget(RankedTensorType prediction, RankedTensorType target,
                               const LossSpec &) {
  std::string text;
  if (target != prediction)
    llvm::raw_string_ostream(text) << "expected '" << prediction << "', got '" << target << "'";
  return text;
}

/// Builds a loss of single elements.
template <typename Op>
static Value buildElementLoss(ImplicitLocOpBuilder &builder, Value prediction, Value target,
                              const LossSpec &spec) {
  return Op::create(builder, prediction, target, reductionOf(builder, spec));
}

static constexpr StringRef elementOptions[] = {"reduction"};

//===------------------------------------------------------------------------------------------===//
// output
//===------------------------------------------------------------------------------------------===//

static std::string checkScalar(RankedTensorType loss) {
  bool isLoss = loss.getRank() == 0 && isa<FloatType>(loss.getElementType());
  return isLoss ? "" : "expected a float scalar";
}

//===------------------------------------------------------------------------------------------===//
// The table and the flag
//===------------------------------------------------------------------------------------------===//

static constexpr LossKind losses[] = {
    {"softmax_cross_entropy", classOptions, checkLogits, classNumbers, checkClasses,
     buildClassLoss<graph::SoftmaxCrossEntropyOp>},
    {"nll", classOptions, checkLogits, classNumbers, checkNumbers, buildClassLoss<graph::NllOp>},
    {"mse", elementOptions, checkFloats, sameType, checkTarget, buildElementLoss<graph::MseOp>},
    {"sigmoid_cross_entropy", elementOptions, checkFloats, sameType, checkTarget,
     buildElementLoss<graph::SigmoidCrossEntropyOp>},
    {"output", {}, checkScalar, nullptr, nullptr, nullptr},
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

/// Sets the names and options of a loss. Words name the prediction and the labels.
static llvm::Error setItems(LossSpec &spec, StringRef owner, ArrayRef<Option> items) {
  SmallVector<Option> names(llvm::make_filter_range(items, [](auto &i) { return !i.hasValue; }));
  SmallVector<Option> options(llvm::make_filter_range(items, [](auto &i) { return i.hasValue; }));
  if (!spec.kind->build && names.size() > 1)
    return makeError("expected one name in ", owner, ", got ", names.size());
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
  if (auto [kind, options] = name.split(','); !options.empty())
    return makeError("expected ':' behind the name of the loss, as in '", kind, ":", options,
                     "', got ','");
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
