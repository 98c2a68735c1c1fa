// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc data: prepares data for training. Maps a file of text, which may be larger than memory if its
// lines are not.

#include "compiler/import/files/Nesting.h"
#include "runtime/abi/files/WholeFile.h"
#include "runtime/base/MappedFile.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "tools/pcc/tokenize/Tokenizer.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

ExitCode fail(const abi::Status &status) {
  return cli::fail(ExitCode(status.exitCode()), status.describe());
}

//===--- Documents of a file ---------------------------------------------===//

/// A text that is tokenized as a whole has at most as many bytes.
constexpr uint64_t maxDocumentBytes = uint64_t(1) << 30;

abi::Status checkLength(const std::string &place, size_t bytes) {
  if (bytes <= maxDocumentBytes)
    return {};
  return abi::Status::badInput(llvm::formatv(
      "{0}: expected a document of at most {1} bytes, got {2}; a .jsonl file has several documents",
      place, maxDocumentBytes, bytes));
}

/// Calls document() with the text of a line of JSON.
abi::Status readLine(const std::string &place, llvm::StringRef line, llvm::StringRef field,
                     llvm::function_ref<abi::Status(llvm::StringRef)> document) {
  if (abi::Status status = checkLength(place, line.size()); !status.ok())
    return status;
  llvm::Expected<llvm::json::Value> value = import::parseJson(line);
  if (!value)
    return abi::Status::badInput(place + ": " + llvm::toString(value.takeError()));
  const llvm::json::Object *object = value->getAsObject();
  auto text = object ? object->getString(field) : std::nullopt;
  if (!text)
    return abi::Status::badInput(
        llvm::formatv("{0}: expected an object with the string '{1}', got {2}", place, field,
                      !object              ? "no object"
                      : object->get(field) ? "another value of this name"
                                           : "none"));
  return document(*text).within(place);
}

abi::Status readLines(const runtime::MappedFile &file, llvm::StringRef content,
                      llvm::StringRef field,
                      llvm::function_ref<abi::Status(llvm::StringRef)> document) {
  for (uint64_t number = 1; !content.empty(); ++number) {
    auto [line, rest] = content.split('\n');
    std::string place = llvm::formatv("{0}:{1}", file.path(), number);
    abi::Status status;
    if (!line.trim().empty())
      status = readLine(place, line, field, document);
    // A file that has changed is the reason of any other error.
    if (abi::Status read = file.finishRead(line.size()); !read.ok())
      return read;
    if (!status.ok())
      return status;
    content = rest;
  }
  return {};
}

/// Calls document(text) for each document of a file: each line of a `.jsonl` file is an object
/// whose string `field` is a document, and any other file is one document. Texts are valid UTF-8.
/// Errors name the file, and the line or the byte; those of `document` end the reading, too.
abi::Status readDocuments(const std::string &path, llvm::StringRef field,
                          llvm::function_ref<abi::Status(llvm::StringRef)> document) {
  auto file = runtime::MappedFile::open(path);
  if (!file)
    return file.status();
  llvm::StringRef content(reinterpret_cast<const char *>((*file)->bytes().data()),
                          (*file)->bytes().size());
  if (llvm::StringRef(path).ends_with(".jsonl"))
    return readLines(**file, content, field, document);
  if (abi::Status status = checkLength(path, content.size()); !status.ok())
    return status;
  size_t wrong = 0;
  if (!llvm::json::isUTF8(content, &wrong))
    return abi::Status::badInput(
        llvm::formatv("{0}: byte {1}: expected text in UTF-8", path, wrong));
  abi::Status status = document(content).within(path);
  abi::Status read = (*file)->finishRead(content.size());
  return read.ok() ? status : read;
}

//===--- The subcommand --------------------------------------------------===//

/// Writes tokens in the narrowest of two types that holds all of a tokenizer.
class TokenWriter {
public:
  TokenWriter(abi::FileWriter file, uint32_t greatest)
      : file(std::move(file)), isWide(greatest > UINT16_MAX) {}

  /// Writes the tokens, and clears them.
  abi::Status write(std::vector<uint32_t> &tokens) {
    count += tokens.size();
    std::vector<uint16_t> narrow;
    if (!isWide)
      narrow.assign(tokens.begin(), tokens.end());
    abi::Status status =
        isWide ? file.append({reinterpret_cast<const char *>(tokens.data()), tokens.size() * 4})
               : file.append({reinterpret_cast<const char *>(narrow.data()), narrow.size() * 2});
    tokens.clear();
    return status;
  }
  abi::Status commit() { return file.commit(); }

  /// Names the file as `--data` takes it.
  std::string dataName(llvm::StringRef path) const {
    return llvm::formatv("tokens:{0}{1}", isWide ? "u32:" : "", path);
  }
  uint64_t written() const { return count; }

private:
  abi::FileWriter file;
  const bool isWide;
  uint64_t count = 0;
};

class DataSubcommand : public Subcommand {
public:
  DataSubcommand()
      : Subcommand("data", "makes token files of text"),
        action(cl::Positional, cl::desc("tokenize"), cl::sub(command)),
        paths(cl::Positional, cl::desc("FILE…"), cl::sub(command)),
        tokenizerPath("tokenizer", cl::desc("tokenizer.json of a byte-level BPE"),
                      cl::value_desc("file"), cl::sub(command)),
        endOfText("end-of-text", cl::desc("token after each document, as <|endoftext|>"),
                  cl::value_desc("token"), cl::sub(command)),
        field("field", cl::desc("field of .jsonl files that has the text (default: text)"),
              cl::value_desc("name"), cl::init("text"), cl::sub(command)),
        output("o", cl::desc("token file that is written"), cl::value_desc("file"),
               cl::sub(command)) {}

  ExitCode run() override {
    if (action != "tokenize")
      return cli::fail(BadUsage, action.empty() ? "expected 'tokenize'"
                                                : "expected 'tokenize', got '" + action + "'");
    if (paths.empty())
      return cli::fail(BadUsage, "expected a file of text");
    if (tokenizerPath.empty())
      return cli::fail(BadUsage, "expected '--tokenizer' with a tokenizer.json");
    if (output.empty())
      return cli::fail(BadUsage, "expected '-o' with the name of a token file");
    abi::Status status = tokenize();
    return status.ok() ? Success : fail(status);
  }

private:
  abi::Status tokenize() const {
    auto tokenizer = tokenize::Tokenizer::read(tokenizerPath);
    if (!tokenizer)
      return tokenizer.status();
    std::optional<uint32_t> end;
    if (endOfText.getNumOccurrences() && !(end = tokenizer->find(endOfText)))
      return abi::Status::badUsage(llvm::formatv(
          "--end-of-text: expected a token of '{0}', got '{1}'", tokenizerPath, endOfText));
    auto file = abi::FileWriter::create(output);
    if (!file)
      return file.status();
    TokenWriter writer(std::move(*file), tokenizer->greatest());
    std::vector<uint32_t> tokens;
    uint64_t documents = 0;
    for (const std::string &path : paths) {
      abi::Status status = readDocuments(path, field, [&](llvm::StringRef text) {
        abi::Status own = tokenizer->encode(text, tokens);
        if (end)
          tokens.push_back(*end);
        ++documents;
        constexpr size_t writtenAtOnce = 1 << 20;
        return own.ok() && tokens.size() >= writtenAtOnce ? writer.write(tokens) : own;
      });
      if (!status.ok())
        return status;
    }
    abi::Status status = writer.write(tokens);
    if (status.ok())
      status = writer.commit();
    if (!status.ok())
      return status;
    llvm::outs() << llvm::formatv("'{0}': {1} {2} of {3} {4}; --data={5}\n", output,
                                  writer.written(), writer.written() == 1 ? "token" : "tokens",
                                  documents, documents == 1 ? "document" : "documents",
                                  writer.dataName(output));
    llvm::outs().flush();
    return {};
  }

  cl::opt<std::string> action;
  cl::list<std::string> paths;
  cl::opt<std::string> tokenizerPath, endOfText, field, output;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeDataSubcommand() {
  return std::make_unique<DataSubcommand>();
}
