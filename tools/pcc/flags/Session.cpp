// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints are attached after the import, with the lines of protobuf's parse tree as their
// positions.
#include "tools/pcc/flags/Session.h"

#include "compiler/Register.h"
#include "compiler/import/constraints/Constraints.h"
#include "compiler/import/files/ReadOnnx.h"
#include "tools/pcc/flags/MessageFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  return registry;
}

Session::Session() : context(makeRegistry()), printer(&context, llvm::errs()) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // location and message suffice
}

static constexpr FieldInfo modelFields[] = {
    {.name = "weights",
     .help = ".safetensors file with the parameters' values",
     .valueName = "file"},
    {.name = "constraints",
     .help = "file of constraints on ops, parameters and inputs by name",
     .valueName = "file"},
    {.name = "device_config",
     .help = "name of the model's multi-device configuration to use; none: no configuration",
     .valueName = "name"},
    {.name = "set_dim", .help = "size of a symbolic dimension", .valueName = "name=size"},
    {.name = "set_input",
     .help = ".pb file with the value of an input that must be constant, such as a shape",
     .valueName = "name=file"},
};

ModelFlags::ModelFlags(cl::SubCommand &command, const OptionsFile *file)
    : argument(cl::Positional, cl::desc("[MODEL]"), cl::Optional, cl::sub(command)),
      flags(command, abi::ModelConfig::descriptor(), modelFields, file),
      pins("pins", flags.getFlag("constraints")) {}

ExitCode ModelFlags::readConfig(bool isNamedByFile) {
  if (ExitCode code = flags.read(config))
    return code;
  if (!argument.empty() && !isNamedByFile)
    config.set_model(argument);
  return Success;
}

/// Adds the constraints of `path` to `module`.
static ExitCode attachConstraints(mlir::ModuleOp module, llvm::StringRef path) {
  pcc::abi::Constraints message;
  google::protobuf::TextFormat::ParseInfoTree places;
  if (ExitCode code = readMessageFile(path, message, &places))
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
  options.weights = config.weights();
  options.deviceConfiguration = config.device_config();
  for (llvm::StringRef dim : config.set_dim()) {
    auto [name, size] = dim.rsplit('=');
    int64_t number;
    if (name.empty() || size.getAsInteger(10, number) || number < 1)
      return flags.refuse("set_dim", "expected NAME=SIZE with a positive size, got '" + dim + "'");
    options.dims[name] = number;
  }
  for (llvm::StringRef input : config.set_input()) {
    auto [name, file] = input.split('=');
    if (name.empty() || file.empty())
      return flags.refuse("set_input", "expected NAME=FILE, got '" + input + "'");
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
      import::importModel(path(), options, context, unsupported);
  code = module ? Success : BadInput;
  if (module && !config.constraints().empty())
    code = attachConstraints(*module, config.constraints());
  return code == Success ? std::move(module) : nullptr;
}
