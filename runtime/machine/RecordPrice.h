// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a record that a rank does alone, by the roofline: what it multiplies or otherwise
// computes, beside the bytes that it reads and writes (abi::operandRanges). The matrix products of
// each kind of record, as passes/facts/Products.h has them for ops:
//
//   record                    batch  rows      columns  depth
//   matmul                    b      m         n        k
//   convolution               1      n y x     o        c v u
//     input gradient          1      n y x     c v u    o
//     weight gradient         1      o         c v u    n y x
//   attention                 b h    q         k        d        scores, then
//                             b h    q         e        k        their mean of the values
//     its gradients           five of that kind
//
// A causal attention computes half of each.

#ifndef PCC_RUNTIME_MACHINE_RECORDPRICE_H
#define PCC_RUNTIME_MACHINE_RECORDPRICE_H

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/program.pb.h"
#include "runtime/machine/Product.h"

#include <vector>

namespace pcc::machine {

/// The matrix products of a valid record; none if it has none.
std::vector<Product> productsOf(const abi::Record &record);

/// Bytes that a valid record of `program` reads and writes. `isFirst`: in the first slot of its
/// section in a step, where it does not read what it adds to later.
double movedBytes(const abi::Executable &executable, const abi::Program &program,
                  const abi::Record &record, bool isFirst);

/// Seconds of such a record, which is no collective, on a complete device (Cluster.h).
double priceRecord(const abi::DeviceFigures &device, const abi::Executable &executable,
                   const abi::Program &program, const abi::Record &record, bool isFirst);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_RECORDPRICE_H
