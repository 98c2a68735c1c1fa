// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of arithmetic on a device: it is bound either by the rate of its class or by memory
// (Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009).

#ifndef PCC_RUNTIME_MACHINE_ROOFLINE_H
#define PCC_RUNTIME_MACHINE_ROOFLINE_H

#include "runtime/abi/cluster.pb.h"
#include "runtime/machine/Product.h"

namespace pcc::machine {

/// Flops per second of one device; a type without a rate of its own has that of F32.
double computeRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                   abi::ElementType type);

/// Seconds of a launch that does `flops` operations and moves `bytes` to and from memory.
double computeSeconds(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                      abi::ElementType type, double flops, double bytes);

/// Seconds in which the device multiplies, without a launch and whatever memory allows.
double productSeconds(const abi::DeviceFigures &device, abi::ElementType type,
                      const Product &product);

/// Seconds of a launch that only moves: `bytes` are those read and those written.
double moveSeconds(const abi::DeviceFigures &device, double bytes);

} // namespace pcc::machine

#endif // PCC_RUNTIME_MACHINE_ROOFLINE_H
