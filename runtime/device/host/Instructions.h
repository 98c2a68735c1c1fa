// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the local instructions for the host.

#ifndef PCC_RUNTIME_DEVICE_HOST_RECORDS_H
#define PCC_RUNTIME_DEVICE_HOST_RECORDS_H

#include "runtime/device/LaunchScalars.h"
#include "runtime/device/host/KernelObject.h"
#include "runtime/device/host/Scratch.h"
#include "runtime/device/host/Team.h"

namespace pcc::runtime::host {

using PreparedPointer = std::unique_ptr<PreparedInstruction>;

PreparedPointer prepareLaunch(const abi::Launch &launch, const PrepareContext &context,
                              const KernelObject &object, const Team &team);
PreparedPointer prepareCopy(const abi::Copy &copy, const PrepareContext &context);
PreparedPointer prepareFill(const abi::Fill &fill, const PrepareContext &context);
PreparedPointer prepareAccumulate(const abi::Accumulate &accumulate, const PrepareContext &context,
                                  const Team &team);

/// Errors: Unavailable without oneDNN, or for types without a oneDNN matmul on this machine.
Expected<PreparedPointer> prepareMatmul(const abi::Matmul &matmul, const PrepareContext &context,
                                        const Team &team);

/// Errors: Unavailable without oneDNN; no memory for `scratch`, in which half types are widened.
Expected<PreparedPointer> prepareAttention(const abi::Attention &attention,
                                           const PrepareContext &context, const Team &team,
                                           std::shared_ptr<Scratch> scratch);

/// Errors: Unavailable without oneDNN, or for types without a oneDNN convolution on this machine;
/// no memory for `scratch`, which holds the algorithm's copies.
Expected<PreparedPointer> prepareConvolution(const abi::Convolution &convolution,
                                             const PrepareContext &context, const Team &team,
                                             std::shared_ptr<Scratch> scratch);

} // namespace pcc::runtime::host

#endif // PCC_RUNTIME_DEVICE_HOST_RECORDS_H
