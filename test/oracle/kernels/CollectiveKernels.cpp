// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the emitted kernels of collectives between ranks on one GPU (pcc_reduce_OP_T,
// pcc_box_OP_T, pcc_box_iN) with the host's functions: all bits are equal.
#include "compiler/Register.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/lower/Passes.h"
#include "passes/lower/host/EmitKernels.h"
#include "runtime/abi/ElementTypes.h"
#include "runtime/abi/program/SupportKernels.h"
#include "runtime/collective/local/Boxes.h"
#include "runtime/collective/local/Reduce.h"
#include "test/oracle/kernels/TaskMachine.h"
#include <bit>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace mlir;

namespace pcc::test {
namespace {

struct NamedType {
  const char *name;
  abi::ElementType type;
};
constexpr NamedType types[] = {{"f32", abi::F32},  {"f16", abi::F16},  {"bf16", abi::BF16},
                               {"f64", abi::F64},  {"i64", abi::I64},  {"i32", abi::I32},
                               {"i16", abi::I16},  {"i8", abi::I8},    {"ui64", abi::U64},
                               {"ui32", abi::U32}, {"ui16", abi::U16}, {"ui8", abi::U8},
                               {"i1", abi::BOOL}};
struct NamedReduction {
  const char *name;
  abi::ReduceOp op;
};
constexpr NamedReduction reductions[] = {
    {"sum", abi::SUM}, {"prod", abi::PROD}, {"max", abi::MAX}, {"min", abi::MIN}};

using Bytes = std::vector<std::byte>;

/// Returns a program with a collective of every type and reduction, and a move of every type.
std::string programText() {
  std::string buffers, records;
  for (const auto &[type, number] : types) {
    std::string name = "%" + std::string(type), memref = "memref<2x" + std::string(type) + ">";
    buffers +=
        "  " + name + " = task.buffer \"" + type + "\" persistent offset = 0 : " + memref + "\n";
    std::string both = " : " + memref + ", " + memref + "\n";
    std::string exchange = "    task.block_exchange " + name + " into " + name +
                           " groups = dense<[[0, 1]]> : tensor<1x2xi64> {moves = dense<[[0, 1, 0, "
                           "1, 1]]> : tensor<1x5xi64>";
    records += exchange + "}" + both;
    for (const auto &[reduction, op] : reductions) {
      std::string how = "reduction = #task<reduction " + std::string(reduction) + ">}";
      records += exchange + ", " + how + both;
      records += "    task.all_reduce " + name + " into " + name +
                 " groups = dense<[[0, 1]]> : tensor<1x2xi64> {" + how + both;
    }
  }
  return "task.program @p attributes {persistent_bytes = 64, temporary_bytes = 0, constant_bytes = "
         "0, input_bytes = 0} {\n" +
         buffers + "  task.section @s {\n" + records + "  }\n}\n";
}

/// Makes random bits; floats include NaN and infinities among ordinary numbers; bools are 0 or 1.
Bytes randomBytes(abi::ElementType type, int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count * abi::elementBytes(type));
  auto fill = [&](auto make) {
    for (int64_t n = 0; n < count; ++n) {
      auto value = make();
      std::memcpy(bytes.data() + n * sizeof value, &value, sizeof value);
    }
  };
  auto number = [&] { return float(std::normal_distribution<double>(0, 3)(random)); };
  auto rare = [&](float usual) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float values[] = {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity};
    return random() % 6 == 0 ? values[random() % 3] : usual;
  };
  switch (type) {
  case abi::F32:
    fill([&] { return rare(number()); });
    break;
  case abi::F16:
    fill([&] { return _Float16(rare(number())); });
    break;
  case abi::BF16:
    fill([&] { return uint16_t(std::bit_cast<uint32_t>(rare(number())) >> 16); });
    break;
  case abi::F64:
    fill([&] { return double(rare(number())); });
    break;
  case abi::BOOL:
    fill([&] { return uint8_t(random() % 2); });
    break;
  default:
    for (std::byte &byte : bytes)
      byte = std::byte(random());
  }
  return bytes;
}

class CollectiveKernels : public testing::Test {
protected:
  void SetUp() override;
  ~CollectiveKernels() override {
    if (library)
      dlclose(library);
  }
  void call(const std::string &name, std::vector<void *> pointers, std::vector<int64_t> numbers);

  void *library = nullptr;
};

void CollectiveKernels::SetUp() {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(programText(), &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(lower::createEmitGpuKernels());
  passes.addPass(lower::createEmulateGpuKernels());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  llvm::Expected<lower::KernelObject> object = lower::compileKernels(*module);
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  library = loadObject(object->elf);
}

void CollectiveKernels::call(const std::string &name, std::vector<void *> pointers,
                             std::vector<int64_t> numbers) {
  using Kernel = void (*)(void *const *, const int64_t *, int64_t, int64_t);
  auto kernel = reinterpret_cast<Kernel>(dlsym(library, name.c_str()));
  ASSERT_NE(kernel, nullptr) << name;
  kernel(pointers.data(), numbers.data(), 0, abi::numElementBlocks(numbers.front()));
}

/// Returns true for any NaN, whatever its other bits.
bool isNan(abi::ElementType type, const std::byte *element) {
  auto bits = [&](auto bits, auto infinity) {
    std::memcpy(&bits, element, sizeof bits);
    return decltype(infinity)(bits << 1) > decltype(infinity)(infinity << 1);
  };
  switch (type) {
  case abi::F32:
    return bits(uint32_t(), uint32_t(0x7f800000));
  case abi::F16:
    return bits(uint16_t(), uint16_t(0x7c00));
  case abi::BF16:
    return bits(uint16_t(), uint16_t(0x7f80));
  case abi::F64:
    return bits(uint64_t(), uint64_t(0x7ff0000000000000));
  default:
    return false;
  }
}

void expectSame(abi::ElementType type, const Bytes &got, const Bytes &expected,
                const std::string &what) {
  int64_t size = abi::elementBytes(type);
  ASSERT_EQ(got.size(), expected.size());
  for (int64_t at = 0; at < int64_t(got.size()); at += size) {
    bool areNan = isNan(type, &got[at]) && isNan(type, &expected[at]);
    ASSERT_TRUE(areNan || std::memcmp(&got[at], &expected[at], size) == 0)
        << what << ", element " << at / size;
  }
}

// Reduces three members, whose arrays have gaps between runs, to two destinations.
TEST_F(CollectiveKernels, ReductionsAreTheHosts) {
  constexpr int64_t run = 67, stride = 101, runs = 9, members = 3;
  for (const auto &[typeName, type] : types)
    for (const auto &[name, op] : reductions) {
      std::vector<Bytes> sources;
      for (int64_t member = 0; member < members; ++member)
        sources.push_back(randomBytes(type, stride * runs, 7 * member + type));
      Bytes first(run * runs * abi::elementBytes(type)), second = first, expected = first;
      std::vector<void *> from, to = {first.data(), second.data()};
      for (Bytes &source : sources)
        from.push_back(source.data());
      std::string kernel = "pcc_reduce_" + std::string(name) + "_" + typeName;
      call(kernel, {from.data(), to.data()}, {run * runs, run, stride, members, 2});
      for (int64_t n = 0; n < runs; ++n) {
        int64_t size = abi::elementBytes(type);
        std::vector<const std::byte *> parts;
        for (Bytes &source : sources)
          parts.push_back(source.data() + n * stride * size);
        std::byte *target = expected.data() + n * run * size;
        runtime::local::reduce(op, type, parts, {&target, 1}, run);
      }
      expectSame(type, first, expected, kernel);
      expectSame(type, second, expected, kernel + ", the second destination");
    }
}

// Moves a box of four dimensions from the middle of one tensor to the middle of another.
TEST_F(CollectiveKernels, BoxesAreTheHosts) {
  const std::vector<int64_t> sourceShape = {3, 5, 7, 11}, targetShape = {4, 3, 9, 8};
  const std::vector<int64_t> size = {2, 3, 5, 7}, from = {1, 2, 0, 3}, to = {2, 0, 4, 1};
  auto stridesOf = [](const std::vector<int64_t> &shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t dim = shape.size() - 1; dim > 0; --dim)
      strides[dim - 1] = strides[dim] * shape[dim];
    return strides;
  };
  auto padded = [](std::vector<int64_t> numbers, int64_t by) {
    numbers.insert(numbers.begin(), abi::maxBoxDims - numbers.size(), by);
    return numbers;
  };
  auto startOf = [](const std::vector<int64_t> &strides, const std::vector<int64_t> &start) {
    return std::inner_product(strides.begin(), strides.end(), start.begin(), int64_t(0));
  };
  std::vector<int64_t> sourceStrides = stridesOf(sourceShape);
  std::vector<int64_t> targetStrides = stridesOf(targetShape);
  std::vector<int64_t> numbers = {llvm::product_of(size)};
  for (const auto &list : {padded(size, 1), padded(sourceStrides, 0), padded(targetStrides, 0)})
    numbers.insert(numbers.end(), list.begin(), list.end());
  for (const auto &[typeName, type] : types) {
    int64_t bytes = abi::elementBytes(type);
    auto check = [&, type = type](const std::string &kernel, abi::ReduceOp op) {
      Bytes source = randomBytes(type, llvm::product_of(sourceShape), 11 + type);
      Bytes target = randomBytes(type, llvm::product_of(targetShape), 13 + type);
      Bytes expected = target;
      call(kernel,
           {source.data() + startOf(sourceStrides, from) * bytes,
            target.data() + startOf(targetStrides, to) * bytes},
           numbers);
      runtime::local::moveBox({source.data(), sourceShape, from},
                              {expected.data(), targetShape, to}, size, type, op);
      expectSame(type, target, expected, kernel);
    };
    check("pcc_box_i" + std::to_string(8 * bytes), abi::REDUCE_OP_UNSPECIFIED);
    for (const auto &[name, op] : reductions)
      check("pcc_box_" + std::string(name) + "_" + typeName, op);
  }
}

} // namespace
} // namespace pcc::test
