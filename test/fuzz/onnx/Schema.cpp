// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Schema.h"

#include "llvm/ADT/STLExtras.h"

using pcc::values::ElementType;

namespace pcc::fuzz {

static constexpr Schema rows[] = {
#include "test/fuzz/onnx/Schemas.inc"
};

llvm::ArrayRef<Schema> allSchemas() { return rows; }

const Schema *findSchema(llvm::StringRef name, int64_t opset) {
  const Schema *best = nullptr;
  for (const Schema &row : rows)
    if (row.name == name && row.since <= opset)
      best = &row; // rows of one operator are sorted by opset
  return best;
}

ElementType parseType(llvm::StringRef name) {
  for (ElementType type : {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I64,
                           ElementType::I32, ElementType::I8, ElementType::I1})
    if (values::stringify(type) == name)
      return type;
  llvm_unreachable("Schemas.inc lists the types of programs only");
}

static llvm::SmallVector<llvm::StringRef> words(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return parts;
}

llvm::SmallVector<ElementType> Schema::listTypes() const {
  llvm::SmallVector<ElementType> list;
  for (llvm::StringRef name : words(types))
    list.push_back(parseType(name));
  return list;
}

llvm::SmallVector<llvm::StringRef> Schema::listAttributes() const { return words(attributes); }

bool Schema::hasAttribute(llvm::StringRef attribute) const {
  return llvm::is_contained(words(attributes), attribute);
}

} // namespace pcc::fuzz
