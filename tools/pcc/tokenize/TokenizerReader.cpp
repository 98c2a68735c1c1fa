// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tokenizer.json, and refuses every setting that would change the tokens and is not
// supported. Truncation, padding, post processor and decoder do not matter here.

#include "compiler/import/files/Nesting.h"
#include "runtime/abi/files/WholeFile.h"
#include "tools/pcc/tokenize/Tokenizer.h"
#include "llvm/Support/FormatVariadic.h"

namespace pcc::tokenize {

namespace json = llvm::json;
using abi::Status;

namespace {

/// The pattern of ByteLevel (tokenizers/src/pre_tokenizers/byte_level.rs), which is GPT-2's.
constexpr llvm::StringLiteral byteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

template <typename... Arguments> Status refuse(const char *format, Arguments &&...arguments) {
  return Status::badInput(llvm::formatv(format, std::forward<Arguments>(arguments)...));
}

/// Returns the text of a value for a diagnostic, at most 80 letters.
std::string textOf(const json::Value *value) {
  std::string text = value ? llvm::formatv("{0}", *value).str() : "nothing";
  return text.size() > 80 ? text.substr(0, 77) + "..." : text;
}

bool isNull(const json::Value *value) { return !value || value->kind() == json::Value::Null; }

/// Whether a switch is on; absent ones have a default.
bool isOn(const json::Object &object, llvm::StringRef key, bool byDefault = false) {
  return object.getBoolean(key).value_or(byDefault);
}

llvm::StringRef typeOf(const json::Object &object) {
  return object.getString("type").value_or("no type");
}

} // namespace

class TokenizerReader {
public:
  explicit TokenizerReader(const json::Object &file) : file(file) {}

  abi::Expected<Tokenizer> read() {
    Status status = readModel();
    if (status.ok())
      status = readAddedTokens();
    if (const json::Value *step = file.get("normalizer"); status.ok() && !isNull(step))
      status = readSteps(*step, "normalizer", "normalizers", &TokenizerReader::readNormalizer);
    if (const json::Value *step = file.get("pre_tokenizer"); status.ok() && !isNull(step))
      status =
          readSteps(*step, "pre_tokenizer", "pretokenizers", &TokenizerReader::readPreTokenizer);
    if (!status.ok())
      return status;
    if (!isByteLevel)
      return refuse("pre_tokenizer: expected ByteLevel, got {0}; only byte-level BPE is supported",
                    textOf(file.get("pre_tokenizer")));
    return std::move(tokenizer);
  }

private:
  using ReadStep = Status (TokenizerReader::*)(const json::Object &);

  /// Reads a step, or the steps of a Sequence.
  Status readSteps(const json::Value &step, llvm::StringRef kind, llvm::StringRef list,
                   ReadStep readStep) {
    const json::Object *object = step.getAsObject();
    if (!object)
      return refuse("{0}: expected an object, got {1}", kind, textOf(&step));
    if (typeOf(*object) != "Sequence")
      return (this->*readStep)(*object);
    const json::Array *steps = object->getArray(list);
    if (!steps)
      return refuse("{0}: expected a list '{1}', got {2}", kind, list, textOf(object->get(list)));
    for (const json::Value &each : *steps)
      if (Status status = readSteps(each, kind, list, readStep); !status.ok())
        return status;
    return {};
  }

  Status readNormalizer(const json::Object &step) {
    llvm::StringRef type = typeOf(step);
    if (type != "NFC" && type != "NFD" && type != "NFKC" && type != "NFKD")
      return refuse("normalizer: expected NFC, NFD, NFKC or NFKD, got {0}", type);
    tokenizer.normalForms.push_back(type.str());
    return {};
  }

  Status readPreTokenizer(const json::Object &step) {
    llvm::StringRef type = typeOf(step);
    if (isByteLevel)
      return refuse("pre_tokenizer: expected ByteLevel as the last one, got {0} after it", type);
    if (type == "Split")
      return readSplit(step);
    if (type == "Digits")
      return addSplit(isOn(step, "individual_digits") ? "\\p{N}" : "\\p{N}+");
    if (type != "ByteLevel")
      return refuse("pre_tokenizer: expected ByteLevel, Split or Digits, got {0}", type);
    isByteLevel = true;
    tokenizer.addsPrefixSpace = isOn(step, "add_prefix_space", /*byDefault=*/true);
    if (tokenizer.addsPrefixSpace && !tokenizer.splits.empty())
      return refuse("pre_tokenizer: expected ByteLevel without 'add_prefix_space' behind other "
                    "pre-tokenizers");
    return isOn(step, "use_regex", /*byDefault=*/true) ? addSplit(byteLevelPattern) : Status();
  }

  Status readSplit(const json::Object &step) {
    const json::Object *pattern = step.getObject("pattern");
    auto regex = pattern ? pattern->getString("Regex") : std::nullopt;
    auto literal = pattern ? pattern->getString("String") : std::nullopt;
    if (!regex && !literal)
      return refuse("pre_tokenizer: Split: expected a pattern 'Regex' or 'String', got {0}",
                    textOf(step.get("pattern")));
    llvm::StringRef behavior = step.getString("behavior").value_or("none");
    bool inverts = isOn(step, "invert");
    // An inverted removal keeps the matches alone.
    if (!(behavior == "Isolated" && !inverts) && !(behavior == "Removed" && inverts))
      return refuse("pre_tokenizer: Split: expected the behavior Isolated, or Removed with "
                    "'invert', got {0}{1}",
                    behavior, inverts ? " with 'invert'" : "");
    return addSplit(regex ? *regex : *literal, !regex, /*keepsGaps=*/!inverts);
  }

  Status addSplit(llvm::StringRef text, bool isLiteral = false, bool keepsGaps = true) {
    abi::Expected<Pattern> pattern = Pattern::compile(text, isLiteral);
    if (!pattern)
      return std::move(pattern.status()).within("pre_tokenizer");
    tokenizer.splits.push_back({std::move(*pattern), keepsGaps});
    return {};
  }

  Status readModel() {
    const json::Object *model = file.getObject("model");
    if (!model)
      return refuse("expected an object 'model', got {0}", textOf(file.get("model")));
    if (llvm::StringRef type = model->getString("type").value_or("BPE"); type != "BPE")
      return refuse("model: expected the type BPE, got {0}", type);
    for (const char *key : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!isNull(model->get(key)) && model->getString(key) != "")
        return refuse("model: expected no '{0}', got {1}", key, textOf(model->get(key)));
    if (!isNull(model->get("dropout")) && model->getNumber("dropout") != 0.0)
      return refuse("model: expected no 'dropout', got {0}", textOf(model->get("dropout")));
    if (isOn(*model, "byte_fallback"))
      return refuse("model: expected no 'byte_fallback', got true");
    if (isOn(*model, "ignore_merges"))
      tokenizer.pairs.ignoreMerges();
    Status status = readVocabulary(*model);
    return status.ok() ? readMerges(*model) : status;
  }

  Status addId(const json::Value &value, llvm::StringRef name, uint32_t &id) {
    std::optional<int64_t> number = value.getAsInteger();
    if (!number || *number < 0 || *number > INT32_MAX)
      return refuse("expected a number from 0 to 2147483647 for the token {0}, got {1}",
                    textOf(std::make_unique<json::Value>(json::fixUTF8(name)).get()),
                    textOf(&value));
    id = uint32_t(*number);
    tokenizer.greatestToken = std::max(tokenizer.greatestToken, id);
    return {};
  }

  Status readVocabulary(const json::Object &model) {
    const json::Object *vocabulary = model.getObject("vocab");
    if (!vocabulary)
      return refuse("model: expected an object 'vocab', got {0}", textOf(model.get("vocab")));
    for (const auto &[name, value] : *vocabulary) {
      uint32_t id = 0;
      if (Status status = addId(value, name, id); !status.ok())
        return status;
      tokenizer.pairs.addToken(name, id);
    }
    return {};
  }

  /// Reads merges of both forms, "a b" and ["a", "b"].
  Status readMerges(const json::Object &model) {
    const json::Array *merges = model.getArray("merges");
    if (!merges)
      return refuse("model: expected a list 'merges', got {0}", textOf(model.get("merges")));
    for (const json::Value &merge : *merges) {
      llvm::StringRef left, right;
      if (auto text = merge.getAsString()) {
        std::tie(left, right) = text->split(' ');
      } else if (const json::Array *pair = merge.getAsArray(); pair && pair->size() == 2) {
        left = (*pair)[0].getAsString().value_or("");
        right = (*pair)[1].getAsString().value_or("");
      }
      if (left.empty() || right.empty())
        return refuse("model: expected a merge of two tokens, got {0}", textOf(&merge));
      if (!tokenizer.pairs.addMerge(left, right))
        return refuse("model: expected a merge of tokens of 'vocab' to one of them, got {0}",
                      textOf(&merge));
    }
    return {};
  }

  Status readAddedTokens() {
    const json::Array *list = file.getArray("added_tokens");
    if (!list)
      return {};
    for (const json::Value &value : *list) {
      const json::Object *token = value.getAsObject();
      auto content = token ? token->getString("content") : std::nullopt;
      const json::Value *id = token ? token->get("id") : nullptr;
      if (!content || content->empty() || !id)
        return refuse("added_tokens: expected an object with 'id' and 'content', got {0}",
                      textOf(&value));
      for (const char *key : {"single_word", "lstrip", "rstrip"})
        if (isOn(*token, key))
          return refuse("added_tokens: expected no '{0}', got it for '{1}'", key, *content);
      AddedToken own{content->str(), 0, isOn(*token, "normalized")};
      if (Status status = addId(*id, *content, own.id); !status.ok())
        return status;
      tokenizer.added[uint8_t(own.text.front())].push_back(std::move(own));
    }
    for (std::vector<AddedToken> &tokens : tokenizer.added)
      llvm::stable_sort(tokens, [](const AddedToken &a, const AddedToken &b) {
        return a.text.size() > b.text.size();
      });
    return {};
  }

  const json::Object &file;
  Tokenizer tokenizer;
  bool isByteLevel = false;
};

abi::Expected<Tokenizer> Tokenizer::read(const std::string &path) {
  abi::Expected<std::string> text = abi::readFile(path);
  if (!text)
    return text.status();
  llvm::Expected<json::Value> value = import::parseJson(*text);
  if (!value)
    return Status::badInput(path + ": " + llvm::toString(value.takeError()));
  const json::Object *file = value->getAsObject();
  if (!file)
    return Status::badInput(path + ": expected an object");
  abi::Expected<Tokenizer> tokenizer = TokenizerReader(*file).read();
  if (!tokenizer)
    return std::move(tokenizer.status()).within(path);
  return tokenizer;
}

} // namespace pcc::tokenize
