// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/ParseText.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

namespace pcc::abi {
namespace {

/// Keeps the first error of the parser.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string &message) override {
    if (error.message.empty())
      error = {line + 1, column + 1, message};
  }

  TextError error;
};

} // namespace

std::optional<TextError> parseText(const std::string &text, google::protobuf::Message &message) {
  FirstError first;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&first);
  if (parser.ParseFromString(text, &message))
    return std::nullopt;
  return first.error;
}

} // namespace pcc::abi
