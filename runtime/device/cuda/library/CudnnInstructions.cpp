// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prepared instruction is a plan and a variant pack, which binds tensor identifiers to addresses.
// The key of a plan is the serialized instruction without its operands. Whatever prevents the use
// of cuDNN gives null; callers then use support kernels.

#include "runtime/device/cuda/library/CudnnInstructions.h"

#include "runtime/device/cuda/library/CudnnInstructionGraphs.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pcc::runtime::cuda {
namespace {

using dnn::Attribute;
using dnn::Cudnn;
using dnn::Plan;

/// The host scalars of an attention; their addresses must not change.
struct HostNumbers {
  float scale = 1, one = 1, hidden = -std::numeric_limits<float>::infinity();
  int32_t positions = 0, keyPositions = 0;
};

/// The identifiers of a graph's tensors, with their addresses.
struct Bindings {
  std::vector<int64_t> numbers;
  std::vector<void *> addresses;

  void add(int64_t number, const void *address) {
    numbers.push_back(number);
    addresses.push_back(const_cast<void *>(address));
  }
};

class CudnnInstruction final : public PreparedInstruction {
public:
  CudnnInstruction(const abi::Instruction &instruction, std::shared_ptr<const Plan> plan,
                   dnn::Handle handle, std::unique_ptr<HostNumbers> host, const Bindings &bindings,
                   std::byte *workspace, Stream &stream)
      : instruction(instruction), library(*Cudnn::get()), plan(std::move(plan)), handle(handle),
        host(std::move(host)), pack(library, dnn::Kind::VariantPack), stream(stream) {
    pack.setAll(Attribute::PackUniqueIds, bindings.numbers)
        .setAll(Attribute::PackDataPointers, bindings.addresses)
        .set(Attribute::PackWorkspace, static_cast<void *>(workspace))
        .finalize();
  }

  bool isReady() const { return pack.status().ok(); }
  ActionValueUse uses() const override { return {}; }

  Status run(const ActionValues &) override {
    return stream.enqueued(
        instruction, library.check(library.execute(handle, plan->descriptor().get(), pack.get()),
                                   "cudnnBackendExecute"));
  }

private:
  const abi::Instruction &instruction;
  const Cudnn &library;
  const std::shared_ptr<const Plan> plan;
  const dnn::Handle handle;
  const std::unique_ptr<HostNumbers> host;
  dnn::Descriptor pack;
  Stream &stream;
};

/// Returns the key of a plan: the instruction without its operands.
std::string shapeOf(const abi::Instruction &instruction) {
  abi::Instruction shape;
  if (instruction.has_convolution()) {
    abi::Convolution &c = *shape.mutable_convolution() = instruction.convolution();
    c.clear_input();
    c.clear_weight();
    c.clear_result();
    if (c.has_bias())
      c.mutable_bias()->Clear();
    return shape.SerializeAsString();
  }
  abi::Attention &a = *shape.mutable_attention() = instruction.attention();
  for (auto clear :
       {&abi::Attention::clear_query, &abi::Attention::clear_key, &abi::Attention::clear_value,
        &abi::Attention::clear_result, &abi::Attention::clear_log_sum})
    (a.*clear)();
  if (a.has_mask())
    a.mutable_mask()->Clear();
  if (a.has_gradients())
    a.mutable_gradients()->Clear();
  return shape.SerializeAsString();
}

/// Returns the bytes of the row means of an attention's gradient, which follow the plan's own
/// workspace.
uint64_t bytesOfMeans(const abi::Instruction &instruction) {
  const abi::Attention &a = instruction.attention();
  return a.has_gradients() ? uint64_t(a.batch() * a.heads() * a.positions()) * sizeof(float) : 0;
}

template <typename Address> Bindings bindConvolution(const abi::Convolution &c, Address address) {
  using Number = dnn::ConvolutionTensor;
  Bindings bindings;
  bindings.add(Number::input, address(c.input()));
  bindings.add(Number::weight, address(c.weight()));
  bindings.add(Number::result, address(c.result()));
  if (c.has_bias())
    bindings.add(Number::bias, address(c.bias()));
  return bindings;
}

template <typename Address>
Bindings bindAttention(const abi::Attention &a, const std::byte *means, Address address) {
  using Number = dnn::AttentionTensor;
  Bindings bindings;
  bindings.add(Number::query, address(a.query()));
  bindings.add(Number::key, address(a.key()));
  bindings.add(Number::value, address(a.value()));
  bindings.add(Number::result, address(a.result()));
  bindings.add(Number::logSum, address(a.log_sum()));
  if (a.has_mask())
    bindings.add(Number::mask, address(a.mask()));
  if (!a.has_gradients())
    return bindings;
  bindings.add(Number::given, address(a.gradients().result()));
  bindings.add(Number::ofQuery, address(a.gradients().query()));
  bindings.add(Number::ofKey, address(a.gradients().key()));
  bindings.add(Number::ofValue, address(a.gradients().value()));
  bindings.add(Number::mean, means);
  return bindings;
}

/// Adds the host scalars that the graph of an attention uses.
std::unique_ptr<HostNumbers> bindHost(const abi::Attention &a, Bindings &bindings) {
  using Number = dnn::AttentionTensor;
  auto host = std::make_unique<HostNumbers>();
  host->scale = float(a.scale());
  host->positions = int32_t(a.positions());
  host->keyPositions = int32_t(a.key_positions());
  bindings.add(Number::scale, &host->scale);
  if (a.has_gradients())
    bindings.add(Number::one, &host->one);
  if (!a.causal())
    return host;
  bindings.add(Number::hidden, &host->hidden);
  if (a.positions() == a.key_positions())
    return host;
  bindings.add(Number::positions, &host->positions);
  bindings.add(Number::keyPositions, &host->keyPositions);
  return host;
}

/// Returns whether all addresses have the alignment that the graphs declare.
bool areAligned(const Bindings &bindings) {
  return std::all_of(bindings.addresses.begin(), bindings.addresses.end(), [](void *address) {
    return reinterpret_cast<uintptr_t>(address) % dnn::tensorAlignment == 0;
  });
}

} // namespace

Expected<std::byte *> Workspace::get(uint64_t bytes) {
  if (bytes > size) {
    // Sizes are powers of two, so all blocks together are less than twice the longest one.
    uint64_t rounded = std::bit_ceil(bytes);
    auto made = allocateOn(gpu, rounded);
    if (!made)
      made = allocateOn(gpu, rounded = bytes);
    if (!made)
      return made.status();
    blocks.push_back(std::move(*made));
    size = rounded;
    taken += rounded;
  }
  return blocks.empty() ? nullptr : blocks.back()->base;
}

CudnnInstructions::~CudnnInstructions() {
  if (!handle || !gpu->enter().ok())
    return;
  plans.clear();
  Cudnn::get()->destroy(handle);
}

/// Returns whether the library is available and accepts the GPU; checked once.
bool CudnnInstructions::open(Stream &stream) {
  if (std::exchange(isTried, true))
    return handle;
  const Expected<Cudnn> &library = Cudnn::get();
  if (!library || !gpu->enter().ok() || library->create(&handle) != dnn::Result::Success)
    handle = nullptr;
  if (handle && library->setStream(handle, stream.get()) != dnn::Result::Success) {
    library->destroy(handle);
    handle = nullptr;
  }
  return handle;
}

std::shared_ptr<const Plan> CudnnInstructions::planOf(const abi::Instruction &instruction) {
  auto [known, isNew] = plans.try_emplace(shapeOf(instruction));
  if (!isNew)
    return known->second;
  const Cudnn &library = *Cudnn::get();
  bool isAttention = instruction.has_attention();
  abi::ElementType type =
      isAttention ? instruction.attention().type() : instruction.convolution().type();
  auto plan = Plan::make({.library = library, .handle = handle},
                         isAttention ? dnn::attentionGraph(library, instruction.attention())
                                     : dnn::convolutionGraph(library, instruction.convolution()),
                         /*isExact=*/type == abi::F32 && !allowsTf32);
  if (plan)
    known->second = std::move(*plan);
  return known->second;
}

std::unique_ptr<PreparedInstruction> CudnnInstructions::prepare(const abi::Instruction &instruction,
                                                                const PrepareContext &context,
                                                                Stream &stream) {
  bool isAttention = instruction.has_attention();
  if ((isAttention && !dnn::isExpressible(instruction.attention())) || !open(stream) ||
      !gpu->enter().ok())
    return nullptr;
  std::shared_ptr<const Plan> plan = planOf(instruction);
  if (!plan)
    return nullptr;
  constexpr uint64_t step = 256; // greatest alignment that a tensor may need
  uint64_t own = (uint64_t(plan->workspaceBytes()) + step - 1) / step * step;
  Expected<std::byte *> memory = workspace.get(own + bytesOfMeans(instruction));
  if (!memory)
    return nullptr;
  auto address = [&](const abi::Operand &operand) {
    return context.memory.address(context.program, operand);
  };
  Bindings bindings = isAttention ? bindAttention(instruction.attention(), *memory + own, address)
                                  : bindConvolution(instruction.convolution(), address);
  if (!areAligned(bindings))
    return nullptr;
  std::unique_ptr<HostNumbers> host;
  if (isAttention)
    host = bindHost(instruction.attention(), bindings);
  auto prepared = std::make_unique<CudnnInstruction>(instruction, std::move(plan), handle,
                                                     std::move(host), bindings, *memory, stream);
  return prepared->isReady() ? std::move(prepared) : nullptr;
}

} // namespace pcc::runtime::cuda
