// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/kernels/TaskMachine.h"

#include "compiler/link/Linker.h"
#include "compiler/values/TensorAttr.h"
#include <bit>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using pcc::values::Tensor;

namespace pcc::test {

void *loadObject(const std::string &elf) {
  int file = memfd_create("kernels", 0);
  EXPECT_EQ(write(file, elf.data(), elf.size()), ssize_t(elf.size()));
  std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  close(file);
  return library;
}

TaskMachine::TaskMachine(ModuleOp module, const lower::KernelObject &object, int64_t pieces,
                         bool finishes)
    : module(module), program(*module.getOps<task::ProgramOp>().begin()), pieces(pieces),
      finishes(finishes) {
  if (!object.elf.empty())
    library = loadObject(object.elf);
  spaces[task::Space::Persistent].resize(program.getPersistentBytes() + 64);
  spaces[task::Space::Temporary].resize(program.getTemporaryBytes() + 64, char(0xa5));
  spaces[task::Space::Constant].resize(program.getConstantBytes() + 64);
  spaces[task::Space::Input].resize(program.getInputBytes() + 64);
  for (auto buffer : program.getBody().front().getOps<task::BufferOp>())
    if (ElementsAttr value = buffer.getValueAttr()) {
      FailureOr<std::string> bytes = link::bytesOf(value);
      EXPECT_TRUE(succeeded(bytes));
      llvm::copy(*bytes, addressOf(buffer));
    }
}

TaskMachine::~TaskMachine() {
  if (library)
    dlclose(library);
}

char *TaskMachine::addressOf(Value value) {
  int64_t offset = 0;
  while (auto view = value.getDefiningOp<task::ViewOp>()) {
    offset += view.getOffset();
    value = view.getSource();
  }
  auto buffer = value.getDefiningOp<task::BufferOp>();
  uintptr_t base = reinterpret_cast<uintptr_t>(spaces[buffer.getSpace()].data());
  return reinterpret_cast<char *>((base + 63) / 64 * 64) + buffer.getOffset() + offset;
}

void TaskMachine::launch(task::LaunchOp op) {
  using Kernel = void (*)(void *const *, const int64_t *, int64_t, int64_t);
  auto kernel = reinterpret_cast<Kernel>(dlsym(library, op.getKernel().str().c_str()));
  ASSERT_NE(kernel, nullptr) << op.getKernel().str();
  std::vector<void *> buffers;
  for (Value buffer : op.getBuffers())
    buffers.push_back(addressOf(buffer));
  int64_t trip = op.getTrip();
  for (int64_t piece = pieces - 1; piece >= 0; --piece)
    kernel(buffers.data(), nullptr, trip * piece / pieces, trip * (piece + 1) / pieces);
}

/// Calls `visit(input, weight, result)` with the positions of the elements of each product.
template <typename Visit> static void visitProducts(task::ConvolutionOp op, Visit visit) {
  auto shapeOf = [](Value buffer) { return cast<ShapedType>(buffer.getType()).getShape(); };
  ArrayRef<int64_t> input = shapeOf(op.getInput()), weight = shapeOf(op.getWeight()),
                    result = shapeOf(op.getResult());
  int64_t outputsPerGroup = weight[0] / (input[1] / weight[1]);
  auto position = [&](unsigned dim, int64_t at, int64_t offset) {
    return at * op.getStrides()[dim] - op.getPadding()[dim] + offset * op.getDilations()[dim];
  };
  for (int64_t n = 0; n < input[0] * weight[0] * weight[1]; ++n) {
    int64_t image = n / (weight[0] * weight[1]), filter = n % (weight[0] * weight[1]);
    int64_t output = filter / weight[1], plane = image * weight[0] + output;
    int64_t channel = output / outputsPerGroup * weight[1] + filter % weight[1];
    for (int64_t at = 0; at < result[2] * result[3]; ++at)
      for (int64_t offset = 0; offset < weight[2] * weight[3]; ++offset) {
        int64_t row = position(0, at / result[3], offset / weight[3]);
        int64_t column = position(1, at % result[3], offset % weight[3]);
        if (row >= 0 && row < input[2] && column >= 0 && column < input[3])
          visit(((image * input[1] + channel) * input[2] + row) * input[3] + column,
                filter * weight[2] * weight[3] + offset, plane * result[2] * result[3] + at);
      }
  }
}

void TaskMachine::convolve(task::ConvolutionOp op) {
  auto *input = reinterpret_cast<float *>(addressOf(op.getInput()));
  auto *weight = reinterpret_cast<float *>(addressOf(op.getWeight()));
  auto *result = reinterpret_cast<float *>(addressOf(op.getResult()));
  auto *bias = op.getBias() ? reinterpret_cast<float *>(addressOf(op.getBias())) : nullptr;
  bool isForward = op.getKind() == task::ConvolutionKind::Forward;
  bool isInput = op.getKind() == task::ConvolutionKind::InputGradient;
  Value out = isForward ? op.getResult() : isInput ? op.getInput() : op.getWeight();
  auto type = cast<ShapedType>(out.getType());
  std::vector<double> sums(type.getNumElements(), 0.0);
  visitProducts(op, [&](int64_t i, int64_t w, int64_t r) {
    double a = isInput ? result[r] : input[i], b = isForward || isInput ? weight[w] : result[r];
    sums[isForward ? r : isInput ? i : w] += a * b;
  });
  float *target = isForward ? result : isInput ? input : weight;
  for (int64_t n = 0; n < type.getNumElements(); ++n) {
    double value = sums[n];
    if (bias)
      value += bias[n / (type.getDimSize(2) * type.getDimSize(3)) % type.getDimSize(1)];
    target[n] = op.getActivation() == task::Activation::Relu ? std::max(value, 0.0) : value;
  }
}

namespace {
/// A bf16 in memory: the upper half of an f32.
struct Bf16 {
  uint16_t bits;

  explicit Bf16(float value) : bits(std::bit_cast<uint32_t>(value) >> 16) {}
};
} // namespace

/// Calls `visit(position, element)` for every element with its type in memory.
template <typename Visit>
static void visitElements(Type type, char *data, int64_t count, Visit visit) {
  for (int64_t n = 0; n < count; ++n) {
    if (type.isF32())
      visit(n, reinterpret_cast<float *>(data)[n]);
    else if (type.isF64())
      visit(n, reinterpret_cast<double *>(data)[n]);
    else if (type.isInteger(64))
      visit(n, reinterpret_cast<int64_t *>(data)[n]);
    else if (type.isInteger(32))
      visit(n, reinterpret_cast<int32_t *>(data)[n]);
    else if (type.isInteger(16))
      visit(n, reinterpret_cast<int16_t *>(data)[n]);
    else if (type.isInteger(8) || type.isInteger(1))
      visit(n, reinterpret_cast<int8_t *>(data)[n]);
    else if (type.isF16())
      visit(n, reinterpret_cast<_Float16 *>(data)[n]);
    else
      visit(n, reinterpret_cast<Bf16 *>(data)[n]);
  }
}

static void writeTensor(const Tensor &tensor, Type type, char *data) {
  visitElements(type, data, tensor.size(), [&](int64_t n, auto &element) {
    using T = std::remove_reference_t<decltype(element)>;
    if constexpr (std::is_same_v<T, double>)
      element = tensor[n].f;
    else
      element = tensor.isFloat() ? static_cast<T>(static_cast<float>(tensor[n].f))
                                 : static_cast<T>(tensor[n].i);
  });
}

static Tensor readTensor(ShapedType type, const char *data) {
  return *values::tensorOfBytes(*values::elementTypeOf(type.getElementType()), type.getShape(),
                                {data, static_cast<size_t>(task::bytesOf(type))});
}

/// Multiplies in the element types of the operands, with sums in doubles.
void TaskMachine::multiply(task::MatmulOp op) {
  auto read = [&](Value buffer) {
    return readTensor(cast<ShapedType>(buffer.getType()), addressOf(buffer));
  };
  Tensor a = read(op.getA()), b = read(op.getB()), c = read(op.getC());
  Tensor bias = op.getBias() ? read(op.getBias()) : Tensor();
  MutableArrayRef<values::Element> out = c.mutableElements();
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  for (int64_t at = 0; at < c.size(); ++at) {
    int64_t batch = at / (m * n), i = at / n % m, j = at % n;
    double sum = bias.hasValue() ? bias[j].f : 0;
    for (int64_t p = 0; p < k; ++p)
      sum += a[batch * m * k + (op.getTransposeA() ? p * m + i : i * k + p)].f *
             b[batch * k * n + (op.getTransposeB() ? j * k + p : p * n + j)].f;
    out[at].f = op.getActivation() == task::Activation::Relu ? std::max(sum, 0.0) : sum;
  }
  writeTensor(c, cast<ShapedType>(op.getC().getType()).getElementType(), addressOf(op.getC()));
}

std::map<std::string, Tensor> TaskMachine::run(StringRef name,
                                               const std::map<std::string, Tensor> &inputs) {
  Block &body = program.getBody().front();
  for (auto input : body.getOps<task::InputOp>())
    if (auto it = inputs.find(input.getName().str()); it != inputs.end())
      writeTensor(it->second, cast<ShapedType>(input.getBuffer().getType()).getElementType(),
                  addressOf(input.getBuffer()));
  for (auto section : body.getOps<task::SectionOp>()) {
    if (section.getSymName() != name)
      continue;
    for (Operation &op : section.getBody().front()) {
      if (auto kernel = dyn_cast<task::LaunchOp>(op))
        launch(kernel);
      else if (support(&op))
        continue;
      else if (auto matmul = dyn_cast<task::MatmulOp>(op))
        multiply(matmul);
      else if (auto convolution = dyn_cast<task::ConvolutionOp>(op))
        convolve(convolution);
      else if (auto attention = dyn_cast<task::AttentionOp>(op))
        attend(attention);
      else
        ADD_FAILURE() << "no such record here: " << op.getName().getStringRef().str();
    }
  }
  std::map<std::string, Tensor> outputs;
  for (auto result : body.getOps<task::ResultOp>())
    if (result.getSection() == name)
      outputs[result.getName().str()] =
          readTensor(cast<ShapedType>(result.getBuffer().getType()), addressOf(result.getBuffer()));
  return outputs;
}

} // namespace pcc::test
