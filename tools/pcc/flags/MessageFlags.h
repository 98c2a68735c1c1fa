// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a protobuf message of options into flags: one flag per field, with the field's name in
// dashes. A flag overrides the value that the message holds already, for example from a file.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include <google/protobuf/message.h>
#include <memory>
#include <vector>

namespace pcc::cli {

/// Properties of a field that its message does not declare.
struct FieldInfo {
  const char *name;
  const char *help;
  /// Range of a number: [low, high].
  double low = 0, high = 0;
  /// Value of an optional number or switch that neither file nor flag sets.
  int64_t defaultValue = 0;
};

class MessageFlags {
public:
  /// Adds one flag for each row of `infos`. Each row names a field of `type`; `infos` must outlive
  /// this object.
  MessageFlags(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
               llvm::ArrayRef<FieldInfo> infos);

  /// Sets the fields whose flags were given, then the defaults, then checks the ranges. Returns
  /// BadUsage for a bad flag and BadInput for a bad value from `file`, after an error message.
  ExitCode read(google::protobuf::Message &message, llvm::StringRef file = "") const;

  /// Returns whether the flag of a field was given.
  bool has(llvm::StringRef field) const;

  /// Returns the name of the first flag that was given, without the fields `except`; empty if there
  /// is none.
  llvm::StringRef givenFlag(llvm::ArrayRef<llvm::StringRef> except) const;

private:
  struct Flag {
    FieldInfo info;
    const google::protobuf::FieldDescriptor *field;
    std::string name; ///< `option` refers to it
    llvm::cl::opt<std::string> option;

    Flag(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
         const FieldInfo &info);
  };

  std::vector<std::unique_ptr<Flag>> flags;
};

} // namespace pcc::cli
