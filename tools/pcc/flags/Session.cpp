// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints are attached after the import, with the lines of protobuf's parse tree as their
// positions. Large values are elided on stdout only.
#include "tools/pcc/flags/Session.h"

#include "compiler/Register.h"
#include "compiler/import/Constraints.h"
#include "compiler/import/files/ReadOnnx.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tools/pcc/flags/ConfigFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

/// Longer values, in bytes, are elided on stdout.
static constexpr int64_t maxShownValueBytes = 64;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  return registry;
}

Session::Session() : context(makeRegistry()), printer(&context, llvm::errs()) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // location and message suffice
}

ModelFlags::ModelFlags(cl::SubCommand &command, ModelUse use)
    : model(cl::Positional, cl::desc("MODEL"),
            use == ModelUse::Required ? cl::Required : cl::Optional, cl::sub(command)),
      weights("weights", cl::desc(".safetensors file with the parameters' values"),
              cl::value_desc("file"), cl::sub(command)),
      constraints("constraints",
                  cl::desc("file of constraints on ops, parameters and inputs by name"),
                  cl::value_desc("file"), cl::sub(command)),
      deviceConfiguration(
          "device-config",
          cl::desc("name of the model's multi-device configuration to use; none: no "
                   "configuration"),
          cl::value_desc("name"), cl::sub(command)),
      pins("pins", constraints), dims("set-dim", cl::desc("size of a symbolic dimension"),
                                      cl::value_desc("name=size"), cl::sub(command)),
      inputs("set-input",
             cl::desc(".pb file with the value of an input that must be constant, such as a shape"),
             cl::value_desc("name=file"), cl::sub(command)) {}

llvm::StringRef ModelFlags::givenFlag() const {
  const cl::Option &weightsFlag = weights, &constraintsFlag = constraints, &dimsFlag = dims,
                   &inputsFlag = inputs, &configurationFlag = deviceConfiguration;
  for (const cl::Option *option :
       {&weightsFlag, &constraintsFlag, &dimsFlag, &inputsFlag, &configurationFlag})
    if (option->getNumOccurrences())
      return option->ArgStr;
  return "";
}

/// Adds the constraints of `path` to `module`.
static ExitCode attachConstraints(mlir::ModuleOp module, llvm::StringRef path) {
  pcc::abi::Constraints message;
  google::protobuf::TextFormat::ParseInfoTree places;
  if (ExitCode code = readConfigFile(path, message, &places))
    return code;
  auto getPlace = [&](llvm::StringRef list, int index) {
    const auto *field = message.GetDescriptor()->FindFieldByName(list.str());
    int line = places.GetLocation(field, index).line; // from 0; negative in a file without lines
    return path.str() + ":" + std::to_string(line < 0 ? index : line + 1);
  };
  bool isAttached = mlir::succeeded(pcc::import::attachConstraints(module, message, getPlace));
  return isAttached ? Success : BadInput;
}

ExitCode ModelFlags::read(import::ImportOptions &options, mlir::MLIRContext &context) const {
  options.weights = weights;
  options.deviceConfiguration = deviceConfiguration;
  for (llvm::StringRef dim : dims) {
    auto [name, size] = dim.rsplit('=');
    int64_t number;
    if (name.empty() || size.getAsInteger(10, number) || number < 1)
      return fail(BadUsage,
                  "'--set-dim': expected NAME=SIZE with a positive size, got '" + dim + "'");
    options.dims[name] = number;
  }
  for (llvm::StringRef input : inputs) {
    auto [name, file] = input.split('=');
    if (name.empty() || file.empty())
      return fail(BadUsage, "'--set-input': expected NAME=FILE, got '" + input + "'");
    auto value = import::readTensorFile(file, context);
    if (!value)
      return BadInput;
    options.inputs.try_emplace(name, std::move(*value));
  }
  return Success;
}

mlir::OwningOpRef<mlir::ModuleOp>
ModelFlags::load(mlir::MLIRContext &context, ExitCode &code,
                 std::vector<import::UnsupportedNode> *unsupported, bool recordsNodes) const {
  import::ImportOptions options;
  options.recordsNodes = recordsNodes;
  code = read(options, context);
  if (code != Success)
    return {};
  mlir::OwningOpRef<mlir::ModuleOp> module =
      import::importModel(model, options, context, unsupported);
  code = module ? Success : BadInput;
  if (module && !constraints.empty())
    code = attachConstraints(*module, constraints);
  return code == Success ? std::move(module) : nullptr;
}

static bool isFile(llvm::StringRef path) { return !path.empty() && path != "-"; }

static ExitCode write(mlir::ModuleOp module, llvm::StringRef path, mlir::OpPrintingFlags flags) {
  return writeResult(path, [&](llvm::raw_ostream &os) {
    if (path.ends_with(".mlirbc")) {
      (void)mlir::writeBytecodeToFile(module, os); // fails only for versions that we do not request
      return;
    }
    if (!isFile(path))
      flags.elideLargeResourceString(maxShownValueBytes)
          .elideLargeElementsAttrs(maxShownValueBytes);
    module.print(os, flags);
    os << "\n";
  });
}

ExitCode pcc::cli::writeModule(mlir::ModuleOp module, llvm::StringRef path) {
  return write(module, path, {});
}

ExitCode pcc::cli::writeModel(mlir::ModuleOp module, llvm::StringRef path) {
  mlir::OpPrintingFlags flags;
  if (isFile(path))
    flags.enableDebugInfo();
  return write(module, path, flags);
}
