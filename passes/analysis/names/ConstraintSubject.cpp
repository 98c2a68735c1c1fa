// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the subject and compiles its pattern to a POSIX expression. LLVM's Regex does not know \d,
// \w and \s, so these are rewritten first, inside and outside of brackets.
#include "passes/analysis/names/ConstraintSubject.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;

namespace pcc::analysis {

StringRef getText(DictionaryAttr entry, StringRef key) {
  auto text = entry.getAs<StringAttr>(key);
  return text ? text.getValue() : "";
}

std::string ConstraintSubject::describe() const {
  std::string text = ("constraint \"" + pattern.getText() + "\"").str();
  return place.empty() ? text : text + " at " + place;
}

LogicalResult ConstraintSubject::refuseUnmatched(ModuleOp module, StringRef kind) const {
  return module.emitError() << describe() << " matches no " << kind;
}

static InFlightDiagnostic refuseKeys(DictionaryAttr entry, ArrayRef<SubjectKey> keys,
                                     StringRef what, ModuleOp module) {
  InFlightDiagnostic error = module.emitError() << "expected " << what << " to name one of ";
  for (auto [index, row] : llvm::enumerate(keys))
    error << (index == 0 ? "" : index + 1 == keys.size() ? " and " : ", ") << '"' << row.key << '"';
  error << ", got " << entry;
  return error;
}

FailureOr<ConstraintSubject> ConstraintSubject::read(DictionaryAttr entry,
                                                     ArrayRef<SubjectKey> keys, StringRef what,
                                                     ModuleOp module) {
  auto isGiven = [&](const SubjectKey &row) { return !getText(entry, row.key).empty(); };
  const SubjectKey *row = llvm::find_if(keys, isGiven);
  if (llvm::count_if(keys, isGiven) != 1)
    return refuseKeys(entry, keys, what, module);
  ConstraintSubject subject;
  subject.key = size_t(row - keys.begin());
  subject.pattern = NamePattern(row->kind, getText(entry, row->key));
  subject.place = getText(entry, "place");
  if (!subject.pattern.getError().empty())
    return module.emitError() << subject.describe()
                              << " is no regular expression: " << subject.pattern.getError();
  return subject;
}

using llvm::StringRef;
/// Returns the characters for which a letter after a backslash stands, as written inside brackets.
static StringRef getClass(char letter) {
  switch (letter) {
  case 'd':
    return "0-9";
  case 'w':
    return "A-Za-z0-9_";
  case 's':
    return "[:space:]";
  default:
    return "";
  }
}

/// Rewrites \d, \w and \s in `pattern`, which POSIX does not know, as POSIX writes them.
static std::string expandClasses(StringRef pattern) {
  std::string expanded;
  bool isBracket = false;
  for (size_t index = 0; index < pattern.size(); ++index) {
    char letter = pattern[index];
    StringRef inside =
        letter == '\\' && index + 1 < pattern.size() ? getClass(pattern[index + 1]) : "";
    if (!inside.empty()) {
      expanded += isBracket ? inside.str() : "[" + inside.str() + "]";
      ++index;
      continue;
    }
    expanded += letter;
    if (letter == '\\' && index + 1 < pattern.size())
      expanded += pattern[++index];
    else if (letter == '[')
      isBracket = true;
    else if (letter == ']')
      isBracket = false;
  }
  return expanded;
}

NamePattern::NamePattern(Kind kind, StringRef given) : kind(kind), text(given) {
  if (kind == Kind::Literal)
    return;
  std::string expanded = expandClasses(text);
  if (!llvm::Regex(expanded).isValid(error))
    return;
  if (kind == Kind::Part)
    expression = llvm::Regex(expanded);
  else
    expression = llvm::Regex("^(" + expanded + (kind == Kind::Leading ? ")([/.].*)?$" : ")$"));
}

bool NamePattern::matches(StringRef name) const {
  return kind == Kind::Literal ? name == text : expression.match(name);
}

StringRef NamePattern::find(StringRef name) const {
  llvm::SmallVector<StringRef, 4> found;
  if (!expression.match(name, &found))
    return "";
  return found.size() > 1 ? found[1] : found[0];
}

} // namespace pcc::analysis
