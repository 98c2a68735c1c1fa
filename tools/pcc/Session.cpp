// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/Session.h"

#include "compiler/Register.h"
#include "compiler/import/Pins.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "tools/pcc/ConfigFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

/// Values longer than this, in bytes, are left out where people read.
static constexpr int64_t longestValueShown = 64;

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  pcc::registerDialects(registry);
  return registry;
}

Session::Session() : context(makeRegistry()), printer(&context, llvm::errs()) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // the place and the message say enough
}

ModelFlags::ModelFlags(cl::SubCommand &command)
    : model(cl::Positional, cl::desc("MODEL"), cl::Required, cl::sub(command)),
      weights("weights", cl::desc("take the parameters' values from this .safetensors file"),
              cl::value_desc("file"), cl::sub(command)),
      pins("pins", cl::desc("strategies for ops, parameters and inputs by their names"),
           cl::value_desc("file"), cl::sub(command)),
      dims("set-dim", cl::desc("the size of a symbolic dimension"), cl::value_desc("name=size"),
           cl::sub(command)) {}

llvm::StringRef ModelFlags::givenFlag() const {
  const cl::Option &weightsFlag = weights, &pinsFlag = pins, &dimsFlag = dims;
  for (const cl::Option *option : {&weightsFlag, &pinsFlag, &dimsFlag})
    if (option->getNumOccurrences())
      return option->ArgStr;
  return "";
}

/// Adds the pins of `path` to `module`.
static ExitCode attachPins(mlir::ModuleOp module, llvm::StringRef path) {
  pcc::abi::Pins message;
  google::protobuf::TextFormat::ParseInfoTree places;
  if (ExitCode code = readConfigFile(path, message, &places))
    return code;
  const auto *field = message.GetDescriptor()->FindFieldByName("pin");
  auto getPlace = [&](int index) {
    int line = places.GetLocation(field, index).line; // from 0; below it where there are no lines
    return path.str() + ":" + std::to_string(line < 0 ? index : line + 1);
  };
  bool isAttached = mlir::succeeded(pcc::import::attachPins(module, message, getPlace));
  return isAttached ? Success : BadInput;
}

mlir::OwningOpRef<mlir::ModuleOp>
ModelFlags::load(mlir::MLIRContext &context, ExitCode &code,
                 std::vector<import::UnsupportedNode> *unsupported) const {
  import::ImportOptions options;
  options.weights = weights;
  for (llvm::StringRef dim : dims) {
    auto [name, size] = dim.rsplit('=');
    int64_t number;
    if (name.empty() || size.getAsInteger(10, number) || number < 1) {
      code =
          fail(BadUsage, "'--set-dim': expected NAME=SIZE with a positive size, got '" + dim + "'");
      return {};
    }
    options.dims[name] = number;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module =
      import::importModel(model, options, context, unsupported);
  code = module ? Success : BadInput;
  if (module && !pins.empty())
    code = attachPins(*module, pins);
  return code == Success ? std::move(module) : nullptr;
}

ExitCode pcc::cli::writeModule(mlir::ModuleOp module, llvm::StringRef path) {
  bool isFile = !path.empty() && path != "-";
  return writeResult(path, [&](llvm::raw_ostream &os) {
    if (path.ends_with(".mlirbc")) {
      (void)mlir::writeBytecodeToFile(module, os); // fails only for versions that we do not ask for
      return;
    }
    mlir::OpPrintingFlags flags;
    if (!isFile)
      flags.elideLargeResourceString(longestValueShown).elideLargeElementsAttrs(longestValueShown);
    module.print(os, flags);
    os << "\n";
  });
}
