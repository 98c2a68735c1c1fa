// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a local function, shardings of the bindings cut and join values. In a global function every
// rank has the global value. Scales that the function applies itself are divided out of its
// arguments; gradient factors are applied to its results.
#include "compiler/interpret/function/Section.h"

#include "compiler/interpret/rank/Blocks.h"
#include "compiler/values/Map.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/dist/Dist.h"
#include "dialects/pipe/Stages.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Seed by which every run distributes the elements of partial arguments in the same way.
constexpr uint64_t splitSeed = 7;

LogicalResult checkTypes(func::FuncOp function) {
  auto types = llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !elementTypeOf(tensor.getElementType()))
      return emitError(function.getLoc())
             << "expected tensors of static shape at the boundary of \"" << function.getName()
             << "\", got " << type;
  }
  return success();
}

} // namespace

FailureOr<Section> Section::find(ModuleOp program, llvm::StringRef name) {
  auto function = program.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return emitError(program.getLoc()) << "expected a function called \"" << name << "\"";
  if (failed(checkTypes(function)))
    return failure();
  return Section{function, Signature::of(function), dist::getMesh(function),
                 pipe::getStage(program).value_or(0)};
}

dist::Mesh Section::meshToRun() {
  if (signature.isLocal)
    return mesh;
  auto crossesRanks = [](Operation *op) {
    return isa_and_present<dist::DistDialect>(op->getDialect()) && !isa<dist::ReshardOp>(op);
  };
  // A called function may also communicate with other ranks.
  bool crosses = function
                     .walk([&](Operation *op) {
                       return crossesRanks(op) || isa<func::CallOp>(op) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
                     })
                     .wasInterrupted();
  return crosses ? mesh : dist::Mesh();
}

Tensor Section::localPart(const Binding &binding, const Tensor &global, const Rank &rank) const {
  // A function that multiplies the sum in this argument with its scale gets the unscaled sum.
  Tensor value =
      binding.ownScale ? scaled(global, 1 / *binding.ownScale, rank.getPrecision()) : global;
  if (!signature.isLocal)
    return value;
  return splitRandomly(value, binding.sharding, mesh, rank.getPosition(), splitSeed);
}

FailureOr<Tensor> Section::globalValue(const Binding &binding, llvm::ArrayRef<Tensor> values,
                                       const dist::Mesh &ran) {
  dist::Sharding sharding =
      signature.isLocal ? binding.sharding : dist::Sharding::replicated(binding.type.getRank());
  if (auto pair = binding.isPerRank ? std::nullopt : findDifferentCopies(values, sharding, ran))
    return emitError(function.getLoc())
           << "ranks " << pair->first << " and " << pair->second << " should hold the same of \""
           << binding.key << "\" and do not";
  return join(values, sharding, ran);
}

FailureOr<llvm::SmallVector<Tensor>> Section::call(Rank &rank, llvm::ArrayRef<Tensor> arguments,
                                                   const RunOptions &options) {
  FailureOr<llvm::SmallVector<Tensor>> results = rank.call(function, arguments);
  if (failed(results))
    return failure();
  for (auto [binding, value] : llvm::zip_equal(signature.results, *results)) {
    double factor = binding.gradientFactor;
    auto given = options.gradientFactors.find(binding.name);
    if (binding.role == graph::RoleKind::Gradient && given != options.gradientFactors.end())
      factor *= given->second;
    if (factor != 1.0)
      value = scaled(value, factor, options.precision);
  }
  return results;
}

World makeWorld(int64_t stages, llvm::ArrayRef<Section *> sections) {
  World world{dist::Mesh(), stages};
  for (Section *section : sections)
    if (dist::Mesh mesh = section->meshToRun(); mesh.getNumRanks() > world.mesh.getNumRanks())
      world.mesh = mesh;
  return world;
}

LogicalResult checkShape(const Section &section, const Binding &binding, const Tensor &global) {
  RankedTensorType type = binding.type.clone(binding.globalShape);
  if (hasType(global, type))
    return success();
  func::FuncOp function = section.function;
  return emitError(function.getLoc())
         << "expected \"" << binding.key << "\" of function \"" << function.getName() << "\" to be "
         << type << ", got " << global.typeString();
}

Tensor scaled(const Tensor &value, double factor, Precision precision) {
  return mapFloats(value, [factor](double x) { return x * factor; }).rounded(precision);
}

} // namespace pcc::interpret
