// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/import/Import.h"

#include "compiler/import/OnnxImporter.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/Weights.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace pcc::import {
namespace {

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
    emitError(loc) << "a module has no symbolic dimensions: expected no --set-dim";
    return {};
  }
  if (!options.inputs.empty()) {
    emitError(loc) << "the inputs of a module stay inputs: expected no --set-input";
    return {};
  }
  if (!options.deviceConfiguration.empty()) {
    emitError(loc) << "a module has no configurations for several devices: expected no "
                      "--device-config";
    return {};
  }
  if (!llvm::sys::fs::exists(path)) {
    emitError(loc) << "cannot read the file: No such file or directory";
    return {};
  }
  return parseSourceFile<ModuleOp>(path, ParserConfig(&context));
}

} // namespace

OwningOpRef<ModuleOp> importOnnx(llvm::StringRef path, const ImportOptions &options,
                                 MLIRContext &context, std::vector<UnsupportedNode> *unsupported) {
  std::shared_ptr<const onnx::ModelProto> model = readOnnxFile(path, context);
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
