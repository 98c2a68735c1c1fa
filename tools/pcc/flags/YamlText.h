// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites YAML as protobuf's text form. A file of options may be YAML: keys are fields, mappings
// are messages, and a list gives a repeated field its values.
//
//   set_dim: {B: 8}          set_dim: "B=8"
//   steps: 4                 steps: 4
#pragma once

#include "llvm/ADT/StringRef.h"
#include <google/protobuf/descriptor.h>
#include <optional>
#include <string>

namespace pcc::cli {

/// Returns the YAML document `text` as the text form of a message of type `type`. Keys and single
/// values keep their lines. Enumeration values, aliases and lists for strings stay as they are
/// written. Returns nothing after an error, which is printed with `path`, line and column.
std::optional<std::string> rewriteYaml(llvm::StringRef path, llvm::StringRef text,
                                       const google::protobuf::Descriptor *type);

} // namespace pcc::cli
