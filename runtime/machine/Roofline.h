// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of arithmetic on a device, bound by the rate of its class or by memory (Williams,
// Waterman, Patterson: "Roofline", CACM 52(4), 2009).
//
// The rate of a matmul depends on its size. Example with units that compute tiles (GPUs: NVIDIA,
// "Matrix Multiplication Background", 2023, chapter 3): bf16 on A100, 108 units, tiles of 256x128:
//
//   2304x2304x2304   162 tiles, two rounds of 108   75 % of the tiles' time is used
//   2560x2304x2304   180 tiles, two rounds          83 %
//   3072x2304x2304   216 tiles, two rounds          100 %

#pragma once

#include "runtime/abi/cluster.pb.h"
#include "runtime/abi/types.pb.h"
#include "runtime/machine/MatmulSize.h"

namespace pcc::machine {

/// Returns the reachable rate. A measured or published `peak` is reachable as it is. Of a data
/// sheet's `peak`, the fraction `share` is reachable, if given.
double reached(const abi::Figure &peak, const abi::Figure &share);

/// Returns the bytes per second at which large arrays move.
double memoryRate(const abi::DeviceFigures &device);
/// Returns the bytes per second at which large collectives move, in one direction.
double linkRate(const abi::LinkFigures &link);

/// Returns the flops per second of one device, as its figures state them. A type without a rate has
/// the rate of F32.
double computeRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                   abi::ElementType type);

/// Returns whether the figures state a rate of their own for the type.
bool hasRate(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
             abi::ElementType type);

/// Returns the seconds in which `devices` devices do the work of a step at their peak rates.
double peakSeconds(const abi::DeviceFigures &device, int64_t devices,
                   const google::protobuf::RepeatedPtrField<abi::ModelFlops> &work);

/// Returns the seconds of a launch that does `flops` operations and moves `bytes` to and from
/// memory.
double computeSeconds(const abi::DeviceFigures &device, abi::ComputeClass computeClass,
                      abi::ElementType type, double flops, double bytes);

/// Returns the flops per second of matmuls that lose nothing: no matmul of any size is faster.
double matmulRate(const abi::DeviceFigures &device, abi::ElementType type);

/// Returns the seconds of a matmul's arithmetic, without a launch and without memory limits.
double matmulSeconds(const abi::DeviceFigures &device, abi::ElementType type,
                     const MatmulSize &matmul);

/// Returns the seconds of a launch that only moves data; `bytes` counts reads and writes.
double moveSeconds(const abi::DeviceFigures &device, double bytes);

} // namespace pcc::machine
