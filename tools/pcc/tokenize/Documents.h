// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the documents of text files.
#pragma once

#include "runtime/abi/Status.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace pcc::tokenize {

/// A text that is tokenized as a whole has at most as many bytes.
inline constexpr uint64_t maxDocumentBytes = uint64_t(1) << 30;

/// Calls document(text) for each document of a file: each line of a `.jsonl` file is an object
/// whose string `field` is a document, and any other file is one document. Texts are valid UTF-8.
/// Errors name the file, and the line or the byte; those of `document` end the reading, too.
abi::Status readDocuments(const std::string &path, llvm::StringRef field,
                          llvm::function_ref<abi::Status(llvm::StringRef)> document);

} // namespace pcc::tokenize
