// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads options from files: protobuf messages in JSON if the name ends in `.json`, in YAML if it
// ends in `.yaml` or `.yml`, else in protobuf's text form.
#pragma once

#include "tools/pcc/report/ExitCode.h"
#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <optional>
#include <string>

namespace pcc::cli {

/// Returns whether `path` ends as the name of such a file: `.textproto`, `.json`, `.yaml` or
/// `.yml`.
bool hasMessageSuffix(llvm::StringRef path);

/// Returns whether MODEL is a file of options by its name: all such files but JSON, which problems
/// of the contest use.
bool isOptionsModel(llvm::StringRef path);

/// Reads `path` into `message`. Returns BadInput after an error with file, line and column.
/// `places`, if given, receives the position of each field, unless the file is JSON.
ExitCode readMessageFile(llvm::StringRef path, google::protobuf::Message &message,
                         google::protobuf::TextFormat::ParseInfoTree *places = nullptr);

//===-- YamlText.cpp --------------------------------------------------------------------------===//

// Rewrites YAML as protobuf's text form. A file of options may be YAML: keys are fields, mappings
// are messages, and a list gives a repeated field its values.
//
//   set_dim: {B: 8}          set_dim: "B=8"
//   steps: 4                 steps: 4

/// Returns the YAML document `text` as the text form of a message of type `type`. Keys and single
/// values keep their lines. Enumeration values, aliases and lists for strings stay as they are
/// written. Returns nothing after an error, which is printed with `path`, line and column.
std::optional<std::string> rewriteYaml(llvm::StringRef path, llvm::StringRef text,
                                       const google::protobuf::Descriptor *type);

} // namespace pcc::cli
