// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps the file, which may be larger than memory if its lines are not.

#include "tools/pcc/tokenize/Documents.h"
#include "compiler/import/files/Nesting.h"
#include "runtime/base/MappedFile.h"
#include "llvm/Support/FormatVariadic.h"

namespace pcc::tokenize {
namespace {

using abi::Status;

Status checkLength(const std::string &place, size_t bytes) {
  if (bytes <= maxDocumentBytes)
    return {};
  return Status::badInput(llvm::formatv(
      "{0}: expected a document of at most {1} bytes, got {2}; a .jsonl file has several documents",
      place, maxDocumentBytes, bytes));
}

/// Calls document() with the text of a line of JSON.
Status readLine(const std::string &place, llvm::StringRef line, llvm::StringRef field,
                llvm::function_ref<Status(llvm::StringRef)> document) {
  if (Status status = checkLength(place, line.size()); !status.ok())
    return status;
  llvm::Expected<llvm::json::Value> value = import::parseJson(line);
  if (!value)
    return Status::badInput(place + ": " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  auto text = object ? object->getString(field) : std::nullopt;
  if (!text)
    return Status::badInput(llvm::formatv("{0}: expected an object with the string '{1}', got {2}",
                                          place, field,
                                          !object              ? "no object"
                                          : object->get(field) ? "another value of this name"
                                                               : "none"));
  return document(*text).within(place);
}

Status readLines(const runtime::MappedFile &file, llvm::StringRef content, llvm::StringRef field,
                 llvm::function_ref<Status(llvm::StringRef)> document) {
  for (uint64_t number = 1; !content.empty(); ++number) {
    auto [line, rest] = content.split('\n');
    std::string place = llvm::formatv("{0}:{1}", file.path(), number);
    Status status;
    if (!line.trim().empty())
      status = readLine(place, line, field, document);
    // A file that has changed is the reason of any other error.
    if (Status read = file.finishRead(line.size()); !read.ok())
      return read;
    if (!status.ok())
      return status;
    content = rest;
  }
  return {};
}

} // namespace

Status readDocuments(const std::string &path, llvm::StringRef field,
                     llvm::function_ref<Status(llvm::StringRef)> document) {
  auto file = runtime::MappedFile::open(path);
  if (!file)
    return file.status();
  llvm::StringRef content(reinterpret_cast<const char *>((*file)->bytes().data()),
                          (*file)->bytes().size());
  if (llvm::StringRef(path).ends_with(".jsonl"))
    return readLines(**file, content, field, document);
  if (Status status = checkLength(path, content.size()); !status.ok())
    return status;
  size_t wrong = 0;
  if (!llvm::json::isUTF8(content, &wrong))
    return Status::badInput(llvm::formatv("{0}: byte {1}: expected text in UTF-8", path, wrong));
  Status status = document(content).within(path);
  Status read = (*file)->finishRead(content.size());
  return read.ok() ? status : read;
}

} // namespace pcc::tokenize
