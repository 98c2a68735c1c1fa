// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a rank's convolutions and attention with cuDNN. It has one handle, one workspace for its
// plans, and one plan for all instructions of a shape, made when the first of them is prepared.

#ifndef PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNRECORDS_H
#define PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNRECORDS_H

#include "runtime/abi/program.pb.h"
#include "runtime/device/cuda/driver/Stream.h"
#include "runtime/device/cuda/library/CudnnPlan.h"
#include "runtime/device/cuda/library/Workspace.h"

#include <map>

namespace pcc::runtime::cuda {

class CudnnRecords {
public:
  /// `roundsFactors`: operands of f32 may be rounded to TF32.
  CudnnRecords(std::shared_ptr<const Gpu> gpu, bool roundsFactors)
      : gpu(gpu), roundsFactors(roundsFactors), workspace(std::move(gpu)) {}
  ~CudnnRecords();

  /// Prepares the convolution or attention. Returns null without the library, without a plan for
  /// the instruction, or without memory for the workspace.
  std::unique_ptr<PreparedRecord> prepare(const abi::Record &record, const PrepareContext &context,
                                          Stream &stream);

  /// Returns the bytes of GPU memory in use.
  uint64_t takenBytes() const { return workspace.takenBytes(); }

private:
  bool open(Stream &stream);
  std::shared_ptr<const dnn::Plan> planOf(const abi::Record &record);

  const std::shared_ptr<const Gpu> gpu;
  const bool roundsFactors;
  bool isTried = false;
  dnn::Handle handle = nullptr;
  Workspace workspace;
  /// By the instruction without its operands; null for instructions without a plan.
  std::map<std::string, std::shared_ptr<const dnn::Plan>> plans;
};

} // namespace pcc::runtime::cuda

#endif // PCC_RUNTIME_DEVICE_CUDA_LIBRARY_CUDNNRECORDS_H
