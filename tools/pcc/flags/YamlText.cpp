// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's parser reads a document forward only, so every node is written when it is reached.
#include "tools/pcc/flags/MessageFile.h"

#include "compiler/import/files/Nesting.h"
#include "tools/pcc/flags/FieldNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "llvm/Support/raw_ostream.h"

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using llvm::dyn_cast;
using llvm::isa;
namespace yaml = llvm::yaml;

namespace {

/// Returns the text of a scalar without quotes and escapes; nothing for other nodes.
std::optional<std::string> readScalar(const yaml::Node *node) {
  llvm::SmallString<64> storage;
  if (auto *scalar = dyn_cast<yaml::ScalarNode>(node))
    return scalar->getValue(storage).str();
  if (auto *block = dyn_cast<yaml::BlockScalarNode>(node))
    return block->getValue().str();
  return std::nullopt;
}

/// Returns whether a key has no value: `key:`, `key: ~` or `key: null`.
bool isNull(const yaml::Node *node) {
  auto *scalar = dyn_cast<yaml::ScalarNode>(node);
  return isa<yaml::NullNode>(node) ||
         (scalar && llvm::is_contained({"~", "null", "Null", "NULL"}, scalar->getRawValue()));
}

/// "a list", for messages.
llvm::StringRef describe(const yaml::Node *node) {
  return isa<yaml::MappingNode>(node)    ? "a mapping"
         : isa<yaml::SequenceNode>(node) ? "a list"
         : isa<yaml::AliasNode>(node)    ? "an alias"
         : isNull(node)                  ? "nothing"
                                         : "a single value";
}

/// Describes one value of a field, for messages.
llvm::StringRef describe(const FieldDescriptor *field) {
  return field->message_type()                           ? "a mapping"
         : field->type() == FieldDescriptor::TYPE_STRING ? "a text"
                                                         : "a single value";
}

class YamlRewriter {
public:
  YamlRewriter(llvm::StringRef path, llvm::StringRef text) : path(path), text(text) {
    sources.setDiagHandler(printDiagnostic, this);
  }

  /// Returns the text form, or nothing after an error.
  std::optional<std::string> rewrite(const Descriptor *type) {
    yaml::Stream stream(text, sources);
    yaml::document_iterator document = stream.begin();
    yaml::Node *root = document == stream.end() ? nullptr : document->getRoot();
    if (root && writeDocument(*root, type) && ++document != stream.end())
      if (yaml::Node *second = document->getRoot())
        refuse(second, "expected one document, got more");
    return hasFailed || stream.failed() ? std::nullopt : std::optional(std::move(result));
  }

private:
  /// Prints the first error of the parser or of this class as FILE:LINE:COLUMN.
  static void printDiagnostic(const llvm::SMDiagnostic &diagnostic, void *context) {
    auto *self = static_cast<YamlRewriter *>(context);
    if (!self->hasFailed)
      llvm::errs() << self->path << ":" << diagnostic.getLineNo() << ":"
                   << diagnostic.getColumnNo() + 1 << ": error: " << diagnostic.getMessage()
                   << "\n";
    self->hasFailed = true;
  }

  bool refuse(const yaml::Node *node, const llvm::Twine &message) {
    sources.PrintMessage(node->getSourceRange().Start, llvm::SourceMgr::DK_Error, message);
    return false;
  }

  bool refuseKind(const yaml::Node *node, llvm::StringRef key, const llvm::Twine &expected) {
    return refuse(node, "'" + key + "': expected " + expected + ", got " + describe(node));
  }

  /// Appends line breaks and blanks until the result ends where `node` begins in the source. If
  /// that column is passed already, `node` follows a blank.
  void moveTo(const yaml::Node *node) {
    const char *begin = node->getSourceRange().Start.getPointer();
    for (; source < begin; ++source)
      if (*source == '\n') {
        result += '\n';
        sourceLine = source + 1;
        resultLine = result.size();
      }
    size_t column = begin - std::min(begin, sourceLine), written = result.size() - resultLine;
    if (written < column)
      result.append(column - written, ' ');
    else if (written && !llvm::StringRef(result).ends_with(" "))
      result += ' ';
  }

  bool writeDocument(yaml::Node &root, const Descriptor *type) {
    if (isNull(&root))
      return true;
    auto *mapping = dyn_cast<yaml::MappingNode>(&root);
    return mapping ? writeMapping(*mapping, type)
                   : refuse(&root, "expected lines 'option: value', got " + describe(&root));
  }

  bool writeMapping(yaml::MappingNode &mapping, const Descriptor *type) {
    if (++depth > pcc::import::maxNesting)
      return refuse(&mapping, pcc::import::nestingError);
    for (yaml::KeyValueNode &entry : mapping) {
      yaml::Node *key = entry.getKey();
      std::optional<std::string> name = key ? readScalar(key) : std::nullopt;
      if (!name || name->empty() || !llvm::all_of(*name, isNameLetter))
        return !hasFailed && key && refuse(key, "expected the name of an option");
      yaml::Node *value = entry.getValue();
      if (!value || !writeEntry(*key, *name, value, type))
        return false;
    }
    --depth;
    return !hasFailed;
  }

  static bool isNameLetter(char c) { return llvm::isAlnum(c) || c == '_'; }

  bool writeEntry(const yaml::Node &key, llvm::StringRef name, yaml::Node *value,
                  const Descriptor *type) {
    const FieldDescriptor *field =
        type->FindFieldByName(pcc::cli::resolveFieldName(type, name).str());
    if (!field)
      return refuse(&key, pcc::cli::describeUnknownField(type, name));
    if (isNull(value))
      return true;
    moveTo(&key);
    auto *mapping = dyn_cast<yaml::MappingNode>(value);
    bool isText = field->type() == FieldDescriptor::TYPE_STRING;
    if (mapping && field->is_repeated() && isText)
      return writePairs(*mapping, name);
    auto *list = dyn_cast<yaml::SequenceNode>(value);
    if (list && field->is_repeated())
      return writeElements(*list, name, field);
    if (list && isText) {
      result += name.str() + ": ";
      return writeList(*list, name);
    }
    return writeValue(value, name, field);
  }

  /// Writes one value of `field`: a message or a scalar.
  bool writeValue(yaml::Node *value, llvm::StringRef name, const FieldDescriptor *field) {
    if (const Descriptor *type = field->message_type()) {
      auto *mapping = dyn_cast<yaml::MappingNode>(value);
      if (!mapping)
        return refuseKind(value, name, describe(field));
      result += name.str() + " {";
      bool isWritten = writeMapping(*mapping, type);
      result += " }";
      return isWritten;
    }
    std::optional<std::string> scalar = readScalar(value);
    if (!scalar || isNull(value))
      return !hasFailed && refuseKind(value, name, describe(field));
    result += name.str() + ": ";
    moveTo(value);
    result += spell(*scalar, field);
    return true;
  }

  /// Returns a scalar as the text form spells it.
  static std::string spell(llvm::StringRef scalar, const FieldDescriptor *field) {
    if (field->type() == FieldDescriptor::TYPE_BOOL)
      if (std::optional<bool> value = yaml::parseBool(scalar))
        return *value ? "true" : "false";
    return field->type() == FieldDescriptor::TYPE_STRING || !isWord(scalar) ? quote(scalar)
                                                                            : scalar.str();
  }

  /// Returns whether `scalar` stays one word without quotes.
  static bool isWord(llvm::StringRef scalar) {
    return !scalar.empty() && llvm::all_of(scalar, [](char c) {
      return isNameLetter(c) || c == '.' || c == '-' || c == '+';
    });
  }

  static std::string quote(llvm::StringRef scalar) {
    std::string quoted;
    llvm::raw_string_ostream stream(quoted);
    stream << '"';
    stream.write_escaped(scalar) << '"';
    return quoted;
  }

  /// Writes the values of a repeated field.
  bool writeElements(yaml::SequenceNode &list, llvm::StringRef name, const FieldDescriptor *field) {
    for (yaml::Node &element : list) {
      result += ' ';
      if (!writeValue(&element, name, field))
        return false;
    }
    return !hasFailed;
  }

  /// Writes `{B: 8, T: 128}` as the texts "B=8" and "T=128".
  bool writePairs(yaml::MappingNode &mapping, llvm::StringRef name) {
    for (yaml::KeyValueNode &entry : mapping) {
      yaml::Node *key = entry.getKey(), *value = key ? entry.getValue() : nullptr;
      if (!value)
        return false;
      std::optional<std::string> left = readScalar(key), right = readScalar(value);
      if (!left || !right)
        return !hasFailed && refuseKind(left ? value : key, name, "a text");
      result += ' ' + name.str() + ": " + quote(*left + "=" + *right);
    }
    return !hasFailed;
  }

  /// Writes `[20, [35]]`, which is a text in brackets.
  bool writeList(yaml::SequenceNode &list, llvm::StringRef name) {
    if (++depth > pcc::import::maxNesting)
      return refuse(&list, pcc::import::nestingError);
    result += '[';
    bool isFirst = true;
    for (yaml::Node &element : list) {
      result += isFirst ? "" : ", ";
      isFirst = false;
      std::optional<std::string> scalar = readScalar(&element);
      auto *inner = dyn_cast<yaml::SequenceNode>(&element);
      if (inner ? !writeList(*inner, name) : !scalar || !isWord(*scalar))
        return !hasFailed && refuse(&element, "'" + name + "': expected a list of numbers, got " +
                                                  describe(&element) + " in it");
      if (!inner)
        result += *scalar;
    }
    result += ']';
    --depth;
    return !hasFailed;
  }

  llvm::StringRef path, text;
  llvm::SourceMgr sources;
  const char *source = text.begin(); ///< line breaks before it are in the result
  const char *sourceLine = text.begin();
  std::string result;
  size_t resultLine = 0; ///< where its last line begins
  int depth = 0;
  bool hasFailed = false;
};

} // namespace

std::optional<std::string> pcc::cli::rewriteYaml(llvm::StringRef path, llvm::StringRef text,
                                                 const Descriptor *type) {
  return YamlRewriter(path, text).rewrite(type);
}
