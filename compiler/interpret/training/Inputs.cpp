// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of integers follow uses through ops that move or convert, up to ops that index; the
// smallest bound wins. Elements are counter-based random numbers (runtime/abi/Random.h) of seed,
// key and index. A parameter that was split from another draws the elements of the original.
#include "compiler/interpret/training/Inputs.h"

#include "compiler/interpret/training/StepPlan.h"
#include "compiler/values/Map.h"
#include "compiler/values/TensorAttr.h"
#include "dialects/dist/Dist.h"
#include "dialects/graph/ParameterPart.h"
#include "runtime/abi/Random.h"
#include "runtime/abi/program/ParameterParts.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// Range [1, 8) of integers whose use does not limit them.
constexpr int64_t minInteger = 1, integerEnd = 8;
/// Upper bound of the numbers that are added to constant parameters.
constexpr double maxPerturbation = 0.1;

int64_t lastDim(Value value) { return cast<RankedTensorType>(value.getType()).getShape().back(); }

int64_t dimOf(Value value, int64_t axis) {
  return cast<RankedTensorType>(value.getType()).getDimSize(axis);
}

std::optional<int64_t> indexEnd(Value value);

/// Returns the exclusive upper bound of an integer operand at one use, if the use limits it.
std::optional<int64_t> indexEnd(OpOperand &use) {
  unsigned operand = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(use.getOwner())
      .Case([&](graph::GatherOp op) -> std::optional<int64_t> {
        if (operand == 1)
          return dimOf(op.getInput(), op.getAxis());
        return indexEnd(op.getResult());
      })
      .Case([&](graph::ScatterAddOp op) -> std::optional<int64_t> {
        if (operand == 1)
          return dimOf(op.getInput(), op.getAxis());
        return std::nullopt;
      })
      .Case([](graph::OneHotOp op) { return dimOf(op.getResult(), op.getAxis()); })
      .Case([](graph::SoftmaxCrossEntropyOp op) { return lastDim(op.getLogits()); })
      .Case([](graph::NllOp op) { return lastDim(op.getLogProbabilities()); })
      // These ops only move or convert the integers.
      .Case<graph::ReshapeOp, graph::TransposeOp, graph::BroadcastOp, graph::SliceOp, graph::CastOp,
            dist::ReshardOp, dist::ToLocalOp, dist::ToGlobalOp, pipe::TransferOp>(
          [](Operation *op) { return indexEnd(op->getResult(0)); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns the least upper bound over all uses, if any use limits the value.
std::optional<int64_t> indexEnd(Value value) {
  std::optional<int64_t> end;
  for (OpOperand &use : value.getUses())
    if (std::optional<int64_t> here = indexEnd(use))
      end = std::min(end.value_or(*here), *here);
  return end;
}

std::optional<int64_t> indexEnd(llvm::ArrayRef<Value> values) {
  std::optional<int64_t> end;
  for (Value value : values)
    if (std::optional<int64_t> here = indexEnd(value))
      end = std::min(end.value_or(*here), *here);
  return end;
}

/// Returns uniform numbers for one key: floats in [-1, 1), booleans, integers in [begin, end).
Tensor uniform(llvm::StringRef key, ElementType type, llvm::ArrayRef<int64_t> shape, uint64_t seed,
               int64_t begin, int64_t end) {
  uint64_t stream = abi::streamOf(std::string_view(key));
  return generate(type, shape,
                  [&](int64_t n) {
                    double number = abi::randomUniform(seed, stream, n);
                    if (isFloat(type))
                      return Element{.f = 2.0 * number - 1.0};
                    if (type == ElementType::I1)
                      return Element{.i = number < 0.5};
                    return Element{.i = begin + static_cast<int64_t>(number * double(end - begin))};
                  })
      .rounded(Precision::Element);
}

/// Returns uniform numbers for a binding; the uses of `arguments` limit its integers.
Tensor uniform(const Binding &binding, llvm::ArrayRef<int64_t> shape,
               llvm::ArrayRef<Value> arguments, uint64_t seed) {
  ElementType type = *elementTypeOf(binding.type.getElementType());
  std::optional<int64_t> end = indexEnd(arguments);
  return uniform(binding.globalKey, type, shape, seed, end ? 0 : minInteger,
                 end.value_or(integerEnd));
}

/// Returns one element of a parameter's initial value, before rounding.
double initialElement(graph::InitAttr init, uint64_t seed, uint64_t stream, int64_t index) {
  llvm::ArrayRef<double> arguments = init.getArguments().asArrayRef();
  switch (init.getKind()) {
  case graph::InitKind::Zeros:
  case graph::InitKind::File:
    return 0.0;
  case graph::InitKind::Ones:
    return 1.0;
  case graph::InitKind::Constant:
    return arguments[0];
  case graph::InitKind::Uniform:
    return abi::randomUniform(seed, stream, index, arguments[0], arguments[1]);
  case graph::InitKind::Normal:
    return abi::randomNormal(seed, stream, index, arguments[0], arguments[1]);
  }
  llvm_unreachable("every initializer is listed");
}

bool isConstant(graph::InitKind kind) {
  return kind == graph::InitKind::Zeros || kind == graph::InitKind::Ones ||
         kind == graph::InitKind::Constant;
}

/// Returns the initial value. Constant initializers get a uniform number in [0, perturbation)
/// added.
FailureOr<Tensor> firstValue(graph::ParameterOp parameter, uint64_t seed, double perturbation) {
  graph::InitAttr init = parameter.getInit();
  if (init.getKind() == graph::InitKind::File) {
    std::optional<Tensor> value;
    if (ElementsAttr attr = parameter.getValueAttr())
      value = tensorOf(attr);
    if (!value)
      return emitError(parameter.getLoc())
             << "the values of parameter \"" << parameter.getSymName()
             << "\" are not in the file: dumps leave resources out, bytecode "
                "keeps them";
    return *value;
  }
  std::optional<graph::ParameterPart> part = graph::getParameterPart(parameter);
  abi::Runs runs;
  if (part)
    runs = {part->run, part->period, part->offset};
  llvm::StringRef name = part ? part->whole : parameter.getSymName();
  uint64_t stream = abi::streamOf(std::string_view(name));
  double extra = isConstant(init.getKind()) ? perturbation : 0.0;
  Tensor result = zerosOf(parameter.getTensorType());
  llvm::MutableArrayRef<Element> out = result.mutableElements();
  for (int64_t n = 0; n < result.size(); ++n) {
    int64_t index = runs.inWhole(n);
    double value = initialElement(init, seed, stream, index);
    if (extra > 0.0)
      value += extra * abi::randomUniform(seed, stream, index);
    out[n] = result.isFloat() ? Element{.f = value} : Element{.i = truncate(value)};
  }
  return result.rounded(Precision::Element);
}

FailureOr<NamedTensors> firstValues(ModuleOp module, uint64_t seed, double perturbation) {
  NamedTensors values;
  WalkResult walked = module.walk([&](graph::ParameterOp parameter) {
    std::string key = bindingKey(graph::RoleKind::Parameter, parameter.getSymName());
    // A copy for another virtual stage or in another stage has no external value of its own.
    if (parameter->hasAttr(pipe::copyOfAttrName) || values.count(key))
      return WalkResult::advance();
    FailureOr<Tensor> value = firstValue(parameter, seed, perturbation);
    if (failed(value))
      return WalkResult::interrupt();
    values[key] = *value;
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return values;
}

} // namespace

FailureOr<NamedTensors> randomArguments(llvm::ArrayRef<func::FuncOp> parts, uint64_t seed) {
  NamedTensors arguments;
  llvm::StringMap<llvm::SmallVector<Value>> uses;
  for (func::FuncOp part : parts)
    for (auto [binding, argument] :
         llvm::zip_equal(Signature::of(part).arguments, part.getArguments()))
      uses[binding.globalKey].push_back(argument);
  for (func::FuncOp part : parts) {
    FailureOr<NamedTensors> values = randomParameters(part->getParentOfType<ModuleOp>(), seed);
    if (failed(values))
      return failure();
    for (const Binding &binding : Signature::of(part).arguments)
      if (auto known = values->find(binding.globalKey); known != values->end())
        arguments[binding.globalKey] = known->second;
      else if (binding.role == graph::RoleKind::Step)
        arguments[binding.globalKey] = Tensor::integers(ElementType::I64, {}, {1});
      else
        arguments[binding.globalKey] =
            uniform(binding, binding.globalShape, uses[binding.globalKey], seed);
  }
  return arguments;
}

std::vector<NamedTensors> randomBatches(ModuleOp module, int64_t steps, uint64_t seed) {
  std::vector<NamedTensors> batches(steps);
  for (const BatchInput &input : batchInputs(module))
    for (int64_t number = 0; number < steps; ++number)
      batches[number][input.binding.globalKey] =
          uniform(input.binding, input.shape, input.arguments, seed + number);
  return batches;
}

FailureOr<NamedTensors> initialParameters(ModuleOp module, uint64_t seed) {
  return firstValues(module, seed, /*perturbation=*/0.0);
}

FailureOr<NamedTensors> randomParameters(ModuleOp module, uint64_t seed) {
  return firstValues(module, seed, maxPerturbation);
}

FailureOr<NamedTensors> forwardArguments(ModuleOp module,
                                         const std::map<std::string, Tensor> &inputs) {
  FailureOr<NamedTensors> arguments = initialParameters(module, /*seed=*/1);
  if (failed(arguments))
    return failure();
  auto function = module.lookupSymbol<func::FuncOp>("forward");
  for (const Binding &binding : Signature::of(function).arguments) {
    auto input = inputs.find(binding.name);
    if (binding.role != graph::RoleKind::Input || input == inputs.end())
      continue;
    if (!hasType(input->second, binding.type))
      return emitError(module.getLoc())
             << "the data of input '" << binding.name << "' is " << input->second.typeString()
             << ", expected " << binding.type;
    arguments->emplace(binding.key, input->second);
  }
  return arguments;
}

} // namespace pcc::interpret
