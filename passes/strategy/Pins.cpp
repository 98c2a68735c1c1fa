// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/Pins.h"

using namespace mlir;

namespace pcc::strategy {
namespace {

struct TargetRow {
  PinTarget target;
  StringLiteral key;
};

constexpr TargetRow targets[] = {
    {PinTarget::Op, "op"},
    {PinTarget::OpName, "op_name"},
    {PinTarget::OpExact, "op_exact"},
    {PinTarget::Module, "module"},
    {PinTarget::Parameter, "parameter"},
    {PinTarget::Input, "input"},
};

StringRef getString(DictionaryAttr entry, StringRef key) {
  auto text = entry.getAs<StringAttr>(key);
  return text ? text.getValue() : "";
}

/// The only key among those of the table.
const TargetRow *findTarget(DictionaryAttr entry) {
  const TargetRow *found = nullptr;
  for (const TargetRow &row : targets) {
    if (getString(entry, row.key).empty())
      continue;
    if (found)
      return nullptr;
    found = &row;
  }
  return found;
}

/// How the text of a pin is to be read.
facts::NamePattern::Kind kindOf(PinTarget target) {
  using Kind = facts::NamePattern::Kind;
  if (target == PinTarget::OpName || target == PinTarget::OpExact)
    return Kind::Literal;
  return target == PinTarget::Module ? Kind::Leading : Kind::Whole;
}

} // namespace

std::string Pin::describe() const {
  std::string text = ("pin \"" + getPattern() + "\"").str();
  return place.empty() ? text : text + " at " + place;
}

FailureOr<Pin> Pin::read(DictionaryAttr entry, ModuleOp module) {
  const TargetRow *row = findTarget(entry);
  if (!row)
    return module.emitError() << "expected a pin to name one of \"op\", \"op_name\", \"module\", "
                                 "\"parameter\" and \"input\", got "
                              << entry;
  Pin pin;
  pin.target = row->target;
  pin.pattern = facts::NamePattern(kindOf(row->target), getString(entry, row->key));
  pin.place = getString(entry, "place");
  pin.restored = entry.contains("restored");
  pin.optional = entry.contains("optional");
  pin.strategy.joinsSides = pin.restored;
  if (!pin.pattern.getError().empty())
    return module.emitError() << pin.describe()
                              << " is no regular expression: " << pin.pattern.getError();
  auto parse = [&](StringRef key, std::optional<GivenCuts> &cuts) -> LogicalResult {
    StringRef text = getString(entry, key);
    if (text.empty())
      return success();
    FailureOr<GivenCuts> parsed = parseCuts(text, module.getContext(), [&] {
      return module.emitError() << pin.describe() << ", \"" << key << "\": ";
    });
    if (succeeded(parsed))
      cuts = std::move(*parsed);
    return parsed;
  };
  bool isSharding = pin.isOfTensor();
  if (failed(isSharding ? parse("sharding", pin.strategy.out)
                        : success(succeeded(parse("in", pin.strategy.in)) &&
                                  succeeded(parse("out", pin.strategy.out)))))
    return failure();
  if (!pin.strategy.in && !pin.strategy.out)
    return module.emitError() << pin.describe() << " says nothing; expected "
                              << (isSharding ? "\"sharding\"" : "\"in\" or \"out\"");
  return pin;
}

FailureOr<std::vector<Pin>> readPins(ModuleOp module) {
  std::vector<Pin> pins;
  Attribute attribute = module->getAttr(dist::pinsAttrName);
  if (!attribute)
    return pins;
  for (auto entry : cast<ArrayAttr>(attribute).getAsRange<DictionaryAttr>()) {
    FailureOr<Pin> pin = Pin::read(entry, module);
    if (failed(pin))
      return failure();
    pins.push_back(std::move(*pin));
  }
  return pins;
}

} // namespace pcc::strategy
