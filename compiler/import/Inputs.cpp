// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binds every input before it reports errors, with size 1 for unbound dimensions. So one error can
// list all of them.
#include "compiler/import/Inputs.h"

#include "compiler/import/files/Shapes.h"
#include "compiler/import/files/TensorData.h"
#include "compiler/import/files/onnx.pb.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace pcc::import {
namespace {

class Binder {
public:
  Binder(const llvm::StringMap<int64_t> &dims, Location loc) : dims(dims), loc(loc) {}

  /// Binds the symbolic dimensions of an input. Collects the names of unbound dimensions, which get
  /// size 1.
  std::optional<GraphInput> bind(const onnx::ValueInfoProto &info);

  /// Reports dimension names without a size, and sizes whose name no input has.
  bool checkNames();

private:
  int64_t size(const onnx::TensorShapeProto::Dimension &dim, const std::string &fallbackName);

  const llvm::StringMap<int64_t> &dims;
  Location loc;
  llvm::SmallVector<std::string> names, unbound; ///< each once, in the order of the inputs
};

int64_t Binder::size(const onnx::TensorShapeProto::Dimension &dim,
                     const std::string &fallbackName) {
  if (dim.has_dim_value())
    return dim.dim_value();
  const std::string &name = dim.dim_param().empty() ? fallbackName : dim.dim_param();
  auto bound = dims.find(name);
  if (!llvm::is_contained(names, name)) {
    names.push_back(name);
    if (bound == dims.end())
      unbound.push_back(name);
  }
  return bound == dims.end() ? 1 : bound->second;
}

std::optional<GraphInput> Binder::bind(const onnx::ValueInfoProto &info) {
  // An optional value is taken to exist.
  const onnx::TypeProto &type =
      info.type().has_optional_type() ? info.type().optional_type().elem_type() : info.type();
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) {
    emitError(loc) << "input '" << info.name() << "': expected a tensor of known rank";
    return std::nullopt;
  }
  const onnx::TypeProto::Tensor &tensor = type.tensor_type();
  Type elementType = elementTypeOf(tensor.elem_type(), *loc.getContext());
  if (!elementType) {
    emitError(loc) << "input '" << info.name() << "': elements of ONNX type number "
                   << tensor.elem_type() << " are not supported";
    return std::nullopt;
  }
  Shape shape;
  for (auto [index, dim] : llvm::enumerate(tensor.shape().dim()))
    shape.push_back(size(dim, info.name() + "." + std::to_string(index)));
  if (!isAddressable(shape) || llvm::is_contained(shape, 0)) {
    emitError(loc) << "input '" << info.name() << "': expected sizes of at least 1, and at most "
                   << int64_t(graph::maxElements) << " elements, got " << formatShape(shape);
    return std::nullopt;
  }
  return GraphInput{info.name(), RankedTensorType::get(shape, elementType)};
}

bool Binder::checkNames() {
  if (!unbound.empty()) {
    auto diagnostic = emitError(loc) << "dimensions without a size: ";
    llvm::interleaveComma(unbound, diagnostic,
                          [&](const std::string &name) { diagnostic << "'" << name << "'"; });
    diagnostic << "; bind each, as in --set-dim " << unbound.front() << "=32";
    return false;
  }
  for (llvm::StringRef name : dims.keys()) {
    if (llvm::is_contained(names, name))
      continue;
    auto diagnostic = emitError(loc) << "no input has a dimension '" << name << "'";
    if (!names.empty()) {
      diagnostic << "; the symbolic dimensions are ";
      llvm::interleaveComma(names, diagnostic,
                            [&](const std::string &known) { diagnostic << "'" << known << "'"; });
    } else {
      diagnostic
          << "; the file fixes all sizes, and an export with 'dynamic_shapes' leaves some open";
    }
    return false;
  }
  return true;
}

} // namespace

std::vector<const onnx::ValueInfoProto *> listInputs(const onnx::GraphProto &graph) {
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto *> inputs;
  for (const onnx::ValueInfoProto &info : graph.input())
    if (!initializers.contains(info.name()))
      inputs.push_back(&info);
  return inputs;
}

/// Checks that every name in `known` is an input.
static bool checkKnown(llvm::ArrayRef<const onnx::ValueInfoProto *> inputs,
                       const llvm::StringMap<Constant> &known, Location loc) {
  for (llvm::StringRef name : known.keys())
    if (llvm::none_of(inputs, [&](const auto *info) { return info->name() == name; })) {
      emitError(loc) << "there is no input '" << name << "'";
      return false;
    }
  return true;
}

std::optional<std::vector<GraphInput>> bindInputs(const onnx::GraphProto &graph,
                                                  const llvm::StringMap<int64_t> &dims,
                                                  const llvm::StringMap<Constant> &known,
                                                  const llvm::StringSet<> &sequences,
                                                  Location loc) {
  auto all = listInputs(graph);
  Binder binder(dims, loc);
  std::vector<GraphInput> inputs;
  bool areBound = checkKnown(all, known, loc);
  for (const onnx::ValueInfoProto *info : all) {
    if (known.contains(info->name()) || sequences.contains(info->name()))
      continue;
    std::optional<GraphInput> input = binder.bind(*info);
    areBound &= input.has_value();
    if (input)
      inputs.push_back(std::move(*input));
  }
  areBound &= binder.checkNames();
  return areBound ? std::optional(std::move(inputs)) : std::nullopt;
}

} // namespace pcc::import
