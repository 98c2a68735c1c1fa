// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plan/KnownKernels.h"

#include "passes/analysis/OpNames.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/kernels/Kernels.h"
#include "passes/analysis/kernels/Matmuls.h"
#include "runtime/machine/Roofline.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace pcc::plan {

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

KnownKernels::KnownKernels(func::FuncOp function, ArrayRef<KnownKernel> known,
                           function_ref<bool(Operation *)> isFree) {
  for (const KnownKernel &each : known) {
    llvm::Regex regex(each.ops);
    llvm::StringMap<int64_t> byName;
    for (Operation &op : function.getBody().front().without_terminator())
      if (hasCost(&op) && !numbers.contains(&op))
        if (std::optional<StringRef> name = findInstance(regex, &op))
          add(&op, each, isFree(&op), byName[*name]);
  }
}

void KnownKernels::add(Operation *op, const KnownKernel &known, bool isFree, int64_t &number) {
  if (number == 0) {
    instances.push_back({&known});
    number = static_cast<int64_t>(instances.size());
  }
  numbers[op] = number;
  Instance &instance = instances[number - 1];
  if (!instance.first && !isFree)
    instance.first = op;
  analysis::OpShapes shapes = analysis::OpShapes::of(op);
  for (const auto &shape : llvm::concat<const analysis::Shape>(shapes.operands, shapes.results))
    instance.elements = std::max(instance.elements, analysis::countElements(shape));
  for (const analysis::MatmulForm &product : analysis::listMatmuls(op))
    instance.flops += product.at(shapes).flops();
}

double KnownKernels::secondsAt(Operation *op, const abi::DeviceFigures &device) const {
  const Instance &instance = instances[numberOf(op) - 1];
  const KnownKernel &known = *instance.known;
  if (instance.first != op || (known.bytes == 0 && known.flopsPerSecond == 0))
    return 0;
  double rate = known.bytesPerSecond > 0 ? known.bytesPerSecond : machine::memoryRate(device);
  double moving = known.bytes * double(instance.elements) / rate;
  double multiplying = known.flopsPerSecond > 0 ? instance.flops / known.flopsPerSecond : 0;
  return device.launch_seconds().value() + std::max(moving, multiplying);
}

bool KnownKernels::has(const KnownKernel &known) const {
  return llvm::any_of(instances, [&](const Instance &each) { return each.known == &known; });
}

const KnownKernel *findUnused(ArrayRef<KnownKernel> known, ModuleOp module) {
  SmallVector<const KnownKernel *> unused;
  for (const KnownKernel &each : known)
    unused.push_back(&each);
  module.walk([&](func::FuncOp function) {
    KnownKernels kernels(function, known, [](Operation *) { return false; });
    llvm::erase_if(unused, [&](const KnownKernel *each) { return kernels.has(*each); });
  });
  return unused.empty() ? nullptr : unused.front();
}

} // namespace pcc::plan
