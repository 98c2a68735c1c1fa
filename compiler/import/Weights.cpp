// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Weights.h"

#include "compiler/import/Locations.h"
#include "compiler/import/Safetensors.h"
#include "dialects/graph/Graph.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace pcc::import {
namespace {

void listNames(InFlightDiagnostic &diagnostic, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::interleaveComma(names, diagnostic,
                        [&](llvm::StringRef name) { diagnostic << "'" << name << "'"; });
}

/// Sets the value of `parameter`; an error if the types differ.
LogicalResult setValue(graph::ParameterOp parameter, const TensorData &data, Location loc) {
  if (data.type != parameter.getTensorType())
    return emitError(loc) << "tensor '" << parameter.getSymName() << "': expected "
                          << parameter.getTensorType() << ", got " << data.type;
  MLIRContext *context = parameter.getContext();
  parameter.setInitAttr(
      graph::InitAttr::get(context, graph::InitKind::File, DenseF64ArrayAttr::get(context, {})));
  parameter.setValueAttr(data.toResource(parameter.getSymName()));
  return success();
}

} // namespace

LogicalResult applyWeights(ModuleOp module, llvm::StringRef path) {
  auto tensors = readSafetensors(path, *module.getContext());
  if (!tensors)
    return failure();
  Location loc = fileLocation(path, *module.getContext());
  llvm::MapVector<llvm::StringRef, const TensorData *> unused;
  for (const NamedTensor &tensor : *tensors)
    unused[tensor.name] = &tensor.data;
  bool isComplete = true;
  llvm::SmallVector<llvm::StringRef> missing;
  for (auto parameter : module.getOps<graph::ParameterOp>()) {
    auto tensor = unused.find(parameter.getSymName());
    if (tensor == unused.end()) {
      missing.push_back(parameter.getSymName());
      continue;
    }
    isComplete &= succeeded(setValue(parameter, *tensor->second, loc));
    unused.erase(tensor);
  }
  if (!unused.empty()) {
    auto warning = emitWarning(loc) << "tensors that belong to no parameter: ";
    listNames(warning, llvm::to_vector(llvm::make_first_range(unused)));
  }
  if (!missing.empty()) {
    auto error = emitError(loc) << "parameters without a tensor: ";
    listNames(error, missing);
  }
  return success(isComplete && missing.empty());
}

} // namespace pcc::import
