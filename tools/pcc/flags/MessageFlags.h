// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a protobuf message of options into flags: one flag per field, with the field's name in
// dashes. A flag overrides the value of the file of options; the values of a repeated field come
// after the file's.
#pragma once

#include "runtime/abi/ConfigFields.h"
#include "tools/pcc/flags/OptionsFile.h"
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
  /// Adds one flag for each row of `infos`. Each row names a field of `type`. `infos` and `file`,
  /// which may be null, must outlive this object.
  MessageFlags(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
               std::span<const FieldInfo> infos, const OptionsFile *file = nullptr);

  /// Sets the fields of `message` from the file, then those whose flags were given, then the
  /// defaults, and checks the ranges. Returns BadUsage for a bad flag and BadInput for a bad value
  /// of the file, after an error message.
  ExitCode read(google::protobuf::Message &message) const;

  /// Returns whether a flag or the file sets a field.
  bool has(llvm::StringRef field) const;

  /// Returns the name of the first option that a flag or the file sets, in dashes, without the
  /// fields `except`; empty if there is none.
  llvm::StringRef findGiven(llvm::ArrayRef<llvm::StringRef> except = {}) const;

  /// Prints an error about the value of an option: `pcc: error: '--loss': MESSAGE`, and returns
  /// BadUsage; if it is not given as a flag but in the file, `train.textproto:3:1: error: 'loss':
  /// MESSAGE`, and returns BadInput. `name` is a field's name or the name of its flag.
  ExitCode refuse(llvm::StringRef name, const llvm::Twine &message) const;

  /// Returns the flag of a field.
  llvm::cl::Option &getFlag(llvm::StringRef field) const;

private:
  struct Flag {
    FieldInfo info;
    const google::protobuf::FieldDescriptor *field;
    std::string name; ///< `values` refers to it
    llvm::cl::list<std::string>
        values;            ///< of all occurrences; of a single value the last one counts
    std::string aliasName; ///< `alias` refers to it
    std::unique_ptr<llvm::cl::alias> alias; ///< null without another name

    Flag(llvm::cl::SubCommand &command, const google::protobuf::Descriptor *type,
         const FieldInfo &info);
    bool isGiven() const { return values.getNumOccurrences() > 0; }
  };

  /// Returns the flag of a field, by its name or that of the flag; null if there is none.
  Flag *find(llvm::StringRef name) const;
  bool isFromFile(const Flag &flag) const {
    return !flag.isGiven() && file && file->has(flag.info.name);
  }
  bool isSet(const Flag &flag) const { return flag.isGiven() || isFromFile(flag); }

  std::span<const FieldInfo> infos;
  const OptionsFile *file;
  std::vector<std::unique_ptr<Flag>> flags;
};

} // namespace pcc::cli
