// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares up to two primitives with the same arguments: one overwrites c, the other adds by a
// post-operation. Transposes are strides of the operands. Bias is an operand of the primitive, ReLU
// a post-operation.

#include "runtime/device/host/matmul/Matmul.h"

#include "runtime/abi/ElementTypes.h"

#include <vector>

namespace pcc::runtime::host {
namespace {

/// One primitive for each way in which the instruction may write its destination.
struct LibraryMatmulInstruction final : PreparedInstruction {
  Status run(const ActionValues &action) override {
    const PrimitiveHandle &primitive = adds(accumulation, action) ? adding : overwriting;
    dnnl_status_t status =
        dnn->execute(primitive.get(), stream.get(), int(arguments.size()), arguments.data());
    if (status != dnnl_success)
      return Status::failed(fmt::format("oneDNN's matmul failed (status {})", int(status)));
    return {};
  }

  const OneDnn *dnn;
  abi::Accumulation accumulation;
  PrimitiveHandle overwriting, adding;
  Handle<dnnl_stream_t> stream;
  std::vector<MemoryHandle> memories;
  std::vector<dnnl_exec_arg_t> arguments;
};

class Builder {
public:
  Builder(const MatmulCall &matmulCall, const OneDnn &dnn)
      : matmulCall(matmulCall), shape(matmulCall.shape), dnn(dnn) {}

  Expected<PreparedPointer> build();

private:
  dnnl_memory_desc_t describe(abi::ElementType type, int64_t batch, int64_t rows, int64_t columns,
                              bool transposed);
  void describeOperands();
  PrimitiveHandle makePrimitive(bool add);
  Handle<dnnl_primitive_attr_t> makeAttributes(bool add);
  void addArgument(LibraryMatmulInstruction &instruction, int argument,
                   const dnnl_memory_desc_t &desc, std::byte *address);
  /// Keeps the first status that is not success.
  void note(dnnl_status_t status) {
    if (failure == dnnl_success)
      failure = status;
  }

  const MatmulCall &matmulCall;
  const abi::Matmul &shape;
  const OneDnn &dnn;
  dnnl_memory_desc_t a = {}, b = {}, c = {}, bias = {};
  dnnl_status_t failure = dnnl_success;
};

dnnl_memory_desc_t Builder::describe(abi::ElementType type, int64_t batch, int64_t rows,
                                     int64_t columns, bool transposed) {
  dnnl_dims_t extents = {batch, rows, columns};
  dnnl_dims_t strides = {rows * columns, transposed ? 1 : columns, transposed ? rows : 1};
  // A matmul without a batch is the library's common case.
  int skipped = shape.batch() == 1 ? 1 : 0;
  dnnl_memory_desc_t desc = {};
  note(dnn.memoryDescInit(&desc, 3 - skipped, extents + skipped, libraryType(type),
                          strides + skipped));
  return desc;
}

void Builder::describeOperands() {
  abi::ElementType type = shape.type(), resultType = shape.result_type();
  a = describe(type, shape.batch(), shape.m(), shape.k(), shape.transpose_a());
  b = describe(type, shape.shared_b() ? 1 : shape.batch(), shape.k(), shape.n(),
               shape.transpose_b());
  c = describe(resultType, shape.batch(), shape.m(), shape.n(), false);
  if (matmulCall.bias)
    bias = describe(resultType, 1, 1, shape.n(), false);
}

Handle<dnnl_primitive_attr_t> Builder::makeAttributes(bool add) {
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t postOps = nullptr;
  note(dnn.attributesCreate(&attributes));
  Handle<dnnl_primitive_attr_t> handle(attributes, dnn.attributesDestroy);
  note(dnn.postOpsCreate(&postOps));
  if (add)
    note(dnn.appendSum(postOps, 1.0f));
  if (shape.activation() == abi::RELU)
    note(dnn.appendEltwise(postOps, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f));
  note(dnn.setPostOps(attributes, postOps));
  dnn.postOpsDestroy(postOps);
  return handle;
}

PrimitiveHandle Builder::makePrimitive(bool add) {
  dnnl_matmul_desc_t desc;
  dnnl_primitive_desc_t primitiveDesc = nullptr;
  dnnl_primitive_t primitive = nullptr;
  Handle<dnnl_primitive_attr_t> attributes = makeAttributes(add);
  note(dnn.matmulDescInit(&desc, &a, &b, matmulCall.bias ? &bias : nullptr, &c));
  if (failure == dnnl_success)
    note(dnn.primitiveDescCreate(&primitiveDesc, &desc, attributes.get(), dnn.engine, nullptr));
  if (failure != dnnl_success)
    return {};
  note(dnn.primitiveCreate(&primitive, primitiveDesc));
  dnn.primitiveDescDestroy(primitiveDesc);
  return {primitive, dnn.primitiveDestroy};
}

void Builder::addArgument(LibraryMatmulInstruction &instruction, int argument,
                          const dnnl_memory_desc_t &desc, std::byte *address) {
  dnnl_memory_t memory = nullptr;
  note(dnn.memoryCreate(&memory, &desc, dnn.engine, address));
  instruction.memories.emplace_back(memory, dnn.memoryDestroy);
  instruction.arguments.push_back({argument, memory});
}

Expected<PreparedPointer> Builder::build() {
  auto instruction = std::make_unique<LibraryMatmulInstruction>();
  instruction->dnn = &dnn;
  instruction->accumulation = shape.accumulation();
  dnnl_stream_t stream = nullptr;
  note(dnn.streamCreate(&stream, dnn.engine, dnnl_stream_default_flags));
  instruction->stream = {stream, dnn.streamDestroy};
  describeOperands();
  addArgument(*instruction, DNNL_ARG_SRC, a, matmulCall.a);
  addArgument(*instruction, DNNL_ARG_WEIGHTS, b, matmulCall.b);
  addArgument(*instruction, DNNL_ARG_DST, c, matmulCall.c);
  if (matmulCall.bias)
    addArgument(*instruction, DNNL_ARG_BIAS, bias, matmulCall.bias);
  if (shape.accumulation() != abi::ADD)
    instruction->overwriting = makePrimitive(false);
  if (shape.accumulation() != abi::OVERWRITE)
    instruction->adding = makePrimitive(true);
  if (failure != dnnl_success)
    return Status::unavailable(fmt::format("oneDNN has no matmul of {} into {} here (status {})",
                                           abi::elementName(shape.type()),
                                           abi::elementName(shape.result_type()), int(failure)));
  return PreparedPointer(std::move(instruction));
}

} // namespace

Expected<PreparedPointer> prepareLibraryMatmul(const MatmulCall &matmulCall, const OneDnn &dnn) {
  return Builder(matmulCall, dnn).build();
}

} // namespace pcc::runtime::host
