// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads options from files: protobuf messages in text form, or in JSON if the name ends in `.json`.
// Enumeration values may be written in any case and without their common prefix (`sum` for
// MICRO_SUM).
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/StringRef.h"
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <string>

namespace pcc::cli {

/// Reads `path` into `message`. Returns BadInput after an error with file, line and column.
/// `places`, if given, receives the position of each field of a text form.
ExitCode readMessageFile(llvm::StringRef path, google::protobuf::Message &message,
                         google::protobuf::TextFormat::ParseInfoTree *places = nullptr);

/// Returns the other name under which flags and files of options accept the field `name`,
/// MindSpore's; empty if there is none.
llvm::StringRef findAlias(llvm::StringRef name);

/// Returns the value that `text` names, or null.
const google::protobuf::EnumValueDescriptor *
findEnumValue(const google::protobuf::EnumDescriptor *type, llvm::StringRef text);

/// Returns the name of a value as a user writes it: `sum` for MICRO_SUM.
std::string shortEnumName(const google::protobuf::EnumValueDescriptor *value);

/// Lists the names of all values as a user writes them: "stand_alone, data_parallel or …".
std::string enumValueNames(const google::protobuf::EnumDescriptor *type);

} // namespace pcc::cli
