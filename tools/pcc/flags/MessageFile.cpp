// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the text before protobuf parses it, because protobuf accepts neither abbreviated
// enumeration values nor aliases, former names or lists for strings. The rewriting scans words,
// without a grammar, and keeps line numbers.
#include "tools/pcc/flags/MessageFile.h"

#include "compiler/import/files/Nesting.h"
#include "tools/pcc/flags/FieldNames.h"
#include "tools/pcc/report/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <optional>

using namespace pcc::cli;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

/// Prints "FILE:LINE:COLUMN: error: MESSAGE" for the place `offset` bytes into `text`.
static void printError(llvm::StringRef path, llvm::StringRef text, size_t offset,
                       const llvm::Twine &message) {
  llvm::StringRef before = text.take_front(offset);
  size_t line = before.count('\n') + 1, column = offset - (before.rfind('\n') + 1) + 1;
  llvm::errs() << path << ":" << line << ":" << column << ": error: " << message << "\n";
}

/// Returns the length of a list `[20, [35]]` at the beginning of `text`, up to its last bracket; 0
/// if there is no list.
static size_t measureList(llvm::StringRef text) {
  int depth = 0;
  for (auto [index, c] : llvm::enumerate(text)) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth <= 0)
      return c == ']' ? index + 1 : 0;
  }
  return 0;
}

/// Returns a list of numbers as the text of the string field `name`: `[20,35]`, or nested tuples
/// `((8,1),(8))` for a dataset strategy.
static std::string spellOutList(llvm::StringRef name, llvm::StringRef list) {
  std::string text = list.str();
  if (name == "dataset_strategy") {
    llvm::replace(text, '[', '(');
    llvm::replace(text, ']', ')');
  }
  llvm::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return "\"" + text + "\"";
}

/// Returns the position of the value if `end` is the end of a name that a colon follows, maybe
/// behind its quote; npos for other words.
static size_t findValue(llvm::StringRef text, size_t end) {
  llvm::StringRef rest = text.substr(end);
  rest.consume_front("\"");
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return llvm::StringRef::npos;
  return text.size() - rest.ltrim().size();
}

/// Returns the length of a list that is given for the string field `field`, from `value` on; 0 for
/// other fields and values.
static size_t measureListOf(const FieldDescriptor *field, llvm::StringRef text, size_t value) {
  bool isText = field && field->type() == FieldDescriptor::TYPE_STRING && !field->is_repeated();
  return isText && value < text.size() ? measureList(text.substr(value)) : 0;
}

/// Replaces every word that abbreviates a value of an enumeration field of `message` by its full
/// name, and aliases and former names by present ones. A list of numbers as the value of a string
/// field becomes its text. Returns nothing after an error. A longer name moves only later words of
/// its own line, so that later errors keep their line numbers.
static std::optional<std::string> spellOutEnums(llvm::StringRef path, llvm::StringRef text,
                                                const google::protobuf::Descriptor *message) {
  std::string result;
  const FieldDescriptor *awaited = nullptr; // set after the name of such a field, until its value
  auto isPartOfWord = [&](char c) { return llvm::isAlnum(c) || c == '_' || (awaited && c == '-'); };
  for (size_t begin = 0; begin < text.size();) {
    if (text[begin] == '#') { // a comment, to the end of its line
      size_t end = std::min(text.find('\n', begin), text.size());
      result += text.slice(begin, end);
      begin = end;
      continue;
    }
    size_t end = std::min(text.find_if_not(isPartOfWord, begin), text.size());
    bool isWord = end > begin;
    llvm::StringRef word = text.slice(begin, std::max(end, begin + 1));
    if (awaited && isWord && !llvm::all_of(word, llvm::isDigit)) {
      const EnumValueDescriptor *value = findEnumValue(awaited->enum_type(), word);
      if (!value) {
        printError(path, text, begin,
                   "'" + awaited->name() + "': expected " + enumValueNames(awaited->enum_type()) +
                       ", got '" + word + "'");
        return std::nullopt;
      }
      result += value->name();
    } else {
      bool isName = findValue(text, end) != llvm::StringRef::npos ||
                    text.substr(end).ltrim().starts_with("{");
      word = isWord && isName ? resolveFieldName(message, word) : word;
      result += word;
    }
    begin = std::max(end, begin + 1);
    if (!isWord)
      continue;
    const FieldDescriptor *field = message->FindFieldByName(word.str());
    awaited = field && field->type() == FieldDescriptor::TYPE_ENUM ? field : nullptr;
    size_t value = findValue(text, end);
    if (size_t length = measureListOf(field, text, value)) {
      result += text.slice(begin, value);
      result += spellOutList(word, text.substr(value, length));
      begin = value + length;
    }
  }
  return result;
}

/// Returns protobuf's error about a text of type `type`. An unknown field is told by the fields
/// with a similar name.
static std::string describeTextError(llvm::StringRef message,
                                     const google::protobuf::Descriptor *type) {
  llvm::StringRef word = message;
  std::string start = "Message type \"" + type->full_name() + "\" has no field named \"";
  return word.consume_front(start) ? describeUnknownField(type, word.split('"').first)
                                   : message.str();
}

namespace {
/// Prints the first error of the text form as FILE:LINE:COLUMN.
class TextErrorPrinter : public google::protobuf::io::ErrorCollector {
public:
  TextErrorPrinter(llvm::StringRef path, const google::protobuf::Descriptor *type)
      : path(path), type(type) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string &message) override {
    if (!found)
      llvm::errs() << path << ":" << line + 1 << ":" << column + 1
                   << ": error: " << describeTextError(message, type) << "\n";
    found = true;
  }

private:
  llvm::StringRef path;
  const google::protobuf::Descriptor *type;
  bool found = false;
};
} // namespace

static ExitCode readJson(llvm::StringRef path, llvm::StringRef text,
                         google::protobuf::Message &message) {
  // LLVM's parser locates text that is not JSON; protobuf's parser names fields that the message
  // lacks.
  if (auto parsed = pcc::import::parseJson(text); !parsed) {
    // [LINE:COLUMN, byte=OFFSET]: REASON
    std::string text = llvm::toString(parsed.takeError());
    auto [place, reason] = llvm::StringRef(text).split("]: ");
    llvm::errs() << path << ":" << place.ltrim('[').split(',').first << ": error: " << reason
                 << "\n";
    return BadInput;
  }
  std::optional<std::string> spelled = spellOutEnums(path, text, message.GetDescriptor());
  if (!spelled)
    return BadInput;
  auto status = google::protobuf::util::JsonStringToMessage(*spelled, &message);
  if (status.ok())
    return Success;
  return fail(BadInput, path + ": " + status.message().as_string());
}

static bool isYaml(llvm::StringRef path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool pcc::cli::hasMessageSuffix(llvm::StringRef path) {
  return path.ends_with(".textproto") || path.ends_with(".json") || isYaml(path);
}

bool pcc::cli::isOptionsModel(llvm::StringRef path) {
  return hasMessageSuffix(path) && !path.ends_with(".json");
}

static ExitCode readText(llvm::StringRef path, llvm::StringRef text,
                         google::protobuf::Message &message,
                         google::protobuf::TextFormat::ParseInfoTree *places) {
  std::optional<std::string> spelled = spellOutEnums(path, text, message.GetDescriptor());
  if (!spelled)
    return BadInput;
  TextErrorPrinter errors(path, message.GetDescriptor());
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(places);
  return parser.ParseFromString(*spelled, &message) ? Success : BadInput;
}

ExitCode pcc::cli::readMessageFile(llvm::StringRef path, google::protobuf::Message &message,
                                   google::protobuf::TextFormat::ParseInfoTree *places) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail(BadInput, "'" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  if (path.ends_with(".json"))
    return readJson(path, text, message);
  if (!isYaml(path))
    return readText(path, text, message, places);
  std::optional<std::string> rewritten = rewriteYaml(path, text, message.GetDescriptor());
  return rewritten ? readText(path, *rewritten, message, places) : BadInput;
}
