// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a protobuf message of options into flags: one flag per field, with the field's name in
// dashes. A flag overrides the value that the message holds already, for example from a file.
#pragma once

#include "runtime/abi/ConfigFields.h"
#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include <google/protobuf/message.h>
#include <memory>
#include <vector>

namespace pcc::cli {

using abi::FieldInfo;

class MessageFlags {
public:
  /// Adds one flag for each row of `infos`. Each row names a field of `type`; `infos` must outlive
  /// this object.
  MessageFlags(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
               std::span<const FieldInfo> infos);

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
    std::string aliasName;                  ///< `alias` refers to it
    std::unique_ptr<llvm::cl::alias> alias; ///< null without another name

    Flag(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
         const FieldInfo &info);
  };

  std::span<const FieldInfo> infos;
  std::vector<std::unique_ptr<Flag>> flags;
};

} // namespace pcc::cli
