// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/strategy/ShardingConstraints.h"

using namespace mlir;

namespace pcc::strategy {
namespace {

using Kind = facts::NamePattern::Kind;

/// Keys in the order of ConstraintKind.
constexpr facts::SubjectKey keys[] = {
    {"op", Kind::Whole},       {"op_name", Kind::Literal}, {"op_exact", Kind::Literal},
    {"module", Kind::Leading}, {"parameter", Kind::Whole}, {"input", Kind::Whole},
};

} // namespace

FailureOr<ShardingConstraint> ShardingConstraint::read(DictionaryAttr entry, ModuleOp module) {
  FailureOr<facts::PinSubject> subject = facts::PinSubject::read(entry, keys, "a pin", module);
  if (failed(subject))
    return failure();
  ShardingConstraint pin;
  pin.subject = std::move(*subject);
  pin.restored = entry.contains("restored");
  pin.optional = entry.contains("optional");
  pin.strategy.joinsSides = pin.restored;
  auto parse = [&](StringRef key, std::optional<GivenCuts> &cuts) -> LogicalResult {
    StringRef text = facts::getText(entry, key);
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

FailureOr<std::vector<ShardingConstraint>> readConstraints(ModuleOp module) {
  std::vector<ShardingConstraint> pins;
  Attribute attribute = module->getAttr(dist::constraintsAttrName);
  if (!attribute)
    return pins;
  for (auto entry : cast<ArrayAttr>(attribute).getAsRange<DictionaryAttr>()) {
    FailureOr<ShardingConstraint> pin = ShardingConstraint::read(entry, module);
    if (failed(pin))
      return failure();
    pins.push_back(std::move(*pin));
  }
  return pins;
}

} // namespace pcc::strategy
