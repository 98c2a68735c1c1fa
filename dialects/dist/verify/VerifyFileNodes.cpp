// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies `dist.file_nodes`, the nodes of the file of a model (passes/analysis/names/FileNodes.h).
// Passes read its entries without checks.
#include "dialects/dist/Checks.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace pcc::dist;

namespace {

/// Finds the first ill-formed entry. The functions return the name of it, or an empty string.
class FileNodesVerifier {
public:
  explicit FileNodesVerifier(DictionaryAttr entries) : entries(entries) {}

  std::string run();

private:
  std::string checkNodes();
  std::string checkShapes();
  std::string checkViews();
  std::string checkShardings();
  bool isView(NamedAttribute entry) const;
  bool isSharding(Attribute entry) const;

  /// Returns the rank of a tensor with a known shape.
  std::optional<int64_t> getRank(StringRef tensor) const {
    auto shape = shapes.getAs<DenseI64ArrayAttr>(tensor);
    return shape ? std::optional(shape.size()) : std::nullopt;
  }

  DictionaryAttr entries, shapes;
  ArrayAttr nodes;
};

} // namespace

static bool isListOfNames(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

std::string FileNodesVerifier::checkNodes() {
  nodes = entries.getAs<ArrayAttr>("nodes");
  bool isValid = nodes && llvm::all_of(nodes, [](Attribute entry) {
                   auto node = dyn_cast<DictionaryAttr>(entry);
                   return node && isListOfNames(node.get("in")) && isListOfNames(node.get("out"));
                 });
  return isValid ? "" : "nodes";
}

std::string FileNodesVerifier::checkShapes() {
  shapes = entries.getAs<DictionaryAttr>("shapes");
  bool isValid = shapes && llvm::all_of(shapes, [](NamedAttribute entry) {
                   return isa<DenseI64ArrayAttr>(entry.getValue());
                 });
  return isValid ? "" : "shapes";
}

/// Returns whether an entry has a permutation of the dimensions of another tensor.
bool FileNodesVerifier::isView(NamedAttribute entry) const {
  auto view = dyn_cast<DictionaryAttr>(entry.getValue());
  auto of = view ? view.getAs<StringAttr>("of") : StringAttr();
  auto order = view ? view.getAs<DenseI64ArrayAttr>("order") : DenseI64ArrayAttr();
  if (!of || !order)
    return false;
  for (StringRef tensor : {entry.getName().strref(), of.getValue()})
    if (std::optional<int64_t> rank = getRank(tensor); rank && *rank != order.size())
      return false;
  llvm::SmallBitVector seen(order.size());
  for (int64_t dim : order.asArrayRef()) {
    if (dim < 0 || dim >= order.size() || seen.test(dim))
      return false;
    seen.set(dim);
  }
  return true;
}

/// A chain of views ends at a tensor that is none.
std::string FileNodesVerifier::checkViews() {
  auto views = entries.getAs<DictionaryAttr>("views");
  if (!views || !llvm::all_of(views, [&](NamedAttribute entry) { return isView(entry); }))
    return "views";
  for (NamedAttribute entry : views) {
    auto view = cast<DictionaryAttr>(entry.getValue());
    for (size_t steps = 0; view; ++steps) {
      if (steps > views.size())
        return "views";
      view = views.getAs<DictionaryAttr>(view.getAs<StringAttr>("of"));
    }
  }
  return "";
}

/// Returns whether an entry shards a tensor of a node over axes of the mesh.
bool FileNodesVerifier::isSharding(Attribute entry) const {
  auto given = dyn_cast<DictionaryAttr>(entry);
  auto node = given ? given.getAs<IntegerAttr>("node") : IntegerAttr();
  auto tensor = given ? given.getAs<StringAttr>("tensor") : StringAttr();
  auto sharding = given ? given.getAs<ShardingAttr>("sharding") : ShardingAttr();
  if (!node || !tensor || !sharding || !node.getType().isInteger(64) || node.getInt() < 0 ||
      node.getInt() >= int64_t(nodes.size()))
    return false;
  std::optional<int64_t> rank = getRank(tensor);
  return (!rank || *rank == sharding.getSharding().getRank()) &&
         sharding.getSharding().verifyAxes(entries.getAs<MeshAttr>("mesh").getMesh()).empty();
}

std::string FileNodesVerifier::checkShardings() {
  auto shardings = entries.getAs<ArrayAttr>("shardings");
  if (!shardings)
    return entries.contains("shardings") ? "shardings" : "";
  if (!entries.getAs<StringAttr>("configuration"))
    return "configuration";
  auto stages = entries.getAs<IntegerAttr>("stages");
  if (!stages || !stages.getType().isInteger(64) || stages.getInt() < 1)
    return "stages";
  if (!entries.getAs<MeshAttr>("mesh"))
    return "mesh";
  bool isValid = llvm::all_of(shardings, [&](Attribute entry) { return isSharding(entry); });
  return isValid ? "" : "shardings";
}

std::string FileNodesVerifier::run() {
  if (!entries.getAs<StringAttr>("file"))
    return "file";
  for (auto check : {&FileNodesVerifier::checkNodes, &FileNodesVerifier::checkShapes,
                     &FileNodesVerifier::checkViews, &FileNodesVerifier::checkShardings})
    if (std::string wrong = (this->*check)(); !wrong.empty())
      return wrong;
  return "";
}

// C22
LogicalResult pcc::dist::verifyFileNodes(Operation *op, Attribute value) {
  auto entries = dyn_cast<DictionaryAttr>(value);
  if (!entries)
    return op->emitOpError() << "expected \"dist.file_nodes\" to be a dictionary, got " << value;
  std::string wrong = FileNodesVerifier(entries).run();
  if (wrong.empty())
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "expected a valid \"" << wrong << "\" in \"dist.file_nodes\", got ";
  if (Attribute entry = entries.get(wrong))
    return error << entry << "; import the model again";
  return error << "none; import the model again";
}
