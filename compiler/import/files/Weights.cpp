// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/files/Weights.h"

#include "compiler/import/files/Locations.h"
#include "compiler/import/files/Safetensors.h"
#include "dialects/graph/ParameterPart.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace pcc::import {
namespace {

void listNames(InFlightDiagnostic &diagnostic, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::interleaveComma(names, diagnostic,
                        [&](llvm::StringRef name) { diagnostic << "'" << name << "'"; });
}

/// Returns the name of the tensor in a file that has the values of `parameter`.
llvm::StringRef nameInFiles(graph::ParameterOp parameter) {
  std::optional<graph::ParameterPart> piece = graph::getParameterPart(parameter);
  return piece ? piece->whole : parameter.getSymName();
}

/// Sets the value of `parameter` to `data`, or to its part of `data` if the parameter was split.
/// Emits an error if the types differ.
LogicalResult setValue(graph::ParameterOp parameter, const TensorData &data, Location loc) {
  std::optional<graph::ParameterPart> piece = graph::getParameterPart(parameter);
  RankedTensorType type = parameter.getTensorType();
  RankedTensorType expected = piece ? type.clone(piece->shape) : type;
  if (data.type != expected)
    return emitError(loc) << "tensor '" << nameInFiles(parameter) << "': expected " << expected
                          << ", got " << data.type;
  MLIRContext *context = parameter.getContext();
  TensorData own = data;
  if (piece) {
    auto bytes = std::make_shared<std::vector<char>>(graph::cutParameterPart(*piece, data.bytes));
    own = {type, *bytes, bytes};
  }
  parameter.setInitAttr(
      graph::InitAttr::get(context, graph::InitKind::File, DenseF64ArrayAttr::get(context, {})));
  parameter.setValueAttr(own.toResource(parameter.getSymName()));
  return success();
}

} // namespace

LogicalResult applyWeights(ModuleOp module, llvm::StringRef path) {
  auto tensors = readSafetensors(path, *module.getContext());
  if (!tensors)
    return failure();
  Location loc = fileLocation(path, *module.getContext());
  llvm::MapVector<llvm::StringRef, const TensorData *> all;
  for (const NamedTensor &tensor : *tensors)
    all[tensor.name] = &tensor.data;
  bool isComplete = true;
  llvm::SetVector<llvm::StringRef> used, missing;
  for (auto parameter : module.getOps<graph::ParameterOp>()) {
    llvm::StringRef name = nameInFiles(parameter);
    const TensorData *data = all.lookup(name);
    if (data)
      isComplete &= succeeded(setValue(parameter, *data, loc));
    (data ? used : missing).insert(name);
  }
  all.remove_if([&](auto &entry) { return used.contains(entry.first); });
  if (!all.empty()) {
    auto warning = emitWarning(loc) << "tensors that belong to no parameter: ";
    listNames(warning, llvm::to_vector(llvm::make_first_range(all)));
  }
  if (!missing.empty()) {
    auto error = emitError(loc) << "parameters without a tensor: ";
    listNames(error, missing.getArrayRef());
  }
  return success(isComplete && missing.empty());
}

} // namespace pcc::import
