// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost of an instruction that a rank runs alone, by the roofline: its arithmetic, and the bytes
// that it reads and writes (abi::operandRanges). The matmuls of each kind of instruction, as
// passes/analysis/kernels/Matmuls.h lists them for ops:
//
//   instruction               batch  rows      columns  depth
//   matmul                    b      m         n        k
//   convolution               1      n y x     o        c v u
//     input gradient          1      n y x     c v u    o
//     weight gradient         1      o         c v u    n y x
//   attention                 b h    q         k        d        scores, then
//                             b h    q         e        k        the weighted mean of the values
//     its gradients           five matmuls of that kind
//
//   b        batch                        n        samples
//   m n k    sizes of the matmul          y x      pixels of the result
//   h        heads                        o c      channels of the result and of the input
//   q k      queries and keys             v u      window
//   d e      width of a key, of a value
//
// A causal attention computes the part of each matmul that queries see: half if there are as many
// keys (causalShare).

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/machine/MatmulSize.h"

#include <vector>

namespace pcc::machine {

/// Returns the matmuls of a valid instruction; empty if it has none.
std::vector<MatmulSize> matmulsOf(const abi::Instruction &instruction);

/// Returns the bytes that a valid instruction of `program` reads and writes. `isFirst`: the
/// instruction runs in the first action of its section in a step, where it does not read the
/// destination that it adds to later.
double movedBytes(const abi::Executable &executable, const abi::Program &program,
                  const abi::Instruction &instruction, bool isFirst);

/// Returns the seconds of a valid instruction that is no collective, on a complete device
/// (Cluster.h).
double estimateInstructionCost(const abi::DeviceFigures &device, const abi::Executable &executable,
                               const abi::Program &program, const abi::Instruction &instruction,
                               bool isFirst);

} // namespace pcc::machine
