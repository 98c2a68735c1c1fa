// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/pcc/flags/ParallelFlags.h"

#include "tools/pcc/flags/ConfigFile.h"
#include "tools/pcc/report/Output.h"
#include "llvm/Support/FormatVariadic.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

ParallelFlags::ParallelFlags(cl::SubCommand &command)
    : file("config", cl::desc("file of options: .textproto or .json"), cl::value_desc("file"),
           cl::sub(command)),
      flags(command, abi::ParallelConfig::descriptor(), abi::listParallelFields()) {}

llvm::StringRef ParallelFlags::givenFlag(llvm::ArrayRef<llvm::StringRef> except) const {
  return file.getNumOccurrences() ? file.ArgStr : flags.givenFlag(except);
}

ExitCode ParallelFlags::read(abi::ParallelConfig &config) const {
  if (!file.empty())
    if (ExitCode code = readConfigFile(file, config))
      return code;
  if (ExitCode code = flags.read(config, file))
    return code;
  if (config.global_rank() < config.device_num())
    return Success;
  std::string error =
      llvm::formatv("expected 0 to {0}, got {1}", config.device_num() - 1, config.global_rank());
  if (flags.has("global_rank") || flags.has("device_num") || file.empty())
    return fail(BadUsage, "'--global-rank': " + error);
  return fail(BadInput, file + ": 'global_rank': " + error);
}
