// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes and reads the annotation; problems are stored in the text form of passes/solve/buckets.
// Records that no longer parse are skipped.
#include "passes/schedule/collectives/FusionRecords.h"

#include "mlir/IR/Builders.h"
#include "passes/solve/buckets/BucketProblem.h"

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

/// Returns nothing for an entry that was edited by hand and is ill-formed.
static std::optional<FusionOutcome> readRecord(Attribute attribute) {
  auto entry = dyn_cast<DictionaryAttr>(attribute);
  auto kind = entry ? entry.getAs<StringAttr>(kindKey) : StringAttr();
  auto problem = entry ? entry.getAs<StringAttr>(problemKey) : StringAttr();
  auto buckets = entry ? entry.getAs<ArrayAttr>(bucketsKey) : ArrayAttr();
  if (!kind || !problem || !buckets)
    return std::nullopt;
  auto parsed = buckets::parseProblem(problem.str());
  if (!parsed.error.empty())
    return std::nullopt;
  FusionOutcome record;
  record.kind = kind.str();
  record.problem = std::move(parsed.problem);
  for (Attribute bucket : buckets) {
    std::vector<int> &members = record.buckets.emplace_back();
    auto numbers = dyn_cast<ArrayAttr>(bucket);
    if (!numbers)
      return std::nullopt;
    for (Attribute number : numbers) {
      auto member = dyn_cast<IntegerAttr>(number);
      if (!member || member.getInt() < 0 ||
          member.getInt() >= int64_t(record.problem.gradients.size()))
        return std::nullopt;
      members.push_back(int(member.getInt()));
    }
  }
  return record;
}

std::vector<FusionOutcome> readFusionRecords(ModuleOp program) {
  std::vector<FusionOutcome> records;
  for (auto section : program.getOps<func::FuncOp>()) {
    auto annotation = section->getAttrOfType<ArrayAttr>(recordsAttrName);
    if (!annotation)
      continue;
    for (Attribute entry : annotation)
      if (std::optional<FusionOutcome> record = readRecord(entry)) {
        record->section = section;
        records.push_back(std::move(*record));
      }
  }
  return records;
}

} // namespace pcc::schedule
