// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of ParallelConfig (runtime/abi/config.proto) as flags: one flag a field, of the same name with dashes, and
// `--config FILE` for all of them at once. A flag wins over the file.
#pragma once

#include "llvm/Support/CommandLine.h"
#include "runtime/abi/config.pb.h"
#include "tools/pcc/ExitCode.h"
#include <memory>
#include <vector>

namespace pcc::cli {

/// The flags that differ from verb to verb in nothing but whom they belong to.
class ParallelFlags {
public:
  explicit ParallelFlags(llvm::cl::SubCommand &command);

  /// Fills `config` from the file, then from the flags, then with the defaults, and checks every range. Returns BadUsage
  /// for a bad flag and BadInput for a bad file, after an error that names the flag or the place in the file.
  ExitCode read(abi::ParallelConfig &config) const;

private:
  llvm::cl::opt<std::string> file;
  std::vector<std::unique_ptr<llvm::cl::opt<std::string>>> fields;
};

/// The text of `config` in one line, fields as flags: "--device-num=8 --parallel-mode=DATA_PARALLEL".
std::string describe(const abi::ParallelConfig &config);

} // namespace pcc::cli
