// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the annotation; problems are stored in the text form of passes/solve/buckets.
// Records that no longer parse are skipped.
#include "passes/schedule/collectives/FusionRecords.h"

#include "mlir/IR/Builders.h"
#include "passes/solve/buckets/BucketText.h"

using namespace mlir;

namespace pcc::schedule {

static constexpr StringLiteral recordsAttrName = "schedule.fusion";
static constexpr StringLiteral kindKey = "kind", problemKey = "problem", bucketsKey = "buckets";

void addFusionRecord(const FusionOutcome &record) {
  func::FuncOp section = record.section;
  Builder b(section.getContext());
  SmallVector<Attribute> records, buckets;
  if (auto before = section->getAttrOfType<ArrayAttr>(recordsAttrName))
    llvm::append_range(records, before);
  for (const std::vector<int> &bucket : record.buckets)
    buckets.push_back(b.getI32ArrayAttr(bucket));
  records.push_back(b.getDictionaryAttr(
      {b.getNamedAttr(kindKey, b.getStringAttr(record.kind)),
       b.getNamedAttr(problemKey, b.getStringAttr(buckets::printProblem(record.problem))),
       b.getNamedAttr(bucketsKey, b.getArrayAttr(buckets))}));
  section->setDiscardableAttr(recordsAttrName, b.getArrayAttr(records));
}

std::vector<FusionOutcome> readFusionRecords(ModuleOp program) {
  std::vector<FusionOutcome> records;
  for (auto section : program.getOps<func::FuncOp>()) {
    auto annotation = section->getAttrOfType<ArrayAttr>(recordsAttrName);
    if (!annotation)
      continue;
    for (auto entry : annotation.getAsRange<DictionaryAttr>()) {
      FusionOutcome record;
      record.section = section;
      record.kind = entry.getAs<StringAttr>(kindKey).str();
      auto parsed = buckets::parseProblem(entry.getAs<StringAttr>(problemKey).str());
      if (!parsed.error.empty())
        continue; // edited by hand
      record.problem = std::move(parsed.problem);
      for (auto bucket : entry.getAs<ArrayAttr>(bucketsKey).getAsRange<ArrayAttr>()) {
        std::vector<int> &members = record.buckets.emplace_back();
        for (auto member : bucket.getAsRange<IntegerAttr>())
          members.push_back(int(member.getInt()));
      }
      records.push_back(std::move(record));
    }
  }
  return records;
}

} // namespace pcc::schedule
