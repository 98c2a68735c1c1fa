// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds by trial which inputs must be constants: none, then scalars and lists, then all. From the
// first set that imports, each input is removed once if the import still succeeds. Every trial
// imports the model anew.
#include "compiler/import/TestData.h"

#include "compiler/import/Inputs.h"
#include "compiler/import/emit/Emitter.h"
#include "compiler/import/files/Locations.h"
#include "compiler/import/files/ReadOnnx.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace pcc::import {
namespace {

/// Reads `folder`/`kind`_N.pb for each of `infos`, tensors into `values`.
bool readValues(llvm::ArrayRef<const onnx::ValueInfoProto *> infos, llvm::StringRef folder,
                llvm::StringRef kind, MLIRContext &context, std::vector<NamedConstant> &values,
                llvm::StringMap<std::vector<Constant>> &sequences, llvm::StringSet<> &absent) {
  for (auto [index, info] : llvm::enumerate(infos)) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, kind + "_" + llvm::Twine(index) + ".pb");
    if (info->type().has_sequence_type()) {
      auto sequence = readSequenceFile(path, context);
      if (!sequence)
        return false;
      sequences[info->name()] = std::move(*sequence);
      continue;
    }
    if (info->type().has_optional_type()) {
      auto optional = readOptionalFile(path, context);
      if (!optional)
        return false;
      if (optional->tensor)
        values.push_back({info->name(), std::move(*optional->tensor)});
      else if (optional->sequence)
        sequences[info->name()] = std::move(*optional->sequence);
      else
        absent.insert(info->name());
      continue;
    }
    if (!info->type().has_tensor_type()) {
      emitError(fileLocation(path, context)) << kind << " '" << info->name() << "' is no tensor";
      return false;
    }
    auto value = readTensorFile(path, context);
    if (!value)
      return false;
    values.push_back({info->name(), std::move(*value)});
  }
  return true;
}

/// Sets the symbolic dimensions of the input `info` to the sizes of `value`.
void takeDims(const onnx::ValueInfoProto &info, const Constant &value,
              llvm::StringMap<int64_t> &dims) {
  const onnx::TypeProto &type =
      info.type().has_optional_type() ? info.type().optional_type().elem_type() : info.type();
  for (auto [index, dim] : llvm::enumerate(type.tensor_type().shape().dim())) {
    if (dim.has_dim_value() || index >= value.shape().size())
      continue;
    std::string name =
        dim.dim_param().empty() ? info.name() + "." + std::to_string(index) : dim.dim_param();
    dims[name] = value.shape()[index];
  }
}

/// Imports one model repeatedly, with different sets of known inputs.
class DataImporter {
public:
  DataImporter(llvm::StringRef path, const TestData &data, MLIRContext &context,
               const ImportOptions &userOptions)
      : path(path), data(data), context(context), userOptions(userOptions),
        model(readOnnxFile(path, context)) {}

  bool isReadable() const { return model != nullptr; }
  OwningOpRef<ModuleOp> import(const std::set<std::string> &known);

  /// Same without diagnostics.
  OwningOpRef<ModuleOp> tryImport(const std::set<std::string> &known) {
    ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) { return success(); });
    return import(known);
  }

private:
  llvm::StringRef path;
  const TestData &data;
  MLIRContext &context;
  const ImportOptions &userOptions;
  std::unique_ptr<onnx::ModelProto> model;
};

OwningOpRef<ModuleOp> DataImporter::import(const std::set<std::string> &known) {
  ImportOptions options = userOptions;
  options.sequences = data.sequences;
  options.absent = data.absent;
  auto infos = listInputs(model->graph());
  llvm::erase_if(infos, [&](const auto *info) {
    return data.sequences.contains(info->name()) || data.absent.contains(info->name());
  });
  for (auto [info, input] : llvm::zip_equal(infos, data.inputs)) {
    if (known.count(input.name))
      options.inputs.try_emplace(input.name, input.value);
    else
      takeDims(*info, input.value, options.dims);
  }
  return importOnnx(path, options, context);
}

/// Returns the inputs that may hold a shape, an axis or a number: scalars and lists.
std::set<std::string> listWritten(const TestData &data) {
  std::set<std::string> names;
  for (const NamedConstant &input : data.inputs)
    if (input.value.type.getRank() <= 1 && isGraphElement(input.value.type.getElementType()))
      names.insert(input.name);
  return names;
}

std::set<std::string> listAll(const TestData &data) {
  std::set<std::string> names;
  for (const NamedConstant &input : data.inputs)
    names.insert(input.name);
  return names;
}

/// Returns the inputs without elements, which programs do not have.
std::set<std::string> listEmpty(const TestData &data) {
  std::set<std::string> names;
  for (const NamedConstant &input : data.inputs)
    if (input.value.size() == 0)
      names.insert(input.name);
  return names;
}

} // namespace

std::optional<TestData> readTestData(llvm::StringRef path, llvm::StringRef folder,
                                     MLIRContext &context) {
  auto model = readOnnxFile(path, context);
  if (!model)
    return std::nullopt;
  std::vector<const onnx::ValueInfoProto *> outputs;
  for (const onnx::ValueInfoProto &info : model->graph().output())
    outputs.push_back(&info);
  TestData data;
  llvm::StringMap<std::vector<Constant>> results;
  llvm::StringSet<> absentResults;
  if (!readValues(listInputs(model->graph()), folder, "input", context, data.inputs, data.sequences,
                  data.absent) ||
      !readValues(outputs, folder, "output", context, data.outputs, results, absentResults))
    return std::nullopt;
  for (auto &[name, values] : results)
    for (auto [index, value] : llvm::enumerate(values))
      data.outputs.push_back({(name + "." + llvm::Twine(index)).str(), value});
  return data;
}

OwningOpRef<ModuleOp> importForData(llvm::StringRef path, const TestData &data,
                                    MLIRContext &context, std::set<std::string> &known,
                                    const ImportOptions &options) {
  DataImporter importer(path, data, context, options);
  std::set<std::string> empty = listEmpty(data);
  known = empty;
  if (!importer.isReadable())
    return {};
  if (OwningOpRef<ModuleOp> module = importer.tryImport(known))
    return module;
  std::set<std::string> written = listWritten(data);
  written.insert(empty.begin(), empty.end());
  known = written;
  OwningOpRef<ModuleOp> module = importer.tryImport(known);
  if (!module) {
    known = listAll(data);
    module = importer.tryImport(known);
  }
  if (!module) {
    known = written;
    module = importer.import(known); // reports the errors of the model
  }
  if (!module)
    return {};
  for (const NamedConstant &input : data.inputs) {
    std::set<std::string> fewer = known;
    if (empty.count(input.name) || !fewer.erase(input.name))
      continue;
    if (OwningOpRef<ModuleOp> other = importer.tryImport(fewer)) {
      module = std::move(other);
      known = std::move(fewer);
    }
  }
  return module;
}

values::Tensor listElements(const Constant &constant) {
  if (!constant.isSplat())
    return constant.elements.reshaped(constant.shape());
  values::Tensor all(constant.elements.getType(), constant.shape());
  llvm::fill(all.mutableElements(), constant.elements[0]);
  return all;
}

std::map<std::string, values::Tensor> listInputs(const TestData &data,
                                                 const std::set<std::string> &known) {
  std::map<std::string, values::Tensor> inputs;
  for (const NamedConstant &input : data.inputs)
    if (!known.count(input.name))
      inputs[input.name] = listElements(input.value);
  return inputs;
}

} // namespace pcc::import
