// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the struct to and from a dictionary attribute, entry by entry. Reading checks nothing,
// since the dialect's verifier does.
#include "passes/analysis/names/FileNodes.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace pcc::analysis {
namespace {

Attribute toAttribute(Builder &b, ArrayRef<std::string> names) {
  return b.getStrArrayAttr(
      llvm::map_to_vector(names, [](const std::string &name) { return StringRef(name); }));
}

std::vector<std::string> getNames(DictionaryAttr entry, StringRef key) {
  std::vector<std::string> names;
  for (auto name : entry.getAs<ArrayAttr>(key).getAsRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

SmallVector<int64_t> getNumbers(Attribute attribute) {
  return SmallVector<int64_t>(cast<DenseI64ArrayAttr>(attribute).asArrayRef());
}

DictionaryAttr toDictionary(Builder &b, ArrayRef<NamedAttribute> entries) {
  return NamedAttrList(entries).getDictionary(b.getContext());
}

Attribute toNodes(Builder &b, const FileNodes &file) {
  SmallVector<Attribute> nodes;
  for (const FileNode &node : file.nodes)
    nodes.push_back(b.getDictionaryAttr({b.getNamedAttr("in", toAttribute(b, node.inputs)),
                                         b.getNamedAttr("out", toAttribute(b, node.outputs))}));
  return b.getArrayAttr(nodes);
}

Attribute toShapes(Builder &b, const FileNodes &file) {
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, shape] : file.shapes)
    entries.push_back(b.getNamedAttr(name, b.getDenseI64ArrayAttr(shape)));
  return toDictionary(b, entries);
}

Attribute toViews(Builder &b, const FileNodes &file) {
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, view] : file.views)
    entries.push_back(b.getNamedAttr(
        name, b.getDictionaryAttr({b.getNamedAttr("of", b.getStringAttr(view.of)),
                                   b.getNamedAttr("order", b.getDenseI64ArrayAttr(view.order))})));
  return toDictionary(b, entries);
}

Attribute toShardings(Builder &b, const FileNodes &file) {
  SmallVector<Attribute> shardings;
  for (const FileSharding &given : file.shardings)
    shardings.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("node", b.getI64IntegerAttr(given.node)),
         b.getNamedAttr("tensor", b.getStringAttr(given.tensor)),
         b.getNamedAttr("sharding", dist::ShardingAttr::get(b.getContext(), given.sharding))}));
  return b.getArrayAttr(shardings);
}

} // namespace

void FileNodes::write(ModuleOp module) const {
  Builder b(module.getContext());
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("file", b.getStringAttr(file)), b.getNamedAttr("nodes", toNodes(b, *this)),
      b.getNamedAttr("shapes", toShapes(b, *this)), b.getNamedAttr("views", toViews(b, *this))};
  if (isKept)
    entries.push_back(b.getNamedAttr("kept", b.getUnitAttr()));
  if (!configuration.empty()) {
    entries.push_back(b.getNamedAttr("configuration", b.getStringAttr(configuration)));
    entries.push_back(b.getNamedAttr("stages", b.getI64IntegerAttr(stages)));
    entries.push_back(b.getNamedAttr("mesh", dist::MeshAttr::get(b.getContext(), mesh)));
    entries.push_back(b.getNamedAttr("shardings", toShardings(b, *this)));
  }
  module->setAttr(fileNodesAttrName, toDictionary(b, entries));
}

std::optional<FileNodes> FileNodes::read(ModuleOp module) {
  auto attribute = module->getAttrOfType<DictionaryAttr>(fileNodesAttrName);
  if (!attribute)
    return std::nullopt;
  FileNodes file;
  file.file = attribute.getAs<StringAttr>("file").str();
  for (auto node : attribute.getAs<ArrayAttr>("nodes").getAsRange<DictionaryAttr>())
    file.nodes.push_back({getNames(node, "in"), getNames(node, "out")});
  for (NamedAttribute entry : attribute.getAs<DictionaryAttr>("shapes"))
    file.shapes[entry.getName()] = getNumbers(entry.getValue());
  for (NamedAttribute entry : attribute.getAs<DictionaryAttr>("views")) {
    auto view = cast<DictionaryAttr>(entry.getValue());
    file.views[entry.getName()] = {view.getAs<StringAttr>("of").str(),
                                   getNumbers(view.get("order"))};
  }
  file.isKept = attribute.contains("kept");
  if (!attribute.contains("shardings"))
    return file;
  file.configuration = attribute.getAs<StringAttr>("configuration").str();
  file.stages = attribute.getAs<IntegerAttr>("stages").getInt();
  file.mesh = attribute.getAs<dist::MeshAttr>("mesh").getMesh();
  for (auto given : attribute.getAs<ArrayAttr>("shardings").getAsRange<DictionaryAttr>())
    file.shardings.push_back({given.getAs<IntegerAttr>("node").getInt(),
                              given.getAs<StringAttr>("tensor").str(),
                              given.getAs<dist::ShardingAttr>("sharding").getSharding()});
  return file;
}

SmallVector<int64_t, 4> findNodes(Location loc) {
  SmallVector<int64_t, 4> nodes;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto tag = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
    if (!tag || tag.getValue() != nodeLocationTag)
      return WalkResult::advance();
    Location position = fused.getLocations().front();
    while (auto name = dyn_cast<NameLoc>(position))
      position = name.getChildLoc();
    if (auto line = dyn_cast<FileLineColLoc>(position))
      nodes.push_back(line.getLine());
    return WalkResult::skip();
  });
  llvm::sort(nodes);
  nodes.erase(llvm::unique(nodes), nodes.end());
  return nodes;
}

} // namespace pcc::analysis
