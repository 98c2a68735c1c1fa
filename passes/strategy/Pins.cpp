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

/// Whether a pin holds a name as it is, and no regular expression.
bool isLiteral(PinTarget target) {
  return target == PinTarget::OpName || target == PinTarget::OpExact;
}

/// What a letter behind a backslash stands for, inside of brackets.
StringRef getClass(char letter) {
  switch (letter) {
  case 'd':
    return "0-9";
  case 'w':
    return "A-Za-z0-9_";
  case 's':
    return "[:space:]";
  default:
    return "";
  }
}

/// `pattern` with \d, \w and \s, which people write and POSIX does not know, as POSIX writes them.
std::string expandClasses(StringRef pattern) {
  std::string expanded;
  bool isBracket = false;
  for (size_t index = 0; index < pattern.size(); ++index) {
    char letter = pattern[index];
    StringRef inside =
        letter == '\\' && index + 1 < pattern.size() ? getClass(pattern[index + 1]) : "";
    if (!inside.empty()) {
      expanded += isBracket ? inside.str() : "[" + inside.str() + "]";
      ++index;
      continue;
    }
    expanded += letter;
    if (letter == '\\' && index + 1 < pattern.size())
      expanded += pattern[++index];
    else if (letter == '[')
      isBracket = true;
    else if (letter == ']')
      isBracket = false;
  }
  return expanded;
}

} // namespace

std::string Pin::describe() const {
  std::string text = "pin \"" + pattern + "\"";
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
  pin.pattern = getString(entry, row->key);
  pin.place = getString(entry, "place");
  pin.restored = entry.contains("restored");
  pin.optional = entry.contains("optional");
  pin.strategy.joinsSides = pin.restored;
  if (std::string wrong = pin.compile(); !wrong.empty())
    return module.emitError() << pin.describe() << " is no regular expression: " << wrong;
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

std::string Pin::compile() {
  std::string wrong, expanded = expandClasses(pattern);
  if (!isLiteral(target) && llvm::Regex(expanded).isValid(wrong))
    whole = llvm::Regex("^(" + expanded + (target == PinTarget::Module ? ")([/.].*)?$" : ")$"));
  return wrong;
}

bool Pin::matches(StringRef name) const {
  return isLiteral(target) ? name == pattern : whole.match(name);
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
