// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of two numbers.

#include "compiler/interpret/Map.h"
#include "compiler/interpret/Registry.h"
#include "compiler/interpret/Scalars.h"
#include "dialects/graph/Graph.h"

using namespace mlir;

namespace pcc::interpret {
namespace {

/// The op computed by overloads of one function for floats and integers.
template <typename OpT, double (*onFloats)(double, double), int64_t (*onIntegers)(int64_t, int64_t)>
void addBinary(Registry &registry) {
  registry.add<OpT>([](OpT, llvm::ArrayRef<Tensor> in) {
    return zipNumbers(in[0], in[1], onFloats, onIntegers);
  });
}

/// `f` of floats, `g` of integers, whose second operand must have no zero.
template <typename OpT, typename F, typename G> LogicalResult divide(OpCall &call, F f, G g) {
  const Tensor &x = call.operands[0], &y = call.operands[1];
  if (!y.isFloat() && llvm::any_of(y.elements(), [](Element e) { return e.i == 0; }))
    return call.fail("integer division by zero");
  call.results.push_back(zipNumbers(x, y, f, g));
  return success();
}

/// Towards zero; the least integer by -1 wraps to itself.
int64_t quotient(int64_t x, int64_t y) { return y == -1 ? subtract(int64_t(0), x) : x / y; }
int64_t remainder(int64_t x, int64_t y) { return y == -1 ? 0 : x % y; }

} // namespace

void registerArithmetic(Registry &registry) {
  addBinary<graph::AddOp, add, add>(registry);
  addBinary<graph::SubOp, subtract, subtract>(registry);
  addBinary<graph::MulOp, multiply, multiply>(registry);
  addBinary<graph::MaxOp, maximum, maximum>(registry);
  addBinary<graph::MinOp, minimum, minimum>(registry);
  registry.add<graph::PowOp>([](graph::PowOp, llvm::ArrayRef<Tensor> in) {
    return zipFloats(in[0], in[1], [](double x, double y) { return std::pow(x, y); });
  });
  registry.add<graph::DivOp>([](graph::DivOp, OpCall &call) {
    return divide<graph::DivOp>(call, [](double x, double y) { return x / y; }, quotient);
  });
  registry.add<graph::ModOp>([](graph::ModOp, OpCall &call) {
    return divide<graph::ModOp>(
        call, [](double x, double y) { return std::fmod(x, y); }, remainder);
  });
}

} // namespace pcc::interpret
