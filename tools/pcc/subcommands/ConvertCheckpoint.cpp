// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/pcc/subcommands/ConvertCheckpoint.h"

#include "compiler/import/files/Safetensors.h"
#include "passes/analysis/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/ImportTensors.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/SaveParameters.h"
#include "runtime/checkpoint/StateNames.h"
#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"
#include "runtime/checkpoint/mindspore/RankFiles.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/report/Output.h"
#include "tools/version/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>

using namespace pcc;
using namespace pcc::cli;

namespace {

ExitCode fail(const abi::Status &status) {
  return cli::fail(ExitCode(status.exitCode()), status.describe());
}

ExitCode toExitCode(const abi::Status &status) { return status.ok() ? Success : fail(status); }

bool isSafetensors(llvm::StringRef path) { return path.ends_with(".safetensors"); }

bool isMindSpore(llvm::StringRef path) {
  return path.ends_with(".ckpt") || runtime::hasRankFolders(path.str());
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

/// Makes a checkpoint of a file whose optimizer states have torch's names.
class TorchFile {
public:
  TorchFile(llvm::StringRef path, llvm::ArrayRef<import::NamedTensor> tensors) : path(path) {
    for (const import::NamedTensor &tensor : tensors) {
      names[tensor.name] = tensor.name;
      for (const std::string &alias : tensor.aliases)
        names.try_emplace(alias, tensor.name);
    }
  }

  /// Adds a tensor: a parameter, a state, or the number of updates of a parameter. Returns BadInput
  /// after an error.
  ExitCode add(const import::NamedTensor &tensor) {
    if (std::optional<std::string> owner = runtime::parseTorchStep(tensor.name);
        owner && names.contains(*owner))
      return addStep(tensor);
    std::optional<runtime::OwnedState> state = runtime::parseTorchState(tensor.name);
    if (!state || !names.contains(state->owner))
      return addParameter(tensor);
    // A tied parameter may be stored under another of its names.
    std::string owner = names.lookup(state->owner);
    states.push_back(describe(tensor));
    states.back().name = owner + state->name.substr(state->owner.size());
    states.back().stateOf = owner;
    return Success;
  }

  /// Returns the parameters, then the states.
  std::vector<runtime::TensorInPieces> takeTensors() {
    llvm::append_range(parameters, states);
    return std::move(parameters);
  }

  int64_t getStep() const { return step.value_or(0); }

private:
  ExitCode addParameter(const import::NamedTensor &tensor) {
    // "state.fc.weight.max_exp_avg_sq", of an option that no optimizer of pcc has
    auto [owner, word] = llvm::StringRef(tensor.name).rsplit('.');
    if (owner.consume_front("state.") && names.contains(owner))
      return refuse(tensor, "expected a state that an optimizer of pcc has, got '" + word +
                                "'; leave it out to continue without it");
    parameters.push_back(describe(tensor));
    return Success;
  }

  ExitCode addStep(const import::NamedTensor &tensor) {
    bool isNumber = tensor.data.type.getElementType().isF32() &&
                    tensor.data.type.getNumElements() == 1 && !tensor.data.isAbsent();
    float number = isNumber ? llvm::support::endian::read<float>(tensor.data.bytes.data(),
                                                                 llvm::endianness::little)
                            : -1;
    if (!(number >= 0 && number < float(1LL << 53)) || number != float(int64_t(number)))
      return refuse(tensor, "expected a number of updates, an integer in f32, got another value");
    if (step.value_or(int64_t(number)) != int64_t(number))
      return refuse(tensor, llvm::formatv("expected {0} updates, as of other parameters, got {1}; "
                                          "pcc counts the steps of all parameters together",
                                          *step, int64_t(number)));
    step = int64_t(number);
    return Success;
  }

  ExitCode refuse(const import::NamedTensor &tensor, const llvm::Twine &message) const {
    return cli::fail(BadInput, path + ": '" + tensor.name + "': " + message);
  }

  static runtime::TensorInPieces describe(const import::NamedTensor &tensor) {
    mlir::RankedTensorType type = tensor.data.type;
    runtime::TensorInPieces given{tensor.name,
                                  pcc::analysis::toElementType(type.getElementType()),
                                  {type.getShape().begin(), type.getShape().end()},
                                  {},
                                  ""};
    given.pieces = runtime::wholePiece(
        given.shape, std::string_view(tensor.data.bytes.data(), tensor.data.bytes.size()));
    return given;
  }

  llvm::StringRef path;
  llvm::StringMap<std::string> names; ///< of tensors, by their own names and other ones
  std::vector<runtime::TensorInPieces> parameters, states;
  std::optional<int64_t> step;
};

ExitCode convertFile(const ConvertOptions &options) {
  Session session;
  auto tensors = import::readSafetensors(options.input, session.context);
  if (!tensors)
    return BadInput;
  TorchFile file(options.input, *tensors);
  for (const import::NamedTensor &tensor : *tensors)
    if (ExitCode code = file.add(tensor))
      return code;
  return write(file.takeTensors(), file.getStep(), options);
}

ExitCode convertMindSpore(const ConvertOptions &options) {
  abi::Expected<runtime::MindSporeCheckpoint> given =
      runtime::readMindSpore(options.input, options.strategies);
  if (!given)
    return fail(given.status());
  for (const std::string &warning : given->warnings)
    llvm::errs() << "pcc: warning: " << warning << "\n";
  if (ExitCode code = write(given->tensors, given->step, options))
    return code;
  // A file that was cut while it was read gives zeros.
  abi::Status status = given->checkRead();
  if (status.ok())
    return Success;
  std::error_code ignored;
  std::filesystem::remove_all(options.output, ignored);
  return fail(status);
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
