// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One constraint may give a strategy, a stage, a bucket and collectives at once; each becomes an
// entry or attribute of its own. Entries carry their location in the file, since later passes match
// their names and report errors. Only buckets, layerwise parameters and collectives are matched
// here.
#include "compiler/import/constraints/Constraints.h"

#include "compiler/import/constraints/InsertCollectives.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Constraints.h"
#include "mlir/AsmParser/AsmParser.h"
#include "passes/analysis/ThreadDiagnostics.h"
#include "passes/analysis/names/ConstraintSubject.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;

namespace pcc::import {
namespace {

/// Parses the mesh `text`; null if it is no mesh.
Attribute parseMesh(const std::string &text, MLIRContext *context) {
  analysis::ThreadDiagnostics quiet(context);
  return parseAttribute("#dist.mesh<" + text + ">", context);
}

/// Builds one dictionary of texts and attributes.
class Entry {
public:
  explicit Entry(MLIRContext *context) : context(context) {}

  /// Sets the subject of `constraint`, and its location in the file.
  Entry(const abi::Constraint &constraint, const std::string &location, MLIRContext *context)
      : Entry(context) {
    set("op", constraint.op());
    set("op_name", constraint.op_name());
    set("module", constraint.module());
    set("parameter", constraint.parameter());
    set("input", constraint.input());
    set("place", location);
  }

  void set(StringRef key, const std::string &text) {
    if (!text.empty())
      attributes.set(key, StringAttr::get(context, text));
  }
  void set(StringRef key, Attribute value) { attributes.set(key, value); }
  Attribute get() { return attributes.getDictionary(context); }

private:
  MLIRContext *context;
  NamedAttrList attributes;
};

bool givesStage(const abi::Constraint &constraint) {
  return constraint.has_stage() || constraint.has_recompute();
}

/// Returns whether the constraint concerns a strategy. An empty constraint counts, too, and is
/// reported when strategies are read.
bool givesStrategy(const abi::Constraint &constraint) {
  bool saysOther = givesStage(constraint) || constraint.has_fusion() ||
                   constraint.layerwise_parallel() || constraint.collective_size() > 0;
  return !saysOther || constraint.in_size() || constraint.out_size() ||
         !constraint.sharding().empty();
}

Attribute toStrategy(const abi::Constraint &constraint, const std::string &location,
                     MLIRContext *context) {
  Entry entry(constraint, location, context);
  entry.set("in", llvm::join(constraint.in(), ", "));
  entry.set("out", llvm::join(constraint.out(), ", "));
  entry.set("sharding", constraint.sharding());
  return entry.get();
}

Attribute toStage(const abi::Constraint &constraint, const std::string &location,
                  MLIRContext *context) {
  Entry entry(constraint, location, context);
  if (constraint.has_stage())
    entry.set("stage", Builder(context).getI64IntegerAttr(constraint.stage()));
  if (constraint.has_recompute())
    // This is as in a model's text: `recompute` alone, or `recompute = false`.
    entry.set("recompute", constraint.recompute() ? Attribute(UnitAttr::get(context))
                                                  : BoolAttr::get(context, false));
  return entry.get();
}

Attribute toLayout(const abi::StageLayout &stages, const std::string &location,
                   MLIRContext *context) {
  Entry entry(context);
  entry.set("layer", stages.layer());
  entry.set("layout", stages.layout());
  entry.set("place", location);
  return entry.get();
}

/// Reads what a constraint names, by one of `keys`. Emits an error and fails unless it names one
/// thing.
/// `what` names the kind of constraint.
FailureOr<analysis::ConstraintSubject>
readSubject(ModuleOp module, const abi::Constraint &constraint, const std::string &location,
            ArrayRef<analysis::SubjectKey> keys, StringRef what) {
  auto entry = cast<DictionaryAttr>(Entry(constraint, location, module.getContext()).get());
  return analysis::ConstraintSubject::read(entry, keys, what, module);
}

/// Calls `visit` with the parameters that a constraint names by one of `keys`. Emits an error and
/// fails if there is none. `what` names the kind of constraint.
LogicalResult forEachParameter(ModuleOp module, const abi::Constraint &constraint,
                               const std::string &location, ArrayRef<analysis::SubjectKey> keys,
                               StringRef what, function_ref<void(graph::ParameterOp)> visit) {
  FailureOr<analysis::ConstraintSubject> subject =
      readSubject(module, constraint, location, keys, what);
  if (failed(subject))
    return failure();
  bool isMatched = false;
  for (auto parameter : module.getOps<graph::ParameterOp>())
    if (subject->pattern.matches(parameter.getSymName())) {
      visit(parameter);
      isMatched = true;
    }
  return isMatched ? success() : subject->refuseUnmatched(module, "parameter");
}

constexpr analysis::SubjectKey parameterKeys[] = {{"parameter", analysis::NamePattern::Kind::Whole},
                                                  {"module", analysis::NamePattern::Kind::Leading}};

/// Sets the number of the bucket whose gradients share an all-reduce, on the parameters that a
/// constraint matches.
LogicalResult setBuckets(ModuleOp module, const abi::Constraint &constraint,
                         const std::string &location) {
  if (constraint.fusion() < 0)
    return module.emitError() << "the constraint at " << location
                              << ": expected 'fusion' of 0 or more, got " << constraint.fusion();
  Attribute number = Builder(module).getI64IntegerAttr(constraint.fusion());
  return forEachParameter(module, constraint, location, ArrayRef(parameterKeys).take_front(),
                          "a constraint with fusion", [&](graph::ParameterOp parameter) {
                            parameter->setAttr(dist::fusionAttrName, number);
                          });
}

/// Marks the parameters that a constraint matches as layerwise parallel: each rank trains a value
/// of its own.
LogicalResult keepLayerwise(ModuleOp module, const abi::Constraint &constraint,
                            const std::string &location) {
  return forEachParameter(
      module, constraint, location, parameterKeys, "a constraint with layerwise_parallel",
      [](graph::ParameterOp parameter) { parameter.setLayerwiseParallel(true); });
}

/// Appends `entries` to the attribute `name`.
void append(ModuleOp module, StringRef name, ArrayRef<Attribute> entries) {
  SmallVector<Attribute> all;
  if (auto given = module->getAttrOfType<ArrayAttr>(name))
    all.assign(given.begin(), given.end());
  llvm::append_range(all, entries);
  if (!all.empty())
    module->setAttr(name, ArrayAttr::get(module.getContext(), all));
}

} // namespace

LogicalResult attachConstraints(ModuleOp module, const abi::Constraints &constraints,
                                ConstraintLocation getLocation) {
  MLIRContext *context = module.getContext();
  if (!constraints.mesh().empty() && !module->hasAttr(dist::meshAttrName)) {
    Attribute mesh = parseMesh(constraints.mesh(), context);
    if (!mesh)
      return module.emitError() << "expected a mesh such as \"dp=2, tp=4\", got \""
                                << constraints.mesh() << "\"";
    module->setAttr(dist::meshAttrName, mesh);
  }
  bool givesCollectives =
      llvm::any_of(constraints.constraint(), [](const abi::Constraint &constraint) {
        return constraint.collective_size() > 0;
      });
  SmallVector<Attribute> strategies, stages;
  for (auto [index, constraint] : llvm::enumerate(constraints.constraint())) {
    std::string location = getLocation("constraint", static_cast<int>(index));
    // Collectives make the model the program of one rank. The sharding of an input then says which
    // block a rank is fed.
    bool isLocalInput =
        givesCollectives && !constraint.input().empty() && !constraint.sharding().empty();
    bool hasCollectives = constraint.collective_size() > 0;
    if (isLocalInput && constraint.in_size() + constraint.out_size() > 0)
      return module.emitError() << "the constraint at " << location
                                << ": expected no 'in' and 'out' beside the sharding of an input "
                                   "of a model with collectives";
    if (isLocalInput || hasCollectives) {
      FailureOr<analysis::ConstraintSubject> subject =
          readSubject(module, constraint, location, collectiveSubjects,
                      hasCollectives ? "a constraint with collectives"
                                     : "a sharding of an input of a model with collectives");
      if (failed(subject) ||
          (isLocalInput && failed(cutLocalInput(module, constraint, *subject))) ||
          (hasCollectives && failed(insertCollectives(module, constraint, *subject))))
        return failure();
    }
    if (givesStrategy(constraint) && !isLocalInput)
      strategies.push_back(toStrategy(constraint, location, context));
    if (givesStage(constraint))
      stages.push_back(toStage(constraint, location, context));
    if (constraint.has_fusion() && failed(setBuckets(module, constraint, location)))
      return failure();
    if (constraint.layerwise_parallel() && failed(keepLayerwise(module, constraint, location)))
      return failure();
  }
  for (auto [index, layout] : llvm::enumerate(constraints.stages()))
    stages.push_back(toLayout(layout, getLocation("stages", static_cast<int>(index)), context));
  append(module, dist::constraintsAttrName, strategies);
  append(module, pipe::constraintsAttrName, stages);
  return success();
}

} // namespace pcc::import
