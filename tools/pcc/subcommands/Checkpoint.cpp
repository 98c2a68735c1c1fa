// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc checkpoint: lists, describes, checks and converts checkpoints.

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/checkpoint/Folder.h"
#include "runtime/checkpoint/Manifest.h"
#include "runtime/checkpoint/Shards.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/ConvertCheckpoint.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/util/json_util.h>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

using Rows = std::vector<std::vector<std::string>>;

ExitCode fail(const abi::Status &status) {
  return cli::fail(ExitCode(status.exitCode()), status.describe());
}

uint64_t bytesOf(const abi::CheckpointManifest &manifest) {
  uint64_t bytes = 0;
  for (const abi::CheckpointShard &shard : manifest.shards())
    bytes += shard.bytes();
  return bytes;
}

std::string count(uint64_t number, llvm::StringRef one, llvm::StringRef several) {
  return llvm::formatv("{0} {1}", number, number == 1 ? one : several);
}

std::string megabytes(uint64_t bytes) {
  return llvm::formatv("{0:f1} MB", static_cast<double>(bytes) / 1e6);
}

template <typename Numbers> std::string shapeText(const Numbers &numbers) {
  return numbers.empty() ? "scalar" : llvm::formatv("{0}", llvm::interleaved(numbers, "x")).str();
}

std::string positionText(const abi::CheckpointManifest &manifest) {
  if (!manifest.has_data())
    return "the beginning";
  const abi::DataPosition &data = manifest.data();
  return llvm::formatv("epoch {0}, {1} of {2} rows used", data.epoch() + 1, data.row(),
                       data.rows());
}

std::string layoutText(const abi::CheckpointManifest &manifest) {
  uint64_t ranks = 1;
  std::string axes;
  for (const abi::MeshAxis &axis : manifest.mesh().axes()) {
    ranks *= static_cast<uint64_t>(axis.size());
    axes += (axes.empty() ? " (" : ", ") + axis.name() + "=" + std::to_string(axis.size());
  }
  return count(ranks, "rank", "ranks") + axes + (axes.empty() ? "" : ")") + ", " +
         count(manifest.pipeline_stages(), "stage", "stages") + ", " +
         count(manifest.batch().micro_batches(), "microbatch", "microbatches") + " of " +
         count(manifest.batch().copies(), "copy", "copies");
}

std::string kindOf(const abi::CheckpointTensor &tensor) {
  if (!tensor.state_of().empty())
    return "optimizer state";
  return tensor.state() ? "statistic" : tensor.trainable() ? "parameter" : "frozen parameter";
}

/// "4 of 128x784", or "2 of several shapes".
std::string blocksText(const abi::CheckpointTensor &tensor) {
  if (tensor.blocks().empty())
    return "none";
  std::string shape = shapeText(tensor.blocks(0).shape());
  for (const abi::CheckpointBlock &block : tensor.blocks())
    if (shapeText(block.shape()) != shape)
      shape = "several shapes";
  return llvm::formatv("{0} of {1}", tensor.blocks_size(), shape);
}

class CheckpointSubcommand : public Subcommand {
public:
  CheckpointSubcommand()
      : Subcommand("checkpoint", "lists, shows, verifies or converts checkpoints"),
        action(cl::Positional, cl::desc("list|show|verify|convert"), cl::sub(command)),
        path(cl::Positional, cl::desc("PATH"), cl::sub(command)),
        output("o",
               cl::desc("output of convert: a .safetensors file, or the folder of a checkpoint if "
                        "PATH is a .safetensors file or MindSpore's"),
               cl::value_desc("path"), cl::sub(command)),
        strategies("strategy",
                   cl::desc("convert: MindSpore's strategy file of each pipeline stage, for a PATH "
                            "with a folder rank_N for each rank"),
                   cl::value_desc("file,..."), cl::CommaSeparated, cl::sub(command)),
        withStates("optimizer-states",
                   cl::desc("convert: write optimizer states, too, under torch's names"),
                   cl::sub(command)),
        format(command) {}

  ExitCode run() override {
    if (path.empty())
      return cli::fail(BadUsage, "expected 'list', 'show', 'verify' or 'convert', then a path");
    for (const cl::Option *option : convertOptions)
      if (action != "convert" && option->getNumOccurrences())
        return cli::fail(BadUsage,
                         "'" + spell(*option) + "': expected 'convert', got '" + action + "'");
    if (action == "list")
      return list();
    if (action == "show")
      return show();
    if (action == "verify")
      return verify();
    if (action == "convert")
      return convert();
    return cli::fail(BadUsage,
                     "expected 'list', 'show', 'verify' or 'convert', got '" + action + "'");
  }

private:
  static std::string spell(const cl::Option &option) {
    return (option.ArgStr.size() == 1 ? "-" : "--") + option.ArgStr.str();
  }

  ExitCode list() const {
    auto entries = readFolder();
    if (!entries)
      return fail(entries.status());
    Rows rows = {{"checkpoint", "position", "layout", "size"}};
    llvm::json::Array values;
    for (const runtime::CheckpointEntry &entry : *entries) {
      auto manifest = entry.isComplete ? runtime::readManifest(entry.path)
                                       : abi::Status::badInput("unfinished");
      bool isGood = bool(manifest);
      rows.push_back({entry.path, isGood ? positionText(*manifest) : "unfinished",
                      isGood ? layoutText(*manifest) : "-",
                      isGood ? megabytes(bytesOf(*manifest)) : "-"});
      if (entry.isComplete && !isGood)
        rows.back()[1] = "damaged";
      values.push_back(llvm::json::Object{
          {"path", entry.path}, {"step", entry.step}, {"state", stateOf(entry, isGood)}});
    }
    if (format.isJson())
      printJson(std::move(values));
    else
      printColumns(rows);
    return Success;
  }

  static llvm::StringRef stateOf(const runtime::CheckpointEntry &entry, bool isGood) {
    return isGood ? "complete" : entry.isComplete ? "damaged" : "unfinished";
  }

  /// Lists the checkpoints of the folder; the path of a single checkpoint is an error, too.
  abi::Expected<std::vector<runtime::CheckpointEntry>> readFolder() const {
    auto entries = runtime::listCheckpoints(path);
    if (entries && entries->empty())
      return abi::Status::badInput(
          path + ": expected a folder of checkpoints, got " +
          (runtime::fileExists(path) ? "no checkpoints in it" : "no such folder"));
    return entries;
  }

  ExitCode show() const {
    auto found = runtime::findCheckpoint(path);
    if (!found)
      return fail(found.status());
    auto manifest = runtime::readManifest(*found);
    if (!manifest)
      return fail(manifest.status());
    if (format.isJson())
      return printMessage(*manifest);
    printFacts(*found, *manifest);
    Rows rows = {{"tensor", "kind", "type", "shape", "blocks"}};
    for (const abi::CheckpointTensor &tensor : manifest->tensors())
      rows.push_back({tensor.name(), kindOf(tensor), std::string(abi::elementName(tensor.type())),
                      shapeText(tensor.shape()), blocksText(tensor)});
    printColumns(rows);
    return Success;
  }

  static ExitCode printMessage(const abi::CheckpointManifest &manifest) {
    google::protobuf::util::JsonPrintOptions options;
    options.add_whitespace = true;
    options.preserve_proto_field_names = true;
    std::string text;
    (void)google::protobuf::util::MessageToJsonString(manifest, &text, options); // fits always
    llvm::outs() << text;
    llvm::outs().flush();
    return Success;
  }

  static void printFacts(const std::string &found, const abi::CheckpointManifest &manifest) {
    llvm::outs() << llvm::formatv("'{0}', written by pcc {1}\n", found, manifest.pcc_version())
                 << llvm::formatv("after step {0}: {1}\n", manifest.step(), positionText(manifest));
    if (const abi::DataPosition &data = manifest.data(); manifest.has_data())
      llvm::outs() << llvm::formatv(
          "data '{0}' in batches of {1} rows, {2}, seed {3}\n", data.name(), data.batch_rows(),
          data.shuffle() ? "shuffled" : "in their own order", data.seed());
    if (manifest.has_data())
      llvm::outs() << "layout: " << layoutText(manifest) << "\n";
    llvm::outs() << count(uint64_t(manifest.shards_size()), "file", "files") << ", "
                 << megabytes(bytesOf(manifest)) << "\n";
  }

  /// Checks one checkpoint, or all complete ones of a folder.
  ExitCode verify() const {
    std::vector<std::string> paths;
    if (runtime::fileExists(path + "/" + runtime::manifestName)) {
      paths.push_back(path);
    } else {
      auto entries = readFolder();
      if (!entries)
        return fail(entries.status());
      for (const runtime::CheckpointEntry &entry : *entries)
        if (entry.isComplete)
          paths.push_back(entry.path);
        else
          llvm::outs() << llvm::formatv("'{0}': unfinished, not checked\n", entry.path);
    }
    ExitCode code = Success;
    for (const std::string &each : paths)
      if (ExitCode wrong = verifyOne(each))
        code = wrong;
    return code;
  }

  static ExitCode verifyOne(const std::string &folder) {
    auto manifest = runtime::readManifest(folder);
    if (!manifest)
      return fail(manifest.status());
    int whole = 0;
    for (const abi::CheckpointShard &shard : manifest->shards()) {
      abi::Status status = runtime::verifyShard(folder, shard);
      whole += status.ok();
      if (!status.ok())
        fail(status);
    }
    llvm::outs() << llvm::formatv("'{0}': {1} of {2} files are whole, {3}\n", folder, whole,
                                  manifest->shards_size(), megabytes(bytesOf(*manifest)));
    llvm::outs().flush();
    return whole == manifest->shards_size() ? Success : BadInput;
  }

  ExitCode convert() const {
    if (output.empty())
      return cli::fail(BadUsage, "expected '-o' with a .safetensors file, or with the folder of a "
                                 "checkpoint if a file is converted");
    return convertCheckpoint({path, output, {strategies.begin(), strategies.end()}, withStates});
  }

  cl::opt<std::string> action, path, output;
  cl::list<std::string> strategies;
  cl::opt<bool> withStates;
  const std::array<const cl::Option *, 3> convertOptions = {
      std::addressof(output), std::addressof(strategies), std::addressof(withStates)};
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeCheckpointSubcommand() {
  return std::make_unique<CheckpointSubcommand>();
}
