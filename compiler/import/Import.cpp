// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the importer by the ending of the file, then replaces parameter values if the options
// name a file of weights. Weights are matched by name after import, so they apply to every format.
#include "compiler/import/Import.h"

#include "compiler/import/OnnxImporter.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/Nesting.h"
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/Safetensors.h"
#include "compiler/import/files/onnx.pb.h"
#include "dialects/graph/ParameterPart.h"
#include "dialects/graph/Roles.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace pcc::import {
namespace {

void listNames(InFlightDiagnostic &diagnostic, llvm::ArrayRef<llvm::StringRef> names) {
  llvm::interleaveComma(names, diagnostic,
                        [&](llvm::StringRef name) { diagnostic << "'" << name << "'"; });
}

/// Returns the name of the tensor in a file that has the values of `parameter`.
llvm::StringRef nameInFiles(graph::ParameterOp parameter) {
  std::optional<graph::ParameterPart> part = graph::getParameterPart(parameter);
  return part ? part->whole : parameter.getSymName();
}

/// Sets the value of `parameter` to `data`, or to its part of `data` if the parameter was split.
/// Emits an error if the types differ.
LogicalResult setValue(graph::ParameterOp parameter, const TensorData &data, Location loc) {
  std::optional<graph::ParameterPart> part = graph::getParameterPart(parameter);
  RankedTensorType type = parameter.getTensorType();
  RankedTensorType expected = part ? type.clone(part->shape) : type;
  if (data.type != expected)
    return emitError(loc) << "tensor '" << nameInFiles(parameter) << "': expected " << expected
                          << ", got " << data.type;
  MLIRContext *context = parameter.getContext();
  TensorData own = data;
  if (part) {
    auto bytes = std::make_shared<std::vector<char>>(graph::cutParameterPart(*part, data.bytes));
    own = {type, *bytes, bytes};
  }
  parameter.setInitAttr(
      graph::InitAttr::get(context, graph::InitKind::File, DenseF64ArrayAttr::get(context, {})));
  parameter.setValueAttr(own.toResource(parameter.getSymName()));
  return success();
}

/// Returns whether the parameter is not trained and no op reads it: a buffer of an exported model
/// whose value is a constant of the ops (OnnxImporter::readBuffer).
bool isUnreadBuffer(ModuleOp module, graph::ParameterOp parameter) {
  if (parameter.getTrainable())
    return false;
  for (auto function : module.getOps<func::FuncOp>())
    if (std::optional<unsigned> index =
            graph::findArg(function, graph::RoleKind::Parameter, parameter.getSymName()))
      if (function.isDeclaration() || !function.getArgument(*index).use_empty())
        return false;
  return true;
}

/// Checks that a tensor of a file has the values of the buffer, which are constants of the model.
LogicalResult checkBuffer(graph::ParameterOp buffer, const TensorData &data, Location loc) {
  auto value = dyn_cast_or_null<DenseResourceElementsAttr>(buffer.getValueAttr());
  AsmResourceBlob *blob = value ? value.getRawHandle().getBlob() : nullptr;
  bool isEqual = data.type == buffer.getTensorType() && blob && blob->getData() == data.bytes;
  return isEqual ? success()
                 : emitError(loc) << "tensor '" << buffer.getSymName()
                                  << "': expected the values of this buffer in the model, got "
                                     "others; export the model with these values";
}

/// Sets every graph.parameter of `module` from the safetensors file or index `path`, by name. A
/// parameter that was split from another gets its part of the tensor. One error lists all
/// parameters that the file lacks; each tensor of another type has an error of its own. A warning
/// lists the tensors that belong to no parameter. A file may lack buffers. The file may have
/// a tied parameter under another of its names.
LogicalResult applyWeights(ModuleOp module, llvm::StringRef path) {
  auto tensors = readSafetensors(path, *module.getContext());
  if (!tensors)
    return failure();
  Location loc = fileLocation(path, *module.getContext());
  llvm::StringMap<const NamedTensor *> byName;
  for (const NamedTensor &tensor : *tensors) {
    byName[tensor.name] = &tensor;
    for (const std::string &alias : tensor.aliases)
      byName.try_emplace(alias, &tensor);
  }
  bool isComplete = true;
  llvm::SetVector<llvm::StringRef> missing;
  llvm::DenseSet<const NamedTensor *> used;
  for (auto parameter : module.getOps<graph::ParameterOp>()) {
    llvm::StringRef name = nameInFiles(parameter);
    const NamedTensor *tensor = byName.lookup(name);
    bool isBuffer = isUnreadBuffer(module, parameter);
    if (tensor) {
      isComplete &= succeeded(isBuffer ? checkBuffer(parameter, tensor->data, loc)
                                       : setValue(parameter, tensor->data, loc));
      used.insert(tensor);
    } else if (!isBuffer) {
      missing.insert(name);
    }
  }
  llvm::SmallVector<llvm::StringRef> unused;
  for (const NamedTensor &tensor : *tensors)
    if (!used.contains(&tensor))
      unused.push_back(tensor.name);
  if (!unused.empty()) {
    auto warning = emitWarning(loc) << "tensors that belong to no parameter: ";
    listNames(warning, unused);
  }
  if (!missing.empty()) {
    auto error = emitError(loc) << "parameters without a tensor: ";
    listNames(error, missing.getArrayRef());
  }
  return success(isComplete && missing.empty());
}

/// Replaces the parameters' values if the options name a file of weights.
OwningOpRef<ModuleOp> withWeights(OwningOpRef<ModuleOp> module, const ImportOptions &options) {
  if (module && !options.weights.empty() && failed(applyWeights(*module, options.weights)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> importMlir(llvm::StringRef path, const ImportOptions &options,
                                 MLIRContext &context) {
  Location loc = fileLocation(path, context);
  if (!options.dims.empty()) {
    emitError(loc)
        << "'--set-dim' applies to .onnx files only: a module has no symbolic dimensions";
    return {};
  }
  if (!options.inputs.empty() || !options.sequences.empty()) {
    emitError(loc)
        << "'--set-input' applies to .onnx files only: the inputs of a module stay inputs";
    return {};
  }
  if (!options.deviceConfiguration.empty()) {
    emitError(loc) << "'--device-config' applies to .onnx files only: a module has no "
                      "configurations for several devices";
    return {};
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code error = buffer.getError()) {
    emitError(loc) << "cannot read the file: " << error.message();
    return {};
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  bool isText = !isBytecode((*buffer)->getMemBufferRef());
  if (std::optional<BracketPlace> deep = isText ? findDeepNesting(text) : std::nullopt) {
    emitError(FileLineColLoc::get(&context, path, deep->line, deep->column)) << nestingError;
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

} // namespace

OwningOpRef<ModuleOp> importOnnx(llvm::StringRef path, const ImportOptions &options,
                                 MLIRContext &context, std::vector<UnsupportedNode> *unsupported) {
  std::shared_ptr<onnx::ModelProto> model = readOnnxFile(path, context);
  if (!model)
    return {};
  OnnxImporter importer(path, model, context, unsupported);
  return withWeights(importer.import(options), options);
}

OwningOpRef<ModuleOp> importModel(llvm::StringRef path, const ImportOptions &options,
                                  MLIRContext &context, std::vector<UnsupportedNode> *unsupported) {
  if (path.ends_with(".onnx"))
    return importOnnx(path, options, context, unsupported);
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    return withWeights(importMlir(path, options, context), options);
  emitError(fileLocation(path, context))
      << "expected a model in a file that ends in .onnx, .mlir or .mlirbc";
  return {};
}

} // namespace pcc::import
