// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses messages in protobuf's text format.

#pragma once

#include <google/protobuf/message.h>

#include <optional>
#include <string>

namespace pcc::abi {

/// An error of the text format and its position; lines and columns count from 1.
struct TextError {
  int line = 0, column = 0;
  std::string message;
};

/// Parses `text` into `message`. Returns the first error, or nothing.
std::optional<TextError> parseText(const std::string &text, google::protobuf::Message &message);

} // namespace pcc::abi
