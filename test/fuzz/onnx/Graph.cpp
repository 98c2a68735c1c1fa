// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Graph.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using pcc::onnx::TensorProto;
using pcc::values::ElementType;
using pcc::values::Tensor;

namespace pcc::fuzz {
namespace {

/// The oldest version of the file format in which initializers need not be inputs, a later one, and
/// the newest one used.
constexpr int64_t plainVersion = 4, laterVersion = 8, newestVersion = 10;
constexpr int64_t firstOpsetOfLater = 15, firstOpsetOfNewest = 21;

/// Returns the bits of a 16-bit float.
uint16_t halfBits(ElementType type, double value) {
  const llvm::fltSemantics &semantics =
      type == ElementType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}

template <typename T> void appendBytes(std::string &bytes, T value) {
  char buffer[sizeof(T)];
  std::memcpy(buffer, &value, sizeof(T));
  bytes.append(buffer, sizeof(T));
}

/// Appends the element as a file stores it.
void appendElement(std::string &bytes, ElementType type, values::Element element) {
  switch (type) {
  case ElementType::F32:
    return appendBytes(bytes, static_cast<float>(element.f));
  case ElementType::F64:
    return appendBytes(bytes, element.f);
  case ElementType::F16:
  case ElementType::BF16:
    return appendBytes(bytes, halfBits(type, element.f));
  default:
    bytes.append(reinterpret_cast<const char *>(&element.i), values::byteWidth(type));
  }
}

/// Returns true if a field of the tensor message holds numbers of the element type unchanged.
bool hasOwnField(ElementType type) {
  return type == ElementType::F32 || type == ElementType::I64 || type == ElementType::I32 ||
         type == ElementType::I8 || type == ElementType::I1;
}

void addToField(TensorProto &proto, ElementType type, values::Element element) {
  if (type == ElementType::F32)
    proto.add_float_data(static_cast<float>(element.f));
  else if (type == ElementType::I64)
    proto.add_int64_data(element.i);
  else
    proto.add_int32_data(static_cast<int32_t>(element.i));
}

void setType(onnx::ValueInfoProto &info, const Value &value, bool hasSymbolicDims) {
  info.set_name(value.name);
  onnx::TypeProto::Tensor &type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnxTypeOf(value.data.getType()));
  onnx::TensorShapeProto &shape = *type.mutable_shape();
  for (auto [dim, size] : llvm::enumerate(value.data.getShape())) {
    onnx::TensorShapeProto::Dimension &entry = *shape.add_dim();
    if (hasSymbolicDims && dim == 0)
      entry.set_dim_param(value.name + "_rows");
    else
      entry.set_dim_value(size);
  }
}

} // namespace

int32_t onnxTypeOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return TensorProto::FLOAT;
  case ElementType::F16:
    return TensorProto::FLOAT16;
  case ElementType::BF16:
    return TensorProto::BFLOAT16;
  case ElementType::F64:
    return TensorProto::DOUBLE;
  case ElementType::I64:
    return TensorProto::INT64;
  case ElementType::I32:
    return TensorProto::INT32;
  case ElementType::I16:
    return TensorProto::INT16;
  case ElementType::I8:
    return TensorProto::INT8;
  case ElementType::I1:
    return TensorProto::BOOL;
  case ElementType::UI64:
    return TensorProto::UINT64;
  case ElementType::UI32:
    return TensorProto::UINT32;
  case ElementType::UI16:
    return TensorProto::UINT16;
  case ElementType::UI8:
    return TensorProto::UINT8;
  }
  llvm_unreachable("every element type is listed");
}

TensorProto toTensorProto(llvm::StringRef name, const Tensor &tensor, bool isRaw) {
  TensorProto proto;
  proto.set_name(name.str());
  proto.set_data_type(onnxTypeOf(tensor.getType()));
  for (int64_t size : tensor.getShape())
    proto.add_dims(size);
  bool inField = !isRaw && hasOwnField(tensor.getType());
  std::string bytes;
  for (int64_t n = 0; n < tensor.size(); ++n) {
    if (inField)
      addToField(proto, tensor.getType(), tensor[n]);
    else
      appendElement(bytes, tensor.getType(), tensor[n]);
  }
  if (!inField)
    proto.set_raw_data(bytes);
  return proto;
}

const Value *Graph::find(llvm::StringRef name) const {
  auto found = llvm::find_if(values, [&](const Value &value) { return value.name == name; });
  return found == values.end() ? nullptr : &*found;
}

Value *Graph::find(llvm::StringRef name) {
  return const_cast<Value *>(static_cast<const Graph *>(this)->find(name));
}

std::set<std::string> Graph::usedNames() const {
  std::set<std::string> names(outputs.begin(), outputs.end());
  for (const onnx::NodeProto &node : nodes)
    names.insert(node.input().begin(), node.input().end());
  return names;
}

onnx::ModelProto Graph::toModel() const {
  onnx::ModelProto model;
  model.set_ir_version(opset >= firstOpsetOfNewest  ? newestVersion
                       : opset >= firstOpsetOfLater ? laterVersion
                                                    : plainVersion);
  model.set_producer_name("onnx-graphs");
  model.add_opset_import()->set_version(opset);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("seed " + std::to_string(seed));
  std::set<std::string> used = usedNames();
  for (const Value &value : values) {
    if (!used.count(value.name))
      continue;
    if (value.origin == Origin::Input)
      setType(*graph.add_input(), value, hasSymbolicDims);
    else if (value.origin == Origin::Initializer)
      *graph.add_initializer() =
          toTensorProto(value.name, value.data, /*isRaw=*/llvm::xxh3_64bits(value.name) & 1);
  }
  for (const onnx::NodeProto &node : nodes)
    *graph.add_node() = node;
  for (const std::string &name : outputs)
    setType(*graph.add_output(), *find(name), /*hasSymbolicDims=*/false);
  return model;
}

Graph withInitializers(Graph graph, const Value &output) {
  for (Value &value : graph.values) {
    bool hasRows = value.data.getRank() > 0 && output.data.getRank() > 0 &&
                   value.data.getDim(0) == output.data.getDim(0);
    if (value.origin == Origin::Input && !hasRows)
      value.origin = Origin::Initializer;
  }
  return graph;
}

std::string Graph::str() const {
  std::string text = "opset " + std::to_string(opset) + ":";
  for (const onnx::NodeProto &node : nodes) {
    text += " " + node.op_type() + "(" + llvm::join(node.input(), ", ") + ") -> " +
            llvm::join(node.output(), ", ") + ";";
  }
  return text;
}

} // namespace pcc::fuzz
