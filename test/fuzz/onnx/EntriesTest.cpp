// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that the generator draws all of ONNX's variants of imported operators, except for the
// exclusions, and that every exclusion is needed.
#include "test/fuzz/onnx/Entries.h"

#include "compiler/Register.h"
#include "compiler/import/operators/Operators.h"
#include "mlir/IR/Dialect.h"
#include "test/fuzz/onnx/Exclusions.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

namespace pcc::fuzz {
namespace {

const Entry *findEntry(llvm::StringRef name) {
  for (const Entry &entry : allEntries())
    if (entry.name == name)
      return &entry;
  return nullptr;
}

bool isExcluded(const Schema &schema, llvm::StringRef attribute) {
  return llvm::any_of(excludedAttributes(), [&](const ExcludedAttribute &row) {
    return row.op == schema.name && row.attribute == attribute;
  });
}

/// Attributes of the drawn nodes of one operator, the types of its first input or result, and the
/// errors.
struct Drawn {
  std::set<std::string> attributes, types, errors;
  int64_t nodes = 0;
};

/// Draws nodes of one operator in one opset, each in a graph of its own.
Drawn drawMany(const Entry &entry, int64_t opset, mlir::MLIRContext &context) {
  constexpr uint64_t attempts = 100;
  Drawn drawn;
  for (uint64_t seed = 1; seed <= attempts; ++seed) {
    Maker maker(seed, opset, context);
    maker.begin(entry.name);
    if (maker.types().empty())
      break;
    drawn.nodes += entry.draw(maker);
    if (!maker.error().empty() && drawn.errors.size() < 3)
      drawn.errors.insert(maker.error());
    for (const onnx::NodeProto &node : maker.graph.nodes) {
      if (node.op_type() != entry.name)
        continue;
      for (const onnx::AttributeProto &attribute : node.attribute())
        drawn.attributes.insert(attribute.name());
    }
    for (const Value &value : maker.graph.values)
      drawn.types.insert(values::stringify(value.data.getType()).str());
  }
  return drawn;
}

class Entries : public testing::Test {
protected:
  Entries() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
  }
  std::unique_ptr<mlir::MLIRContext> context;
};

TEST_F(Entries, EveryImportedOperatorHasOne) {
  for (llvm::ArrayRef<import::Operator> family : import::operatorFamilies())
    for (const import::Operator &row : family) {
      EXPECT_NE(findEntry(row.name) != nullptr, isExcludedOperator(row.name))
          << row.name.str() << ": add an entry to its family, or an exclusion";
      EXPECT_NE(findSchema(row.name, row.since), nullptr)
          << row.name.str() << " of opset " << row.since << ": run make_schemas.py";
    }
}

TEST_F(Entries, EveryExclusionIsImported) {
  for (const ExcludedOperator &row : excludedOperators())
    EXPECT_NE(import::findOperator(row.op, import::newestOpset), nullptr) << row.op.str();
}

TEST_F(Entries, EveryOneIsImported) {
  for (const Entry &entry : allEntries())
    EXPECT_NE(import::findOperator(entry.name, import::newestOpset), nullptr) << entry.name.str();
}

TEST_F(Entries, DrawTypesAndAttributesOfEachOpset) {
  for (const Schema &schema : allSchemas()) {
    const Entry *entry = findEntry(schema.name);
    if (!entry || schema.since > entry->lastOpset ||
        !import::findOperator(schema.name, schema.since))
      continue;
    std::string where = schema.name.str() + " of opset " + std::to_string(schema.since);
    Drawn drawn = drawMany(*entry, schema.since, *context);
    for (const std::string &error : drawn.errors)
      ADD_FAILURE() << where << ": " << error;
    for (llvm::StringRef attribute : schema.listAttributes())
      EXPECT_NE(drawn.attributes.count(attribute.str()), isExcluded(schema, attribute))
          << where << ": attribute '" << attribute.str() << "'";
    for (values::ElementType type : schema.listTypes()) {
      std::string name = values::stringify(type).str();
      EXPECT_TRUE(isRefused(schema.name, type) || drawn.types.count(name)) << where << ": " << name;
    }
  }
}

TEST_F(Entries, SeedsGiveTheSameGraphs) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    std::string error;
    Graph first = makeGraph(seed, *context, error), second = makeGraph(seed, *context, error);
    EXPECT_EQ(first.toModel().SerializeAsString(), second.toModel().SerializeAsString());
  }
}

} // namespace
} // namespace pcc::fuzz
