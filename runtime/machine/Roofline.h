// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of arithmetic on a device: it is bound either by the rate of its class or by memory
// (Williams, Waterman, Patterson: "Roofline", CACM 52(4), 2009).
//
// Products run at a rate of their sizes. Where units compute tiles (GPUs: NVIDIA, "Matrix
// Multiplication Background", 2023, chapter 3), bf16 on A100 with 108 units and tiles of 256x128:
//
//   2304x2304x2304   162 tiles, two rounds of 108   75 % of the tiles' time is used
//   2560x2304x2304   180 tiles, two rounds          83 %
//   3072x2304x2304   216 tiles, two rounds          100 %

#ifndef PCC_RUNTIME_MACHINE_ROOFLINE_H
#define PCC_RUNTIME_MACHINE_ROOFLINE_H

#include "runtime/abi/cluster.pb.h"
#include "runtime/machine/Product.h"

namespace pcc::machine {

/// What is reached of `peak`: all that was measured or published as seen, `share` of what a data
/// sheet tells, if a share is given.
double reached(const abi::Figure &peak, const abi::Figure &share);

/// Bytes per second that large arrays move at.
double memoryRate(const abi::DeviceFigures &device);
/// Bytes per second that collectives of many bytes move at, in one direction.
double linkRate(const abi::LinkFigures &link);

/// Flops per second of one device, as its figures have them; a type without a rate of its own has
/// that of F32.
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
