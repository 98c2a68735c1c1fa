// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the entries of `dist.constraints`. Subjects are read as in other constraints
// (ConstraintSubject.h). The sharding of a tensor is stored as `out` of its strategy.
#include "passes/strategy/constraints/ConstraintResolver.h"

using namespace mlir;

namespace pcc::strategy {
namespace {

using Kind = analysis::NamePattern::Kind;

/// Keys in the order of ConstraintKind.
constexpr analysis::SubjectKey keys[] = {
    {"op", Kind::Whole},       {"op_name", Kind::Literal}, {"op_exact", Kind::Literal},
    {"module", Kind::Leading}, {"parameter", Kind::Whole}, {"input", Kind::Whole},
};

} // namespace

FailureOr<ShardingConstraint> ShardingConstraint::read(DictionaryAttr entry, ModuleOp module) {
  FailureOr<analysis::ConstraintSubject> subject =
      analysis::ConstraintSubject::read(entry, keys, "a constraint", module);
  if (failed(subject))
    return failure();
  ShardingConstraint constraint;
  constraint.subject = std::move(*subject);
  constraint.restored = entry.contains("restored");
  constraint.optional = entry.contains("optional");
  constraint.strategy.joinsSides = constraint.restored;
  auto parse = [&](StringRef key, std::optional<GivenCuts> &cuts) -> LogicalResult {
    StringRef text = analysis::getText(entry, key);
    if (text.empty())
      return success();
    FailureOr<GivenCuts> parsed = parseCuts(text, module.getContext(), [&] {
      return module.emitError() << constraint.describe() << ", \"" << key << "\": ";
    });
    if (succeeded(parsed))
      cuts = std::move(*parsed);
    return parsed;
  };
  bool isSharding = constraint.isOfTensor();
  if (failed(isSharding ? parse("sharding", constraint.strategy.out)
                        : success(succeeded(parse("in", constraint.strategy.in)) &&
                                  succeeded(parse("out", constraint.strategy.out)))))
    return failure();
  std::optional<GivenCuts> carried;
  if (failed(parse("carried", carried)))
    return failure();
  if (carried) {
    auto *shardings = std::get_if<std::vector<dist::Sharding>>(&*carried);
    if (!shardings)
      return module.emitError() << constraint.describe()
                                << ", \"carried\": expected shardings, got shard counts";
    constraint.strategy.carried = std::move(*shardings);
  }
  if (!constraint.strategy.in && !constraint.strategy.out)
    return module.emitError() << constraint.describe() << " requires nothing; expected "
                              << (isSharding ? "\"sharding\"" : "\"in\" or \"out\"");
  return constraint;
}

FailureOr<std::vector<ShardingConstraint>> readConstraints(ModuleOp module) {
  std::vector<ShardingConstraint> constraints;
  Attribute attribute = module->getAttr(dist::constraintsAttrName);
  if (!attribute)
    return constraints;
  for (auto entry : cast<ArrayAttr>(attribute).getAsRange<DictionaryAttr>()) {
    FailureOr<ShardingConstraint> constraint = ShardingConstraint::read(entry, module);
    if (failed(constraint))
      return failure();
    constraints.push_back(std::move(*constraint));
  }
  return constraints;
}

} // namespace pcc::strategy
