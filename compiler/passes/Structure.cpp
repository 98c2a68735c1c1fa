// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes bottom-up. An op combines the hashes of its name, operands, result types, inherent
// attributes and regions. A block adds the hashes of its ops, so their order does not count. Types
// and attributes are hashed as text, dense literals by their bytes.
#include "compiler/passes/Structure.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace pcc;

namespace {

/// Hashes by content. Hashes of pointers differ from process to process, so that a reproducer,
/// which holds the recorded hash, would not replay.
class StructureHasher {
public:
  uint64_t hash(Operation *op);

private:
  static uint64_t combine(ArrayRef<uint64_t> parts) {
    return llvm::xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(parts.data()), parts.size() * sizeof(uint64_t)));
  }
  uint64_t hash(Type type);
  uint64_t hash(Attribute attribute);
  uint64_t hash(Block &block, unsigned number);

  llvm::DenseMap<Value, uint64_t> values;
  llvm::DenseMap<Type, uint64_t> types;
  llvm::DenseMap<Attribute, uint64_t> attributes;
};

} // namespace

uint64_t StructureHasher::hash(Type type) {
  auto [entry, isNew] = types.try_emplace(type);
  if (isNew) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    entry->second = llvm::xxh3_64bits(text);
  }
  return entry->second;
}

uint64_t StructureHasher::hash(Attribute attribute) {
  auto [entry, isNew] = attributes.try_emplace(attribute);
  if (!isNew)
    return entry->second;
  uint64_t result = 0;
  if (auto elements = dyn_cast<DenseIntOrFPElementsAttr>(attribute)) {
    ArrayRef<char> bytes = elements.getRawData();
    result = combine(
        {hash(Type(elements.getType())), llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()))});
  } else {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    result = llvm::xxh3_64bits(text);
  }
  return attributes[attribute] = result;
}

uint64_t StructureHasher::hash(Block &block, unsigned number) {
  for (BlockArgument argument : block.getArguments())
    values[argument] = combine({number, argument.getArgNumber(), hash(argument.getType())});
  uint64_t sum = 0; // the order of ops does not count
  for (Operation &op : block)
    sum += hash(&op);
  return sum;
}

uint64_t StructureHasher::hash(Operation *op) {
  SmallVector<uint64_t> parts = {llvm::xxh3_64bits(op->getName().getStringRef())};
  for (Value operand : op->getOperands())
    parts.push_back(values.lookup(operand));
  for (Type type : op->getResultTypes())
    parts.push_back(hash(type));
  NamedAttrList inherent;
  op->getName().populateInherentAttrs(op, inherent);
  auto function = dyn_cast<FunctionOpInterface>(op);
  for (NamedAttribute named : inherent) {
    // Attributes of arguments and results are annotations.
    if (function && (named.getName() == "arg_attrs" || named.getName() == "res_attrs"))
      continue;
    parts.push_back(llvm::xxh3_64bits(named.getName().getValue()));
    parts.push_back(hash(named.getValue()));
  }
  for (Region &region : op->getRegions())
    for (auto [number, block] : llvm::enumerate(region))
      parts.push_back(hash(block, number));
  uint64_t result = combine(parts);
  for (OpResult value : op->getResults())
    values[value] = combine({result, value.getResultNumber()});
  return result;
}

uint64_t pcc::hashStructure(ModuleOp module) { return StructureHasher().hash(module); }

LogicalResult pcc::checkStructure(ModuleOp module, StringRef phase) {
  auto recorded = dyn_cast_or_null<IntegerAttr>(module->removeDiscardableAttr(structureAttrName));
  if (!recorded || recorded.getValue().getZExtValue() == hashStructure(module))
    return success();
  return module.emitError("after phase '")
         << phase
         << "': expected the ops of the phase before, which may only be annotated, got others";
}

namespace {
struct RecordStructure : PassWrapper<RecordStructure, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecordStructure)

  StringRef getName() const override { return "RecordStructure"; }
  StringRef getArgument() const override { return "record-structure"; }
  StringRef getDescription() const override {
    return "record a hash of all ops, with which verify-phase compares";
  }
  void runOnOperation() override {
    getOperation()->setDiscardableAttr(structureAttrName,
                                       IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                                        APInt(64, hashStructure(getOperation()))));
  }
};
} // namespace

std::unique_ptr<Pass> pcc::createRecordStructurePass() {
  return std::make_unique<RecordStructure>();
}

void pcc::registerRecordStructurePass() { PassRegistration<RecordStructure>(); }
