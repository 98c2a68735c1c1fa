// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc data: prepares data for training.

#include "runtime/abi/WholeFile.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "tools/pcc/tokenize/Documents.h"
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
      abi::Status status = tokenize::readDocuments(path, field, [&](llvm::StringRef text) {
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
