// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags for the options of ParallelConfig (runtime/abi/config.proto), and `--config FILE` for all
// of them at once. A flag overrides the file.
#pragma once

#include "runtime/abi/config.pb.h"
#include "tools/pcc/flags/MessageFlags.h"

namespace pcc::cli {

class ParallelFlags {
public:
  explicit ParallelFlags(llvm::cl::SubCommand &command);

  /// Fills `config` from the file, the flags and the defaults (all but global_rank, which has
  /// none), and checks every range. Returns BadUsage for a bad flag and BadInput for a bad file,
  /// after an error that names the flag or the place in the file.
  ExitCode read(abi::ParallelConfig &config) const;

  /// Returns whether the flag of a field was given.
  bool has(llvm::StringRef field) const { return flags.has(field); }

  /// Returns the name of a flag that was given, without the fields `except`; empty if there is
  /// none.
  llvm::StringRef givenFlag(llvm::ArrayRef<llvm::StringRef> except) const;

private:
  llvm::cl::opt<std::string> file;
  MessageFlags flags;
};

} // namespace pcc::cli
