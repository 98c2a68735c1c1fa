// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs convolutions with oneDNN. The library chooses the layouts of its tensors. If a layout
// differs from the program's, a reorder before the convolution copies an operand to scratch memory,
// or a reorder after it copies the result back. A primitive's workspace is scratch memory, too: the
// library's own belongs to the thread that prepares.
//
// The weight gradient sums over the batch in an order that depends on the number of threads. So may
// Winograd's sums over many channels. All other sums do not depend on it.

#include "runtime/abi/ElementTypes.h"
#include "runtime/device/host/convolution/Convolution.h"

#include <functional>
#include <vector>

namespace pcc::runtime::host {
namespace {

/// A primitive with its arguments.
struct Step {
  PrimitiveHandle primitive;
  std::vector<dnnl_exec_arg_t> arguments;
};

/// A convolution with its reorders.
struct PreparedConvolution final : PreparedInstruction {
  Status run(const ActionValues &) override {
    for (auto [memory, offset] : inScratch)
      dnn->memorySetDataHandle(memory, scratch->get() + offset);
    for (const Step &step : steps) {
      dnnl_status_t status = dnn->execute(step.primitive.get(), stream.get(),
                                          int(step.arguments.size()), step.arguments.data());
      if (status != dnnl_success)
        return Status::failed(fmt::format("oneDNN's convolution failed (status {})", int(status)));
    }
    return {};
  }

  const OneDnn *dnn;
  std::shared_ptr<Scratch> scratch;
  Handle<dnnl_stream_t> stream;
  std::vector<MemoryHandle> memories;
  std::vector<std::pair<dnnl_memory_t, uint64_t>> inScratch; ///< with their offsets
  std::vector<Step> steps;
};

/// A tensor of a convolution.
struct Tensor {
  dnnl_memory_desc_t plain = {};         ///< the program's layout
  dnnl_memory_desc_t any = {};           ///< a layout that the library chooses
  std::byte *address = nullptr;          ///< null: no such tensor
  int argument = 0;                      ///< the library's argument number
  dnnl_query_t query = dnnl_query_undef; ///< query for a primitive's layout of it
  bool written = false;
};

class Builder {
public:
  Builder(const abi::Convolution &shape, const PrepareContext &context, const OneDnn &dnn,
          bool winograd, std::shared_ptr<Scratch> scratch)
      : shape(shape), context(context), dnn(dnn), winograd(winograd),
        instruction(std::make_unique<PreparedConvolution>()) {
    instruction->dnn = &dnn;
    instruction->scratch = std::move(scratch);
  }

  Expected<PreparedPointer> build();

private:
  void describeTensors();
  Tensor describe(const abi::Operand &operand, const std::vector<int64_t> &sizes);
  Handle<dnnl_primitive_desc_t> describePrimitive(dnnl_alg_kind_t algorithm);
  Handle<dnnl_primitive_attr_t> makeAttributes(abi::Activation activation);
  void addConvolution(const dnnl_primitive_desc_t desc);
  dnnl_memory_t addMemory(const dnnl_memory_desc_t &desc, std::byte *address);
  void addReorder(const dnnl_memory_desc_t &from, dnnl_memory_t source,
                  const dnnl_memory_desc_t &to, dnnl_memory_t target);
  Step makeStep(const_dnnl_primitive_desc_t desc);
  dnnl_memory_t addScratch(const dnnl_memory_desc_t &desc);
  /// Keeps the first status that is not success.
  void note(dnnl_status_t status) {
    if (failure == dnnl_success)
      failure = status;
  }

  const abi::Convolution &shape;
  const PrepareContext &context;
  const OneDnn &dnn;
  const bool winograd;
  std::unique_ptr<PreparedConvolution> instruction;
  Tensor input, weight, result, bias;
  uint64_t scratchBytes = 0;
  dnnl_status_t failure = dnnl_success;
};

Tensor Builder::describe(const abi::Operand &operand, const std::vector<int64_t> &sizes) {
  Tensor tensor;
  int rank = int(sizes.size());
  dnnl_dims_t extents, strides;
  int64_t stride = 1;
  for (int dim = rank - 1; dim >= 0; --dim) {
    extents[dim] = sizes[dim];
    strides[dim] = stride;
    stride *= sizes[dim];
  }
  dnnl_data_type_t type = libraryType(shape.type());
  note(dnn.memoryDescInit(&tensor.plain, rank, extents, type, strides));
  note(dnn.memoryDescInitByTag(&tensor.any, rank, extents, type, dnnl_format_tag_any));
  tensor.address = context.memory.address(context.program, operand);
  return tensor;
}

void Builder::describeTensors() {
  auto sizesOf = [](const auto &list) { return std::vector<int64_t>(list.begin(), list.end()); };
  std::vector<int64_t> weightSizes = sizesOf(shape.weight_shape());
  if (int64_t groups = shape.input_shape(1) / weightSizes[1]; groups > 1) {
    weightSizes[0] /= groups;
    weightSizes.insert(weightSizes.begin(), groups);
  }
  input = describe(shape.input(), sizesOf(shape.input_shape()));
  weight = describe(shape.weight(), weightSizes);
  result = describe(shape.result(), sizesOf(shape.result_shape()));
  if (shape.has_bias())
    bias = describe(shape.bias(), {shape.weight_shape(0)});
  auto call = [](Tensor &tensor, int argument, dnnl_query_t query, bool written = false) {
    tensor.argument = argument;
    tensor.query = query;
    tensor.written = written;
  };
  switch (shape.kind()) {
  case abi::Convolution::INPUT_GRADIENT:
    call(input, DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, true);
    call(weight, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    return call(result, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
  case abi::Convolution::WEIGHT_GRADIENT:
    call(input, DNNL_ARG_SRC, dnnl_query_src_md);
    call(weight, DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, true);
    return call(result, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md);
  default:
    call(input, DNNL_ARG_SRC, dnnl_query_src_md);
    call(weight, DNNL_ARG_WEIGHTS, dnnl_query_weights_md);
    return call(result, DNNL_ARG_DST, dnnl_query_dst_md, true);
  }
}

Handle<dnnl_primitive_attr_t> Builder::makeAttributes(abi::Activation activation) {
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_post_ops_t postOps = nullptr;
  note(dnn.attributesCreate(&attributes));
  Handle<dnnl_primitive_attr_t> handle(attributes, dnn.attributesDestroy);
  note(dnn.setScratchpadMode(attributes, dnnl_scratchpad_mode_user));
  if (activation != abi::RELU)
    return handle;
  note(dnn.postOpsCreate(&postOps));
  note(dnn.appendEltwise(postOps, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f));
  note(dnn.setPostOps(attributes, postOps));
  dnn.postOpsDestroy(postOps);
  return handle;
}

/// Returns null if the library does not have this algorithm.
Handle<dnnl_primitive_desc_t> Builder::describePrimitive(dnnl_alg_kind_t algorithm) {
  dnnl_dims_t strides, dilations, before, after;
  for (int dim : {0, 1}) {
    strides[dim] = shape.strides(dim);
    dilations[dim] = shape.dilations(dim) - 1; // the library counts skipped elements
    before[dim] = shape.padding(dim);
    after[dim] = shape.padding(dim + 2);
  }
  dnnl_convolution_desc_t desc;
  switch (shape.kind()) {
  case abi::Convolution::INPUT_GRADIENT:
    note(dnn.convolutionBackwardData(&desc, algorithm, &input.any, &weight.any, &result.any,
                                     strides, dilations, before, after));
    break;
  case abi::Convolution::WEIGHT_GRADIENT:
    note(dnn.convolutionBackwardWeights(&desc, algorithm, &input.any, &weight.any, nullptr,
                                        &result.any, strides, dilations, before, after));
    break;
  default:
    // Use training mode. In inference mode the library would choose a layout with the channels
    // innermost, and converting planes to it costs more than it saves.
    note(dnn.convolutionForward(&desc, dnnl_forward_training, algorithm, &input.any, &weight.any,
                                bias.address ? &bias.plain : nullptr, &result.any, strides,
                                dilations, before, after));
  }
  Handle<dnnl_primitive_attr_t> attributes = makeAttributes(shape.activation());
  dnnl_primitive_desc_t primitiveDesc = nullptr;
  if (failure == dnnl_success && dnn.primitiveDescCreate(&primitiveDesc, &desc, attributes.get(),
                                                         dnn.engine, nullptr) != dnnl_success)
    return {};
  return {primitiveDesc, dnn.primitiveDescDestroy};
}

/// Returns the primitive with its scratch memory.
Step Builder::makeStep(const_dnnl_primitive_desc_t desc) {
  dnnl_primitive_t primitive = nullptr;
  note(dnn.primitiveCreate(&primitive, desc));
  Step step{{primitive, dnn.primitiveDestroy}, {}};
  const dnnl_memory_desc_t &pad = *dnn.primitiveDescQuery(desc, dnnl_query_scratchpad_md, 0);
  if (dnn.memoryDescGetSize(&pad) > 0)
    step.arguments.push_back({DNNL_ARG_SCRATCHPAD, addScratch(pad)});
  return step;
}

dnnl_memory_t Builder::addScratch(const dnnl_memory_desc_t &desc) {
  dnnl_memory_t memory = addMemory(desc, DNNL_MEMORY_NONE);
  instruction->inScratch.emplace_back(memory, scratchBytes);
  scratchBytes += (dnn.memoryDescGetSize(&desc) + 63) / 64 * 64;
  return memory;
}

dnnl_memory_t Builder::addMemory(const dnnl_memory_desc_t &desc, std::byte *address) {
  dnnl_memory_t memory = nullptr;
  note(dnn.memoryCreate(&memory, &desc, dnn.engine, address));
  instruction->memories.emplace_back(memory, dnn.memoryDestroy);
  return memory;
}

void Builder::addReorder(const dnnl_memory_desc_t &from, dnnl_memory_t source,
                         const dnnl_memory_desc_t &to, dnnl_memory_t target) {
  Handle<dnnl_primitive_attr_t> attributes = makeAttributes(abi::ACTIVATION_NONE);
  dnnl_primitive_desc_t desc = nullptr;
  note(dnn.reorderDescCreate(&desc, &from, dnn.engine, &to, dnn.engine, attributes.get()));
  Handle<dnnl_primitive_desc_t> owned(desc, dnn.primitiveDescDestroy);
  if (failure != dnnl_success)
    return;
  Step reorder = makeStep(desc);
  reorder.arguments.push_back({DNNL_ARG_FROM, source});
  reorder.arguments.push_back({DNNL_ARG_TO, target});
  instruction->steps.push_back(std::move(reorder));
}

/// Adds the convolution between the reorders required by the layouts in `desc`.
void Builder::addConvolution(const dnnl_primitive_desc_t desc) {
  Step convolution = makeStep(desc);
  std::function<void()> behind = [] {};
  for (const Tensor *tensor : {&input, &weight, &result}) {
    const dnnl_memory_desc_t &chosen = *dnn.primitiveDescQuery(desc, tensor->query, 0);
    dnnl_memory_t own = addMemory(tensor->plain, tensor->address), used = own;
    if (!dnn.memoryDescEqual(&chosen, &tensor->plain)) {
      used = addScratch(chosen);
      if (tensor->written)
        behind = [=, this, &chosen] { addReorder(chosen, used, tensor->plain, own); };
      else
        addReorder(tensor->plain, own, chosen, used);
    }
    convolution.arguments.push_back({tensor->argument, used});
  }
  if (bias.address)
    convolution.arguments.push_back({DNNL_ARG_BIAS, addMemory(bias.plain, bias.address)});
  instruction->steps.push_back(std::move(convolution));
  behind();
}

Expected<PreparedPointer> Builder::build() {
  dnnl_stream_t stream = nullptr;
  note(dnn.streamCreate(&stream, dnn.engine, dnnl_stream_default_flags));
  instruction->stream = {stream, dnn.streamDestroy};
  describeTensors();
  Handle<dnnl_primitive_desc_t> desc;
  if (winograd)
    desc = describePrimitive(dnnl_convolution_winograd);
  if (!desc.get())
    desc = describePrimitive(dnnl_convolution_direct);
  if (desc.get())
    addConvolution(desc.get());
  else
    note(dnnl_unimplemented);
  if (failure != dnnl_success)
    return Status::unavailable(fmt::format("oneDNN has no such convolution of {} here (status {})",
                                           abi::elementName(shape.type()), int(failure)));
  if (Status status = instruction->scratch->reserve(scratchBytes); !status.ok())
    return status;
  return PreparedPointer(std::move(instruction));
}

} // namespace

Expected<PreparedPointer> prepareLibraryConvolution(const abi::Convolution &convolution,
                                                    const PrepareContext &context,
                                                    const OneDnn &dnn, bool winograd,
                                                    std::shared_ptr<Scratch> scratch) {
  return Builder(convolution, context, dnn, winograd, std::move(scratch)).build();
}

} // namespace pcc::runtime::host
