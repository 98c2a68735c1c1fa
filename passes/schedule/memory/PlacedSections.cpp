// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the values of each section and reads their places from the annotations. Overwrites within
// a kernel are checked here, since they do not depend on the action.
#include "passes/schedule/memory/MemoryPlanChecker.h"

#include "dialects/dist/Dist.h"
#include "passes/schedule/memory/Values.h"

using namespace mlir;
using namespace pcc::graph;
using pcc::task::PlaceAttr;

namespace pcc::schedule {

ByteSpan getSpan(PlaceAttr place, int64_t bytes, int64_t number) {
  int64_t begin = place.getOffset() + number % place.getDepth() * place.getStride();
  return {place.getSpace(), begin, begin + bytes};
}

namespace {

class SectionPlacer {
public:
  SectionPlacer(analysis::Section &section, PlacedSections &all)
      : section(section), all(all), placed(all.sections.emplace_back()) {
    placed.section = &section;
  }
  LogicalResult run();

private:
  LogicalResult addValue(Value value);
  LogicalResult addArgument(BlockArgument argument);
  LogicalResult addKernel(const analysis::Kernel &kernel);
  LogicalResult checkWrites(const analysis::Kernel &kernel, const PlacedKernel &own) const;
  LogicalResult addResults();
  LogicalResult addSum(unsigned result, std::optional<unsigned> value);
  FailureOr<unsigned> numberOfSum(unsigned result);

  analysis::Section &section;
  PlacedSections &all;
  PlacedSection &placed;
  DenseMap<Value, unsigned> numbers;
};

} // namespace

static LogicalResult noPlace(Location loc) {
  return emitError(loc) << "expected a place in memory, got none: run "
                           "\"--schedule-plan-memory\" after the last change of ops";
}

LogicalResult SectionPlacer::addValue(Value value) {
  PlaceAttr place = analysis::getPlace(value);
  if (!place)
    return noPlace(value.getLoc());
  numbers[value] = placed.values.size();
  placed.values.push_back({value, place, task::bytesOf(cast<ShapedType>(value.getType())), {}});
  return success();
}

/// Checks that outputs overwrite operands legally. The kernel must read each element only for the
/// element that replaces it, and no two operands may share the overwritten place.
LogicalResult SectionPlacer::checkWrites(const analysis::Kernel &kernel,
                                         const PlacedKernel &own) const {
  auto isTwice = [&](PlaceAttr place) {
    return llvm::count_if(own.inputs,
                          [&](unsigned input) { return placed.values[input].place == place; }) > 1;
  };
  for (unsigned output : own.outputs)
    for (unsigned input : own.inputs) {
      if (own.ownSum && own.ownSum->value == output)
        continue; // checked with the sum, in each action
      const PlacedValue &to = placed.values[output], &from = placed.values[input];
      if (to.place == from.place &&
          (!mayOverwrite(kernel, from.value, to.value) || isTwice(from.place)))
        return own.op->emitError()
               << "writes " << to.place << " while it still reads what lies there";
    }
  return success();
}

LogicalResult SectionPlacer::addKernel(const analysis::Kernel &kernel) {
  PlacedKernel own;
  own.op = kernel.ops.back();
  own.hoisted = kernel.hoisted;
  for (Value input : kernel.inputs)
    if (auto found = numbers.find(analysis::viewRoot(input)); found != numbers.end())
      own.inputs.push_back(found->second);
  for (Value output : kernel.outputs) {
    if (failed(addValue(output)))
      return failure();
    own.outputs.push_back(numbers.lookup(output));
  }
  own.reducesInPlace =
      llvm::all_of(kernel.ops, [](Operation *op) { return isa<dist::AllReduceOp>(op); });
  placed.kernels.push_back(std::move(own));
  return success();
}

/// Returns the sum of a result; all results of a role share one sum, in all sections.
FailureOr<unsigned> SectionPlacer::numberOfSum(unsigned result) {
  auto place = section.function.getResultAttrOfType<PlaceAttr>(result, analysis::placeAttrName);
  if (!place)
    return noPlace(section.function.getLoc());
  RoleAttr role = section.getResultRole(result);
  auto [found, isNew] =
      all.sumOfRole.try_emplace(role ? Attribute(role) : Attribute(place), all.sums.size());
  if (isNew) {
    ShapedType sum = analysis::getSumType(section.function.getResultTypes()[result]);
    all.sums.push_back({place, task::bytesOf(sum), role});
  }
  if (all.sums[found->second].place != place)
    return section.function.emitError()
           << "expected the sum of result " << result << " at " << all.sums[found->second].place
           << ", where others add to it, got " << place;
  return found->second;
}

LogicalResult SectionPlacer::addSum(unsigned result, std::optional<unsigned> value) {
  FailureOr<unsigned> number = numberOfSum(result);
  if (failed(number))
    return failure();
  PlacedSum sum{value, *number, section.endsSum(result)};
  Operation *op = value ? placed.values[*value].value.getDefiningOp() : nullptr;
  if (!op) {
    placed.argumentSums.push_back(sum);
    return success();
  }
  if (placed.values[*value].place == all.sums[sum.sum].place)
    placed.kernels[*analysis::getKernelNumber(op)].ownSum = sum;
  else
    placed.kernels[analysis::findAddition(op->getResult(0))].sums.push_back(sum);
  return success();
}

LogicalResult SectionPlacer::addResults() {
  for (auto [result, value] : llvm::enumerate(section.getReturned())) {
    auto found = numbers.find(analysis::viewRoot(value));
    std::optional<unsigned> number;
    if (found != numbers.end())
      number = found->second;
    if (section.isAccumulated(result)) {
      if (failed(addSum(result, number)))
        return failure();
      continue;
    }
    placed.results.push_back({unsigned(result), number});
    if (RoleAttr role = section.getResultRole(result); role && number)
      placed.values[*number].returnedAs.push_back(role);
  }
  return success();
}

static ParameterOp findParameter(analysis::Section &section, RoleAttr role) {
  return section.function->getParentOfType<ModuleOp>().lookupSymbol<ParameterOp>(role.getName());
}

LogicalResult SectionPlacer::addArgument(BlockArgument argument) {
  if (failed(addValue(argument)))
    return failure();
  RoleAttr role = section.getArgumentRole(argument.getArgNumber());
  if (!role || (role.getKind() != RoleKind::Parameter && role.getKind() != RoleKind::Step))
    return success();
  PlaceAttr place = placed.values.back().place;
  PlaceAttr first = all.persistent.insert({role, placed.values.back()}).first->second.place;
  if (auto parameter = role.getName() ? findParameter(section, role) : ParameterOp())
    if (auto known = parameter->getAttrOfType<PlaceAttr>(analysis::placeAttrName))
      first = known;
  if (place != first)
    return section.function.emitError() << "expected argument " << argument.getArgNumber() << " at "
                                        << first << ", as in other places, got " << place;
  return success();
}

LogicalResult SectionPlacer::run() {
  for (BlockArgument argument : section.function.getArguments())
    if (failed(addArgument(argument)))
      return failure();
  SmallVector<analysis::Kernel> kernels = analysis::collectKernels(section.function);
  for (const analysis::Kernel &kernel : kernels)
    if (failed(addKernel(kernel)))
      return failure();
  if (failed(addResults()))
    return failure();
  for (auto [kernel, own] : llvm::zip_equal(kernels, placed.kernels))
    if (failed(checkWrites(kernel, own)))
      return failure();
  return success();
}

FailureOr<PlacedSections> placeSections(MutableArrayRef<analysis::Section> sections) {
  PlacedSections all;
  all.sections.reserve(sections.size());
  for (analysis::Section &section : sections)
    if (failed(SectionPlacer(section, all).run()))
      return failure();
  for (auto [number, placed] : llvm::enumerate(all.sections))
    for (auto [kernel, own] : llvm::enumerate(placed.kernels))
      if (own.hoisted)
        all.hoisted[own.hoisted->section].push_back({unsigned(number), unsigned(kernel)});
  for (auto &entry : all.hoisted)
    analysis::sortByPlace(entry.second, [&](const PlacedHoisted &hoisted) {
      return *all.sections[hoisted.section].kernels[hoisted.kernel].hoisted;
    });
  return all;
}

} // namespace pcc::schedule
