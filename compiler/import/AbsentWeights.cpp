// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the weights that a file lacks, so that a model can be planned without them. An exporter
// may leave them out (`program.save(file, include_initializers=False)`): nodes read names of
// parameters that are neither inputs nor initializers nor results. Their shapes follow from the
// nodes that read them, and from the shapes that the file records for other values:
//
//   MatMul(x [8,16,64], w) -> [8,16,96]      w is [64,96]
//   Transpose(w) of such a MatMul            w is [96,64]
//   Mul(w, x [8,16,64])                      w is [64]: an assumption, since w is broadcast
//   LayerNormalization(x [8,16,64], w)       w is [64]; channels for batch and instance norms
//   Conv(x [8,3,32,32], w) -> [8,16,32,32]   w is [16, 3, kernel_shape…]
//   Gather(w, tokens) -> [8,16,64]           w is [?,64]: --set-dim=w.0=N says the number of rows
//
// Without `--set-dim`, an embedding has as many rows as the first output has classes.
//
// Collects the shapes that the file records, and the readers of each name. A rule per operator then
// derives the shape of an undefined operand from the other shapes of its node. The first reader
// with a derived shape wins, unless a later reader also determines an unknown first size, or needs
// no assumption. Only the first size may stay unknown.
#include "compiler/import/ModelEdits.h"
#include "compiler/import/exporter/ExportedModule.h"
#include "compiler/import/files/TensorData.h"
#include "compiler/import/files/onnx.pb.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

using namespace mlir;

namespace pcc::import {
namespace {

using Sizes = llvm::SmallVector<int64_t, 4>;
constexpr int64_t unknown = -1;

/// Type and sizes of a value as the file records them.
struct Recorded {
  int32_t type = 0;
  Sizes sizes; ///< `unknown` for a symbolic dimension
  /// Whether the reader broadcasts the tensor, so that it may have other sizes: it is assumed to
  /// have the last dimension of the result alone.
  bool isAssumed = false;
};

class ShapeSearch {
public:
  explicit ShapeSearch(const onnx::GraphProto &graph);

  /// Returns the type and sizes of an undefined tensor, from the first reader that determines them.
  /// The first size is `unknown` if no reader determines it.
  std::optional<Recorded> find(llvm::StringRef name) const;
  /// Returns the last size of the first output; `unknown` if the file does not record it.
  int64_t countClasses() const;

private:
  std::optional<Recorded> fromReader(const onnx::NodeProto &node, int position) const;
  std::optional<Sizes> fromMatmul(const onnx::NodeProto &node) const;
  std::optional<Sizes> fromTranspose(const onnx::NodeProto &node) const;
  std::optional<Sizes> fromGemm(const onnx::NodeProto &node, int position) const;
  std::optional<Sizes> fromConv(const onnx::NodeProto &node, int position) const;
  std::optional<Sizes> fromGather(const onnx::NodeProto &node) const;
  std::optional<Sizes> fromNorm(const onnx::NodeProto &node) const;
  std::optional<Sizes> lastSize(llvm::StringRef name) const;
  const Recorded *lookup(llvm::StringRef name) const;

  const onnx::GraphProto &graph;
  llvm::StringMap<Recorded> recorded;
  /// Nodes with outputs, and the position of the input, by name of the value.
  llvm::StringMap<llvm::SmallVector<std::pair<const onnx::NodeProto *, int>>> readers;
};

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, llvm::StringRef name) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

int64_t readInteger(const onnx::NodeProto &node, llvm::StringRef name, int64_t otherwise) {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  return attribute ? attribute->i() : otherwise;
}

ShapeSearch::ShapeSearch(const onnx::GraphProto &graph) : graph(graph) {
  auto record = [&](const onnx::ValueInfoProto &value) {
    const onnx::TypeProto::Tensor &type = value.type().tensor_type();
    if (!type.has_shape())
      return;
    Recorded &entry = recorded[value.name()];
    entry.type = type.elem_type();
    for (const auto &dim : type.shape().dim())
      entry.sizes.push_back(dim.has_dim_value() ? dim.dim_value() : unknown);
  };
  llvm::for_each(graph.input(), record);
  llvm::for_each(graph.value_info(), record);
  llvm::for_each(graph.output(), record);
  for (const onnx::NodeProto &node : graph.node())
    for (int position = 0; node.output_size() > 0 && position < node.input_size(); ++position)
      readers[node.input(position)].push_back({&node, position});
}

const Recorded *ShapeSearch::lookup(llvm::StringRef name) const {
  auto entry = recorded.find(name);
  return entry == recorded.end() ? nullptr : &entry->second;
}

int64_t ShapeSearch::countClasses() const {
  const Recorded *output = graph.output_size() > 0 ? lookup(graph.output(0).name()) : nullptr;
  return output && !output->sizes.empty() ? output->sizes.back() : unknown;
}

std::optional<Sizes> ShapeSearch::lastSize(llvm::StringRef name) const {
  const Recorded *value = lookup(name);
  bool isKnown = value && !value->sizes.empty() && value->sizes.back() != unknown;
  return isKnown ? std::optional(Sizes{value->sizes.back()}) : std::nullopt;
}

std::optional<Sizes> ShapeSearch::fromMatmul(const onnx::NodeProto &node) const {
  std::optional<Sizes> depth = lastSize(node.input(0)), columns = lastSize(node.output(0));
  return depth && columns ? std::optional(Sizes{depth->front(), columns->front()}) : std::nullopt;
}

/// Returns the sizes of a transposed tensor from the matmul that reads the result.
std::optional<Sizes> ShapeSearch::fromTranspose(const onnx::NodeProto &node) const {
  auto users = readers.find(node.output(0));
  if (users == readers.end())
    return std::nullopt;
  for (auto [user, position] : users->second) {
    std::optional<Sizes> sizes =
        user->op_type() == "MatMul" && position == 1 ? fromMatmul(*user) : std::nullopt;
    if (sizes)
      return Sizes{(*sizes)[1], (*sizes)[0]};
  }
  return std::nullopt;
}

std::optional<Sizes> ShapeSearch::fromGemm(const onnx::NodeProto &node, int position) const {
  std::optional<Sizes> columns = lastSize(node.output(0));
  if (position == 2 || !columns)
    return columns;
  std::optional<Sizes> depth = lastSize(node.input(0));
  if (!depth || readInteger(node, "transA", 0) != 0)
    return std::nullopt;
  return readInteger(node, "transB", 0) ? Sizes{columns->front(), depth->front()}
                                        : Sizes{depth->front(), columns->front()};
}

std::optional<Sizes> ShapeSearch::fromConv(const onnx::NodeProto &node, int position) const {
  const Recorded *image = lookup(node.input(0)), *result = lookup(node.output(0));
  const onnx::AttributeProto *kernel = findAttribute(node, "kernel_shape");
  if (!image || !result || image->sizes.size() < 2 || result->sizes.size() < 2)
    return std::nullopt;
  if (position == 2)
    return Sizes{result->sizes[1]};
  int64_t groups = readInteger(node, "group", 1);
  if (!kernel || groups < 1 || image->sizes[1] == unknown)
    return std::nullopt;
  Sizes sizes{result->sizes[1], image->sizes[1] / groups};
  sizes.append(kernel->ints().begin(), kernel->ints().end());
  return sizes;
}

std::optional<Sizes> ShapeSearch::fromGather(const onnx::NodeProto &node) const {
  std::optional<Sizes> width = lastSize(node.output(0));
  if (!width || readInteger(node, "axis", 0) != 0)
    return std::nullopt;
  return Sizes{unknown, width->front()};
}

/// Returns the sizes of a scale or bias: the normalized dimensions of LayerNormalization and
/// RMSNormalization, the channels of batch and instance norms. Those of GroupNormalization depend
/// on the opset.
std::optional<Sizes> ShapeSearch::fromNorm(const onnx::NodeProto &node) const {
  const Recorded *result = lookup(node.output(0));
  if (!result || result->sizes.size() < 2 || node.op_type() == "GroupNormalization")
    return std::nullopt;
  ArrayRef<int64_t> sizes = result->sizes;
  if (node.op_type() != "LayerNormalization" && node.op_type() != "RMSNormalization")
    return sizes[1] == unknown ? std::nullopt : std::optional(Sizes{sizes[1]});
  int64_t rank = static_cast<int64_t>(sizes.size()), axis = readInteger(node, "axis", -1);
  if (axis < 0)
    axis += rank;
  bool isKnown = axis >= 0 && axis < rank && !llvm::is_contained(sizes.drop_front(axis), unknown);
  return isKnown ? std::optional(Sizes(sizes.drop_front(axis))) : std::nullopt;
}

std::optional<Recorded> ShapeSearch::fromReader(const onnx::NodeProto &node, int position) const {
  llvm::StringRef op = node.op_type();
  bool isBinary = op == "Mul" || op == "Add" || op == "Sub" || op == "Div";
  std::optional<Sizes> sizes;
  if (op == "MatMul" && position == 1)
    sizes = fromMatmul(node);
  else if (op == "Transpose")
    sizes = fromTranspose(node);
  else if (op == "Gemm" && position > 0)
    sizes = fromGemm(node, position);
  else if (op == "Conv" && position > 0)
    sizes = fromConv(node, position);
  else if (op == "Gather" && position == 0)
    sizes = fromGather(node);
  else if (isBinary)
    sizes = lastSize(node.output(0));
  else if (op.ends_with("Normalization") && position > 0)
    sizes = fromNorm(node);
  const Recorded *result = lookup(node.output(0));
  if (!sizes || llvm::is_contained(ArrayRef(*sizes).drop_front(), unknown))
    return std::nullopt;
  return Recorded{result ? result->type : int32_t(onnx::TensorProto::FLOAT), *sizes, isBinary};
}

std::optional<Recorded> ShapeSearch::find(llvm::StringRef name) const {
  std::optional<Recorded> found;
  auto users = readers.find(name);
  if (users == readers.end())
    return found;
  for (auto [node, position] : users->second) {
    std::optional<Recorded> derived = fromReader(*node, position);
    bool isBetter =
        derived &&
        (!found || (found->sizes.front() == unknown && derived->sizes.front() != unknown) ||
         (found->isAssumed && !derived->isAssumed));
    if (isBetter)
      found = derived;
  }
  return found;
}

/// Returns the names that nodes read and nothing defines, in the order of the nodes.
llvm::SetVector<llvm::StringRef> findUndefined(const onnx::GraphProto &graph) {
  llvm::StringSet<> defined;
  for (const onnx::ValueInfoProto &input : graph.input())
    defined.insert(input.name());
  for (const onnx::TensorProto &tensor : graph.initializer())
    defined.insert(tensor.name());
  llvm::SetVector<llvm::StringRef> undefined;
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &name : node.input())
      if (!name.empty() && !defined.contains(name))
        undefined.insert(name);
    for (const std::string &name : node.output())
      defined.insert(name);
  }
  return undefined;
}

/// Returns whether torch's modules give this name to a tensor of one dimension when they add or
/// multiply it: the bias of a layer, or the weight of a norm.
bool isOneDimensional(llvm::StringRef name) {
  llvm::StringRef leaf = splitTarget(name).second;
  return leaf == "bias" || leaf == "weight";
}

} // namespace

LogicalResult declareAbsentWeights(onnx::GraphProto &graph, llvm::StringMap<int64_t> &dims,
                                   Location location) {
  ExportedModule exported(graph);
  llvm::SetVector<llvm::StringRef> undefined = findUndefined(graph);
  ShapeSearch search(graph);
  std::vector<onnx::TensorProto> absent;
  LogicalResult result = success();
  for (llvm::StringRef name : undefined) {
    if (!exported.isParameter(name) && !exported.isBuffer(name))
      continue;
    std::optional<Recorded> found = search.find(name);
    std::string dim = (name + ".0").str();
    if (found && dims.contains(dim)) {
      found->sizes.front() = dims.lookup(dim);
      dims.erase(dim);
    }
    if (found && found->sizes.front() == unknown && search.countClasses() != unknown) {
      found->sizes.front() = search.countClasses();
      emitRemark(location) << "'" << name << "' is not in the file: assumed "
                           << search.countClasses()
                           << " rows, as many as the classes of the first output; '--set-dim="
                           << dim << "=N' changes it";
    }
    if (!found || found->sizes.front() == unknown) {
      InFlightDiagnostic error =
          emitError(location) << "'" << name << "' is not in the file, and the nodes that read it "
                              << "do not tell its shape: export with the weights";
      if (found)
        error << ", or give '--set-dim=" << dim << "=N'";
      result = error;
      continue;
    }
    if (found->isAssumed && !isOneDimensional(name))
      emitRemark(location) << "'" << name << "' is not in the file: assumed to have one dimension, "
                           << found->sizes.front()
                           << " elements; if it has more, export with the weights";
    onnx::TensorProto &tensor = absent.emplace_back();
    tensor.set_name(name.str());
    tensor.set_data_type(found->type);
    tensor.mutable_dims()->Add(found->sizes.begin(), found->sizes.end());
    markAbsent(tensor);
  }
  for (onnx::TensorProto &tensor : absent)
    *graph.add_initializer() = std::move(tensor);
  return result;
}

} // namespace pcc::import
