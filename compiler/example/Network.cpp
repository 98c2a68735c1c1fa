// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers append ops at the end of `@forward`, and arguments to its entry block. `finish` sets the
// function's type and roles. Repeated op names get the suffixes `_1`, `_2`, …
#include "compiler/example/Network.h"

#include "dialects/graph/Roles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace pcc::example {

ArrayRef<int64_t> shapeOf(Value value) {
  return mlir::cast<RankedTensorType>(value.getType()).getShape();
}

/// Adds an empty function @forward to `module`.
static func::FuncOp addForward(ModuleOp module) {
  OpBuilder builder(module.getBodyRegion());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "forward",
                                       builder.getFunctionType({}, {}));
  function.addEntryBlock();
  return function;
}

Network::Network(FloatType type)
    : type(type), module(ModuleOp::create(UnknownLoc::get(type.getContext()))),
      forward(addForward(*module)),
      builder(forward.getLoc(), OpBuilder::atBlockEnd(&forward.getBody().front())) {}

Value Network::input(StringRef name, Type element, ArrayRef<int64_t> shape) {
  return argument(RankedTensorType::get(shape, element), graph::RoleKind::Input, name);
}

Value Network::data(StringRef name, ArrayRef<int64_t> shape) {
  return cast(input(name, f32(), shape), type);
}

Value Network::cast(Value x, Type element) {
  auto target = mlir::cast<RankedTensorType>(x.getType()).clone(element);
  return x.getType() == target ? x : make<graph::CastOp>(target, x);
}

/// Collects the role of the argument; `finish` sets the roles of all arguments at once.
Value Network::argument(Type type, graph::RoleKind kind, StringRef name) {
  auto role = graph::makeRole(builder.getContext(), kind, name);
  roles.push_back(builder.getDictionaryAttr(builder.getNamedAttr(graph::roleAttrName, role)));
  return forward.getBody().front().addArgument(type, forward.getLoc());
}

Value Network::parameter(StringRef name, ArrayRef<int64_t> shape, graph::InitKind kind,
                         ArrayRef<double> arguments, bool isTrained) {
  MLIRContext *context = builder.getContext();
  std::string full = llvm::join(path, ".") + (path.empty() ? "" : ".") + name.str();
  auto tensor = RankedTensorType::get(shape, type);
  auto init = graph::InitAttr::get(context, kind, DenseF64ArrayAttr::get(context, arguments));
  OpBuilder at(forward);
  graph::ParameterOp::create(at, NameLoc::get(at.getStringAttr(full)), full, tensor, init,
                             /*value=*/ElementsAttr(), isTrained);
  return argument(tensor, graph::RoleKind::Parameter, full);
}

Value Network::normal(StringRef name, ArrayRef<int64_t> shape, double deviation) {
  return parameter(name, shape, graph::InitKind::Normal, {0.0, deviation});
}

Value Network::ones(StringRef name, ArrayRef<int64_t> shape) {
  return parameter(name, shape, graph::InitKind::Ones, {});
}

Value Network::zeros(StringRef name, ArrayRef<int64_t> shape) {
  return parameter(name, shape, graph::InitKind::Zeros, {});
}

Value Network::statistic(StringRef name, int64_t size, bool isOne) {
  return parameter(name, size, isOne ? graph::InitKind::Ones : graph::InitKind::Zeros, {},
                   /*isTrained=*/false);
}

Location Network::nameOp(StringRef opName) {
  std::string name =
      "/" + llvm::join(path, "/") + (path.empty() ? "" : "/") + opName.rsplit('.').second.str();
  if (int times = timesUsed[name]++)
    name += "_" + std::to_string(times);
  return NameLoc::get(builder.getStringAttr(name));
}

Value Network::reshape(Value x, ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape)
    return x;
  return make<graph::ReshapeOp>(mlir::cast<RankedTensorType>(x.getType()).clone(shape), x);
}

Value Network::transpose(Value x, ArrayRef<int64_t> permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(shapeOf(x)[dim]);
  return make<graph::TransposeOp>(mlir::cast<RankedTensorType>(x.getType()).clone(shape), x,
                                  permutation);
}

Value Network::broadcast(Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return make<graph::BroadcastOp>(mlir::cast<RankedTensorType>(x.getType()).clone(shape), x, dims);
}

Value Network::slice(Value x, int64_t axis, int64_t start, int64_t size) {
  Shape shape(shapeOf(x));
  shape[axis] = size;
  return make<graph::SliceOp>(mlir::cast<RankedTensorType>(x.getType()).clone(shape), x, axis,
                              start);
}

Value Network::multiply(Value x, Value weight) {
  builder.setLoc(nameOp(graph::MatmulOp::getOperationName()));
  if (shapeOf(x).size() == 2)
    return graph::MatmulOp::create(builder, x, weight, /*transpose_lhs=*/false,
                                   /*transpose_rhs=*/true);
  return graph::EinsumOp::create(builder, x, weight, "bsi,oi->bso");
}

Value Network::linear(StringRef name, Value x, int64_t out, bool hasBias) {
  Scope scope(*this, name);
  int64_t in = shapeOf(x).back(), last = shapeOf(x).size() - 1;
  Value product = multiply(x, normal("weight", {out, in}, 1.0 / std::sqrt(double(in))));
  if (!hasBias)
    return product;
  return make<graph::AddOp>(product, broadcast(zeros("bias", out), shapeOf(product), last));
}

Value Network::tiedLinear(StringRef name, Value x, Value weight) {
  Scope scope(*this, name);
  return multiply(x, weight);
}

Value Network::layerNorm(StringRef name, Value x) {
  Scope scope(*this, name);
  int64_t width = shapeOf(x).back();
  Value scale = ones("weight", width), bias = zeros("bias", width);
  return make<graph::LayerNormOp>(x.getType(), x, scale, bias,
                                  builder.getI64IntegerAttr(shapeOf(x).size() - 1),
                                  builder.getF64FloatAttr(1e-5));
}

Value Network::embedding(StringRef name, Value numbers, int64_t rows, int64_t width) {
  Scope scope(*this, name);
  Value table = normal("weight", {rows, width}, 0.02);
  return make<graph::GatherOp>(table, numbers, /*axis=*/0);
}

OwningOpRef<ModuleOp> Network::finish(Value output, StringRef name) {
  output = cast(output, f32());
  builder.setLoc(forward.getLoc());
  func::ReturnOp::create(builder, output);
  auto arguments = llvm::to_vector(forward.getBody().front().getArgumentTypes());
  forward.setType(builder.getFunctionType(arguments, output.getType()));
  forward.setAllArgAttrs(ArrayRef(roles));
  graph::setResultRole(forward, 0,
                       graph::makeRole(builder.getContext(), graph::RoleKind::Output, name));
  return std::move(module);
}

} // namespace pcc::example
