// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/subcommands/ConvertCheckpoint.h"

#include "compiler/import/files/Safetensors.h"
#include "passes/analysis/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/ExportTensors.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/ImportTensors.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/StateNames.h"
#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/report/Output.h"
#include "tools/version/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;

namespace {

ExitCode fail(const abi::Status &status) {
  return cli::fail(ExitCode(status.exitCode()), status.describe());
}

ExitCode toExitCode(const abi::Status &status) { return status.ok() ? Success : fail(status); }

bool isSafetensors(llvm::StringRef path) { return path.ends_with(".safetensors"); }

bool isMindSpore(llvm::StringRef path) {
  return path.ends_with(".ckpt") || runtime::isFolder((path + "/rank_0").str());
}

/// Writes `tensors` as a checkpoint or as a file, as the name of the output says.
ExitCode write(llvm::ArrayRef<runtime::TensorInPieces> tensors, int64_t step,
               const ConvertOptions &options) {
  if (!isSafetensors(options.output))
    return toExitCode(runtime::importTensors(tensors, step, tools::version(), options.output));
  if (options.withStates)
    return cli::fail(BadUsage, "'--optimizer-states': expected a checkpoint of pcc, got '" +
                                   options.input + "'; convert it to a checkpoint first");
  auto parameters = llvm::to_vector(llvm::make_filter_range(
      tensors, [](const runtime::TensorInPieces &tensor) { return tensor.stateOf.empty(); }));
  return toExitCode(runtime::saveTensors(parameters, options.output));
}

/// Reads the numbers of updates of all parameters, which must be equal. 0 if there are none.
std::optional<int64_t> readTorchStep(llvm::ArrayRef<import::NamedTensor> tensors,
                                     const llvm::StringSet<> &names) {
  std::optional<float> step;
  for (const import::NamedTensor &tensor : tensors) {
    std::optional<std::string> owner = runtime::parseTorchStep(tensor.name);
    if (!owner || !names.contains(*owner))
      continue;
    bool isNumber = tensor.data.type.getElementType().isF32() &&
                    tensor.data.type.getNumElements() == 1 && !tensor.data.isAbsent();
    float number = isNumber ? llvm::support::endian::read<float>(tensor.data.bytes.data(),
                                                                 llvm::endianness::little)
                            : -1;
    if (!(number >= 0 && number < 1 << 24) || number != float(int64_t(number))) {
      cli::fail(BadInput, "'" + tensor.name + "': expected a number of updates in f32");
      return std::nullopt;
    }
    if (step.value_or(number) != number) {
      cli::fail(BadInput, llvm::formatv("'{0}': expected {1} updates, as of other parameters, got "
                                        "{2}; pcc counts the steps of all parameters together",
                                        tensor.name, int64_t(*step), int64_t(number)));
      return std::nullopt;
    }
    step = number;
  }
  return int64_t(step.value_or(0));
}

ExitCode convertFile(const ConvertOptions &options) {
  Session session;
  auto tensors = import::readSafetensors(options.input, session.context);
  if (!tensors)
    return BadInput;
  llvm::StringSet<> names;
  for (const import::NamedTensor &tensor : *tensors)
    names.insert(tensor.name);
  std::optional<int64_t> step = readTorchStep(*tensors, names);
  if (!step)
    return BadInput;
  std::vector<runtime::TensorInPieces> parameters, states;
  for (const import::NamedTensor &tensor : *tensors) {
    std::optional<std::string> counted = runtime::parseTorchStep(tensor.name);
    if (counted && names.contains(*counted))
      continue;
    mlir::RankedTensorType type = tensor.data.type;
    runtime::TensorInPieces given{tensor.name,
                                  pcc::analysis::toElementType(type.getElementType()),
                                  {type.getShape().begin(), type.getShape().end()},
                                  {},
                                  ""};
    given.pieces = runtime::wholePiece(
        given.shape, std::string_view(tensor.data.bytes.data(), tensor.data.bytes.size()));
    std::optional<runtime::OwnedState> state = runtime::parseTorchState(tensor.name);
    bool isState = state && names.contains(state->owner);
    if (isState) {
      given.name = state->name;
      given.stateOf = state->owner;
    }
    (isState ? states : parameters).push_back(std::move(given));
  }
  llvm::append_range(parameters, states);
  return write(parameters, *step, options);
}

ExitCode convertMindSpore(const ConvertOptions &options) {
  abi::Expected<runtime::MindSporeCheckpoint> given =
      runtime::readMindSpore(options.input, options.strategies);
  if (!given)
    return fail(given.status());
  for (const std::string &warning : given->warnings)
    llvm::errs() << "pcc: warning: " << warning << "\n";
  return write(given->tensors, given->step, options);
}

ExitCode convertOwn(const ConvertOptions &options) {
  auto found = runtime::findCheckpoint(options.input);
  if (!found)
    return fail(found.status());
  if (!isSafetensors(options.output))
    return cli::fail(BadUsage, "'-o': expected a name that ends in .safetensors, got '" +
                                   options.output + "'");
  auto manifest = runtime::readManifest(*found);
  if (!manifest)
    return fail(manifest.status());
  return toExitCode(runtime::exportTensors(*found, *manifest, options.output, options.withStates));
}

} // namespace

ExitCode pcc::cli::convertCheckpoint(const ConvertOptions &options) {
  llvm::StringRef input(options.input);
  if (isMindSpore(input))
    return convertMindSpore(options);
  if (!options.strategies.empty())
    return cli::fail(BadUsage,
                     "'--strategy': expected files of MindSpore, got '" + options.input + "'");
  bool isFile = isSafetensors(input) || input.ends_with(".safetensors.index.json");
  return isFile ? convertFile(options) : convertOwn(options);
}
