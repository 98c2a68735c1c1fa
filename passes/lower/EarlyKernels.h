// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that run in the last slot of another section than their own (`task.early`). Where that
// section has several slots, its last one runs a section of its own: the same records, and theirs.
//
//   slots   backward[0]  backward[1]  backward_last[2]  update
//   records of @backward        a  b  c
//           of @backward_last   a  b  all_reduce  c
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/task/Task.h"
#include "passes/facts/Kernels.h"
#include "passes/facts/Sections.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::lower {

/// A kernel and the section whose values it computes.
struct EarlyKernel {
  facts::Section *section = nullptr;
  facts::Kernel kernel;
};

class EarlyKernels {
public:
  explicit EarlyKernels(llvm::MutableArrayRef<facts::Section> sections);

  /// Those that run in the last slot of `section`, in their order.
  llvm::ArrayRef<EarlyKernel> in(llvm::StringRef section) const;
  /// The section that runs in the last slot of `section`: one of its own, or itself.
  std::string lastSlotOf(llvm::StringRef section) const;

private:
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<EarlyKernel>> kernels;
  llvm::StringMap<int64_t> runs; ///< by section
};

} // namespace pcc::lower
