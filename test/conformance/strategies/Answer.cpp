// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Answer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/InterleavedRange.h"
#include <numeric>

namespace pcc::conformance {
namespace json = llvm::json;

std::string Reduction::str() const {
  std::string text = kind + " " + reduce + " ";
  llvm::raw_string_ostream(text) << "{" << llvm::interleaved(group, ",") << "}";
  return text;
}

std::vector<int64_t> Layout::blockOf(int64_t rank) const {
  std::vector<int64_t> coordinates(deviceMatrix.size());
  for (size_t axis = deviceMatrix.size(); axis-- > 0; rank /= deviceMatrix[axis])
    coordinates[axis] = rank % deviceMatrix[axis];
  std::vector<int64_t> block;
  for (int64_t axis : map)
    block.push_back(axis < 0 ? 0 : coordinates[coordinates.size() - 1 - axis]);
  return block;
}

int64_t receivedBy(llvm::StringRef kind, int64_t resultElements, int64_t groupSize) {
  if (kind == "AllGather" || kind == "AlltoAll")
    return resultElements * (groupSize - 1) / groupSize;
  if (kind == "AllReduce")
    return 2 * resultElements * (groupSize - 1) / groupSize;
  return kind == "ReduceScatter" ? resultElements * (groupSize - 1) : 0;
}

/// Reads a list of ranks, or an object `{"first", "step", "count"}`.
static std::vector<int64_t> readGroup(const json::Value *value) {
  std::vector<int64_t> group;
  if (!value)
    return group;
  if (const json::Array *list = value->getAsArray()) {
    group = integers(*list);
  } else if (const json::Object *regular = value->getAsObject()) {
    int64_t first = *regular->getInteger("first"), step = *regular->getInteger("step");
    for (int64_t index = 0; index < *regular->getInteger("count"); ++index)
      group.push_back(first + index * step);
  }
  llvm::sort(group);
  return group;
}

static std::vector<std::vector<int64_t>> readShapes(const json::Array &shapes) {
  std::vector<std::vector<int64_t>> all;
  for (const json::Value &shape : shapes)
    all.push_back(integers(*shape.getAsArray()));
  return all;
}

/// Calls `visit` with every element of an array of objects, if the array exists.
template <typename Visit>
static void forEach(const json::Object &object, llvm::StringRef key, Visit visit) {
  if (const json::Array *list = object.getArray(key))
    for (const json::Value &entry : *list)
      visit(*entry.getAsObject());
}

static int64_t receivedBy(const json::Object &op) {
  std::vector<int64_t> group = readGroup(op.get("group")), out;
  if (group.empty())
    return 0;
  out = integers(*op.getArray("out"));
  int64_t elements = std::accumulate(out.begin(), out.end(), int64_t(1), std::multiplies<>());
  return receivedBy(*op.getString("op"), elements, group.size());
}

Answer::Answer(const Case &question) {
  const json::Object &object = *question.object;
  if (const json::Object *nodes = object.getObject("slices"))
    for (const auto &[node, entry] : *nodes)
      slices[node.str()] = {readShapes(*entry.getAsObject()->getArray("in")),
                            readShapes(*entry.getAsObject()->getArray("out"))};
  if (const json::Object *nodes = object.getObject("layouts"))
    for (const auto &[node, entry] : *nodes)
      layouts[node.str()] = {integers(*entry.getAsObject()->getArray("device_matrix")),
                             integers(*entry.getAsObject()->getArray("output_map"))};
  // The collectives of a replaced operator count as the operator's own.
  for (llvm::StringRef key : {"forward", "replaced_by"})
    forEach(object, key, [&](const json::Object &op) {
      received += receivedBy(op);
      if (llvm::StringRef kind = *op.getString("op");
          kind == "AllReduce" || kind == "ReduceScatter")
        reductions.push_back(
            {kind.str(), op.getString("reduce").value_or("sum").str(), readGroup(op.get("group"))});
    });
  forEach(object, "redistribution", [&](const json::Object &edge) {
    forEach(edge, "ops", [&](const json::Object &op) { received += receivedBy(op); });
  });
  forEach(object, "mirror", [&](const json::Object &mirror) {
    gradientGroups[mirror.getString("of")->str()] = readGroup(mirror.get("group"));
  });
  llvm::sort(reductions);
}

} // namespace pcc::conformance
