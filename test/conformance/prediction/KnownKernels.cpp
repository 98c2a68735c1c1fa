// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/KnownKernels.h"

#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/kernels/Matmuls.h"
#include "passes/analysis/names/OpNames.h"
#include "runtime/machine/Roofline.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace pcc::conformance {
namespace {

/// One kernel of a function.
struct Instance {
  const KnownKernel *known;
  Operation *first = nullptr; ///< first op that is no view
  int64_t elements = 0;       ///< of the largest value that an op reads or returns
  double flops = 0;           ///< of matmuls

  void add(Operation *op, bool isView);
  double secondsOn(const abi::DeviceFigures &device) const;
};

/// The known kernels of one function.
struct Instances {
  std::vector<Instance> list;                   ///< index: kernel number minus one
  llvm::DenseMap<Operation *, int64_t> numbers; ///< of their ops, from 1

  Instances(ArrayRef<KnownKernel> known, func::FuncOp function,
            function_ref<bool(Operation *)> isView);
};

} // namespace

/// Returns the text that the ops of one kernel instance share: the match of the expression's group,
/// or the whole match if the expression has no group.
static std::optional<StringRef> findInstance(const llvm::Regex &regex, Operation *op) {
  SmallVector<StringRef> matches;
  for (StringRef name : analysis::getNames(op))
    if (regex.match(name, &matches))
      return matches[matches.size() > 1 ? 1 : 0];
  return std::nullopt;
}

static bool hasCost(Operation *op) {
  analysis::OpClass opClass = analysis::classOf(op);
  return opClass != analysis::OpClass::Communication && opClass != analysis::OpClass::Leaf &&
         !analysis::isRecomputed(op);
}

void Instance::add(Operation *op, bool isView) {
  if (!first && !isView)
    first = op;
  analysis::OpShapes shapes = analysis::OpShapes::of(op);
  for (const auto &shape : llvm::concat<const analysis::Shape>(shapes.operands, shapes.results))
    elements = std::max(elements, analysis::countElements(shape));
  for (const analysis::MatmulForm &matmul : analysis::listMatmuls(op))
    flops += matmul.at(shapes).flops();
}

double Instance::secondsOn(const abi::DeviceFigures &device) const {
  if (known->bytes == 0 && known->flopsPerSecond == 0)
    return 0;
  double rate = known->bytesPerSecond > 0 ? known->bytesPerSecond : machine::memoryRate(device);
  double moving = known->bytes * double(elements) / rate;
  double multiplying = known->flopsPerSecond > 0 ? flops / known->flopsPerSecond : 0;
  return device.launch_seconds().value() + std::max(moving, multiplying);
}

Instances::Instances(ArrayRef<KnownKernel> known, func::FuncOp function,
                     function_ref<bool(Operation *)> isView) {
  for (const KnownKernel &each : known) {
    llvm::Regex regex(each.ops);
    llvm::StringMap<int64_t> byName;
    for (Operation &op : function.getBody().front().without_terminator()) {
      std::optional<StringRef> name;
      if (hasCost(&op) && !numbers.contains(&op))
        name = findInstance(regex, &op);
      if (!name)
        continue;
      int64_t &number = byName[*name];
      if (number == 0) {
        list.push_back({&each});
        number = static_cast<int64_t>(list.size());
      }
      numbers[&op] = number;
      list[number - 1].add(&op, isView(&op));
    }
  }
}

plan::GivenKernels listKernels(const SystemKernels &kernels, func::FuncOp function,
                               const abi::DeviceFigures &device) {
  llvm::Regex views(kernels.views);
  auto isView = [&](Operation *op) {
    return !kernels.views.empty() && analysis::classOf(op) == analysis::OpClass::Movement &&
           llvm::any_of(analysis::getNames(op), [&](StringRef name) { return views.match(name); });
  };
  Instances instances(kernels.known, function, isView);
  plan::GivenKernels given;
  for (auto [op, number] : instances.numbers) {
    const Instance &instance = instances.list[number - 1];
    given.seconds[op] = instance.first == op ? instance.secondsOn(device) : 0;
  }
  for (Operation &op : function.getBody().front().without_terminator())
    if (isView(&op))
      given.seconds[&op] = 0;
  given.numbers = std::move(instances.numbers);
  return given;
}

const KnownKernel *findUnused(ArrayRef<KnownKernel> known, ModuleOp module) {
  SmallVector<const KnownKernel *> unused;
  for (const KnownKernel &each : known)
    unused.push_back(&each);
  module.walk([&](func::FuncOp function) {
    Instances instances(known, function, [](Operation *) { return false; });
    for (const Instance &instance : instances.list)
      llvm::erase(unused, instance.known);
  });
  return unused.empty() ? nullptr : unused.front();
}

} // namespace pcc::conformance
