// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads each entry by its keys and checks that it requires something. The parser of layouts reads
// parts at `|` and items at blanks.
#include "passes/pipeline/StageConstraints.h"

#include "dialects/pipe/Constraints.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "passes/analysis/names/OpNames.h"
#include "llvm/ADT/SmallVector.h"
#include <limits>

#include <numeric>

using namespace mlir;

namespace pcc::pipeline {
namespace {

using Kind = analysis::NamePattern::Kind;
constexpr analysis::SubjectKey keys[] = {{"op", Kind::Whole},
                                         {"op_name", Kind::Literal},
                                         {"module", Kind::Leading},
                                         {"layer", Kind::Part}};

FailureOr<StageConstraint> readConstraint(DictionaryAttr entry, ModuleOp module) {
  FailureOr<analysis::ConstraintSubject> subject =
      analysis::ConstraintSubject::read(entry, keys, "a constraint of stages", module);
  if (failed(subject))
    return failure();
  StageConstraint constraint;
  constraint.subject = std::move(*subject);
  if (Attribute recompute = entry.get("recompute")) {
    auto value = dyn_cast<BoolAttr>(recompute);
    if (!value && !isa<UnitAttr>(recompute))
      return module.emitError() << constraint.describe()
                                << ": expected \"recompute\" to be a boolean, got " << recompute;
    constraint.recompute = !value || value.getValue();
  }
  constraint.isAnnotation = entry.contains("marked");
  if (auto stage = entry.getAs<IntegerAttr>("stage"))
    constraint.stage = stage.getInt();
  if (auto virtualStage = entry.getAs<IntegerAttr>("chunk"))
    constraint.virtualStage = virtualStage.getInt();
  if (keys[constraint.subject.key].kind == Kind::Part)
    constraint.layout = StageLayout::parse(analysis::getText(entry, "layout"));
  if (constraint.layout && !constraint.layout->error.empty())
    return module.emitError() << "layout \"" << analysis::getText(entry, "layout") << "\" of "
                              << constraint.describe() << ": " << constraint.layout->error;
  if (!constraint.stage && !constraint.virtualStage && !constraint.recompute && !constraint.layout)
    return module.emitError() << constraint.describe()
                              << " requires nothing; expected \"stage\", \"chunk\", "
                                 "\"recompute\" or, beside \"layer\", \"layout\"";
  return constraint;
}

} // namespace

bool StageConstraint::matches(Operation *op) const {
  bool isMatched = llvm::any_of(analysis::getNames(op),
                                [&](StringRef name) { return subject.pattern.matches(name); });
  std::optional<StringRef> origin = analysis::getDerivedFrom(op);
  return isMatched && !(origin && subject.pattern.matches(*origin));
}

StringRef StageConstraint::findModule(Operation *op) const {
  SmallVector<StringRef> names = analysis::getNames(op);
  for (StringRef name : llvm::reverse(names))
    if (StringRef module = subject.pattern.findModule(name); !module.empty())
      return module;
  return "";
}

bool StageConstraint::isOfModules() const { return keys[subject.key].kind == Kind::Leading; }

SmallVector<const StageConstraint *> StageConstraints::findMatches(Operation *op) const {
  SmallVector<size_t> candidates = others;
  for (StringRef name : analysis::getNames(op))
    if (auto named = byName.find(name); named != byName.end())
      llvm::append_range(candidates, named->second);
  llvm::sort(candidates);
  candidates.erase(llvm::unique(candidates), candidates.end());
  SmallVector<const StageConstraint *> matches;
  for (size_t candidate : candidates)
    if (constraints[candidate].matches(op))
      matches.push_back(&constraints[candidate]);
  return matches;
}

RecomputeDecision StageConstraints::decideRecompute(Operation *op) const {
  RecomputeDecision decision;
  size_t narrowest = 0;
  for (const StageConstraint *constraint : findMatches(op)) {
    if (!constraint->recompute)
      continue;
    size_t narrowness = constraint->isOfModules() ? constraint->findModule(op).size()
                                                  : std::numeric_limits<size_t>::max();
    if (!decision.constraint || narrowness > narrowest) {
      decision = {constraint, nullptr};
      narrowest = narrowness;
    } else if (narrowness == narrowest && constraint->recompute != decision.constraint->recompute) {
      decision.opposite = constraint;
    }
  }
  return decision;
}

void StageConstraints::add(StageConstraint constraint) {
  if (constraint.subject.pattern.isLiteral())
    byName[constraint.subject.pattern.getText()].push_back(constraints.size());
  else
    others.push_back(constraints.size());
  constraints.push_back(std::move(constraint));
}

FailureOr<StageConstraints> StageConstraints::read(ModuleOp module) {
  StageConstraints constraints;
  auto entries = module->getAttrOfType<ArrayAttr>(pipe::constraintsAttrName);
  if (!entries)
    return constraints;
  for (Attribute entry : entries) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    if (!dictionary)
      return module.emitError() << "expected dictionaries in '" << pipe::constraintsAttrName
                                << "', got " << entry;
    FailureOr<StageConstraint> constraint = readConstraint(dictionary, module);
    if (failed(constraint))
      return failure();
    constraints.add(std::move(*constraint));
  }
  return constraints;
}

/// Adds one item to the last part; returns an error message, empty if there is none.
static std::string addItem(StageLayout &layout, StringRef item) {
  int part = int(layout.countParts()) - 1;
  if (item == "E") {
    if (layout.partOfHead >= 0 || layout.countLayers() > 0 || layout.partOfTail >= 0)
      return "expected \"E\" once, before all layers";
    layout.partOfHead = part;
    return "";
  }
  if (layout.partOfTail >= 0)
    return "expected nothing behind \"L\", got \"" + item.str() + "\"";
  if (item == "L") {
    layout.partOfTail = part;
    return "";
  }
  auto [kind, number] = item.split('*');
  int count = 1;
  bool isCount = !item.contains('*') || (!number.getAsInteger(10, count) && count > 0);
  if (kind != "t" || !isCount)
    return "expected \"E\", \"t\", \"t*2\" or \"L\", got \"" + item.str() + "\"";
  layout.layersOfPart.back() += count;
  return "";
}

StageLayout StageLayout::parse(StringRef text) {
  StageLayout layout;
  llvm::SmallVector<StringRef> parts, items;
  text.split(parts, '|');
  for (StringRef part : parts) {
    layout.layersOfPart.push_back(0);
    items.clear();
    part.split(items, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (items.empty())
      layout.error = "expected something in each part";
    for (StringRef item : items)
      if (layout.error.empty())
        layout.error = addItem(layout, item);
  }
  return layout;
}

int64_t StageLayout::countLayers() const {
  return std::accumulate(layersOfPart.begin(), layersOfPart.end(), int64_t(0));
}

int StageLayout::findPart(int64_t layer) const {
  int part = 0;
  for (int64_t end = layersOfPart[0]; end <= layer; end += layersOfPart[part])
    ++part;
  return part;
}

} // namespace pcc::pipeline
