// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ConstraintSubject.h"

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

} // namespace pcc::analysis
