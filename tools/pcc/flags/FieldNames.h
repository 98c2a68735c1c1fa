// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of options and of their values in files: fields of protobuf messages with aliases, and
// enumeration values in any case and without their common prefix (`sum` for MICRO_SUM).
#pragma once

#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <string>

namespace pcc::cli {

/// Returns the other name under which flags and files of options accept the field `name`,
/// MindSpore's; empty if there is none.
llvm::StringRef findAlias(llvm::StringRef name);

/// Returns the name of the field of `message` that `word` names, which may be an alias or the name
/// of the previous release; `word` itself if it is neither.
llvm::StringRef resolveFieldName(const google::protobuf::Descriptor *message, llvm::StringRef word);

/// Returns the error for the name of a field that `message` lacks: "no option 'stepps'; did you
/// mean 'steps'?".
std::string describeUnknownField(const google::protobuf::Descriptor *message, llvm::StringRef word);

/// Returns the value that `text` names, or null.
const google::protobuf::EnumValueDescriptor *
findEnumValue(const google::protobuf::EnumDescriptor *type, llvm::StringRef text);

/// Returns the name of a value as a user writes it: `sum` for MICRO_SUM.
std::string shortEnumName(const google::protobuf::EnumValueDescriptor *value);

/// Lists the names of all values as a user writes them: "stand_alone, data_parallel or …".
std::string enumValueNames(const google::protobuf::EnumDescriptor *type);

} // namespace pcc::cli
