// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the annotations of a model to entries of `dist.constraints`, which refer to the op or
// tensor by name: `dist.in` and `dist.out` on ops, `dist.sharding` on parameters and inputs. An
// annotation on an op would be lost when the op is simplified or copied. A constraint is resolved
// by name once the program is final; a constraint that matches nothing is an error. Assumes
// that no pass has changed an op; leaves no annotation on ops, parameters and inputs.
#include "dialects/graph/Roles.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/strategy/Passes.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace pcc;
using pcc::dist::ShardingAttr;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYCOLLECTCONSTRAINTS
#include "passes/strategy/Passes.h.inc"

namespace {

/// Prints shardings as `[dp, _], [_, tp]`; returns a strategy that is already text unchanged.
std::string toText(Attribute annotation) {
  if (auto text = dyn_cast<StringAttr>(annotation))
    return text.getValue().str();
  if (auto sharding = dyn_cast<ShardingAttr>(annotation))
    return sharding.getSharding().str();
  auto shardings = cast<ArrayAttr>(annotation);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shardings.getAsRange<ShardingAttr>(), os,
                        [&](ShardingAttr sharding) { sharding.getSharding().print(os); });
  return text;
}

/// Collects the constraints of one module.
class Collector {
public:
  explicit Collector(ModuleOp module)
      : module(module), builder(module.getContext()), names(module) {
    if (auto given = module->getAttrOfType<ArrayAttr>(dist::constraintsAttrName))
      constraints.assign(given.begin(), given.end());
  }

  void run() {
    for (auto function : module.getOps<func::FuncOp>()) {
      collectInputs(function);
      for (Operation &op : function.getOps())
        if (op.hasAttr(dist::inAttrName) || op.hasAttr(dist::outAttrName))
          collectOp(&op);
    }
    for (auto parameter : module.getOps<graph::ParameterOp>())
      if (Attribute annotation = parameter->removeAttr(dist::shardingAttrName))
        add("parameter", llvm::Regex::escape(parameter.getSymName()), parameter.getLoc(),
            {{"sharding", annotation}});
    if (!constraints.empty())
      module->setAttr(dist::constraintsAttrName, builder.getArrayAttr(constraints));
  }

private:
  struct Annotation {
    StringRef key;
    Attribute value;
  };

  void add(StringRef target, StringRef name, Location loc, ArrayRef<Annotation> annotations) {
    NamedAttrList entry;
    entry.set(target, builder.getStringAttr(name));
    for (const Annotation &annotation : annotations)
      if (annotation.value)
        entry.set(annotation.key, builder.getStringAttr(toText(annotation.value)));
    if (std::string place = analysis::findSourceLocation(loc); !place.empty())
      entry.set("place", builder.getStringAttr(place));
    constraints.push_back(entry.getDictionary(module.getContext()));
  }

  void collectOp(Operation *op) {
    names.makeUnique(op);
    Attribute in = op->removeAttr(dist::inAttrName), out = op->removeAttr(dist::outAttrName);
    add("op_name", analysis::getName(op), op->getLoc(), {{"in", in}, {"out", out}});
  }

  void collectInputs(func::FuncOp function) {
    for (unsigned index : graph::findArgs(function, graph::RoleKind::Input)) {
      Attribute annotation = function.removeArgAttr(index, dist::shardingAttrName);
      StringRef name = graph::getName(graph::getArgRole(function, index));
      if (annotation && !name.empty())
        add("input", llvm::Regex::escape(name), function.getLoc(), {{"sharding", annotation}});
    }
  }

  ModuleOp module;
  Builder builder;
  SmallVector<Attribute> constraints;
  analysis::UsedNames names;
};

struct CollectConstraints : impl::StrategyCollectConstraintsBase<CollectConstraints> {
  void runOnOperation() override { Collector(getOperation()).run(); }
};

} // namespace
} // namespace pcc::strategy
