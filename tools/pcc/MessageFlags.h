// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A protobuf message of options as flags: one flag a field, of the same name with dashes. A flag
// that is given wins over what the message holds already, for example from a file.
#pragma once

#include "tools/pcc/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include <google/protobuf/message.h>
#include <memory>
#include <vector>

namespace pcc::cli {

/// What a message does not say about a field.
struct FieldInfo {
  const char *name;
  const char *help;
  /// Numbers lie in [low, high].
  double low = 0, high = 0;
  /// What an optional number or switch is when neither file nor flag sets it.
  int64_t defaultValue = 0;
};

class MessageFlags {
public:
  /// One flag for each row of `infos`, which outlives this; each names a field of `type`.
  MessageFlags(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
               llvm::ArrayRef<FieldInfo> infos);

  /// Sets the fields whose flags were given, then the defaults, then checks the ranges. Returns
  /// BadUsage for a bad flag; BadInput for a bad value that came from `file`. An error was printed
  /// then.
  ExitCode read(google::protobuf::Message &message, llvm::StringRef file = "") const;

  /// Whether the flag of a field was given.
  bool has(llvm::StringRef field) const;

  /// The name of the first flag that was given, those of the fields `except` apart; empty if none
  /// was.
  llvm::StringRef givenFlag(llvm::ArrayRef<llvm::StringRef> except) const;

private:
  struct Flag {
    FieldInfo info;
    const google::protobuf::FieldDescriptor *field;
    std::string name; ///< the option below refers to it
    llvm::cl::opt<std::string> option;

    Flag(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
         const FieldInfo &info);
  };

  std::vector<std::unique_ptr<Flag>> flags;
};

} // namespace pcc::cli
