// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/pipeline/StagePins.h"

#include "dialects/pipe/Pins.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "passes/facts/OpNames.h"

using namespace mlir;

namespace pcc::pipeline {
namespace {

struct TargetRow {
  facts::NamePattern::Kind kind;
  StringLiteral key;
};

constexpr TargetRow targets[] = {
    {facts::NamePattern::Kind::Whole, "op"},
    {facts::NamePattern::Kind::Literal, "op_name"},
    {facts::NamePattern::Kind::Leading, "module"},
    {facts::NamePattern::Kind::Part, "layer"},
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

FailureOr<StagePin> readPin(DictionaryAttr entry, ModuleOp module) {
  const TargetRow *row = findTarget(entry);
  if (!row)
    return module.emitError() << "expected a stage to be given to one of \"op\", \"op_name\", "
                                 "\"module\" and \"layer\", got "
                              << entry;
  StagePin pin;
  pin.pattern = facts::NamePattern(row->kind, getString(entry, row->key));
  pin.place = getString(entry, "place");
  pin.recompute = entry.contains("recompute");
  pin.isMark = entry.contains("marked");
  if (auto stage = entry.getAs<IntegerAttr>("stage"))
    pin.stage = stage.getInt();
  if (auto chunk = entry.getAs<IntegerAttr>("chunk"))
    pin.chunk = chunk.getInt();
  if (!pin.pattern.getError().empty())
    return module.emitError() << pin.describe()
                              << " is no regular expression: " << pin.pattern.getError();
  if (row->kind == facts::NamePattern::Kind::Part)
    pin.layout = StageLayout::parse(getString(entry, "layout"));
  if (pin.layout && !pin.layout->error.empty())
    return module.emitError() << "layout \"" << getString(entry, "layout") << "\" of "
                              << pin.describe() << ": " << pin.layout->error;
  if (!pin.stage && !pin.chunk && !pin.recompute && !pin.layout)
    return module.emitError() << pin.describe()
                              << " says nothing; expected \"stage\" or \"recompute\"";
  return pin;
}

} // namespace

bool StagePin::matches(Operation *op) const {
  bool isMatched =
      llvm::any_of(facts::getNames(op), [&](StringRef name) { return pattern.matches(name); });
  std::optional<StringRef> origin = facts::getDerivedFrom(op);
  return isMatched && !(origin && pattern.matches(*origin));
}

std::string StagePin::describe() const {
  std::string text = ("pin \"" + pattern.getText() + "\"").str();
  return place.empty() ? text : text + " at " + place;
}

FailureOr<std::vector<StagePin>> readStagePins(ModuleOp module) {
  std::vector<StagePin> pins;
  auto entries = module->getAttrOfType<ArrayAttr>(pipe::pinsAttrName);
  if (!entries)
    return pins;
  for (Attribute entry : entries) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary)
      return module.emitError() << "expected dictionaries in '" << pipe::pinsAttrName << "', got "
                                << entry;
    FailureOr<StagePin> pin = readPin(dictionary, module);
    if (failed(pin))
      return failure();
    pins.push_back(std::move(*pin));
  }
  return pins;
}

} // namespace pcc::pipeline
