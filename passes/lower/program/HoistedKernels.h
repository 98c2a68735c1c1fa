// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds hoisted kernels: kernels that run in the last action of another section than their own
// (`task.hoisted`). If that section has several actions, its last action runs a separate section:
// the same instructions plus those of the hoisted kernels.
//
//   actions        backward[0]  backward[1]  backward_last[2]  update
//   instructions   of @backward        a  b  c
//                  of @backward_last   a  b  all_reduce  c
#pragma once

#include "dialects/dist/Dist.h"
#include "dialects/task/Task.h"
#include "passes/analysis/Sections.h"
#include "passes/analysis/kernels/Kernels.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::lower {

/// A kernel and the section for which it computes values.
struct HoistedKernel {
  analysis::Section *section = nullptr;
  analysis::Kernel kernel;
};

class HoistedKernels {
public:
  explicit HoistedKernels(llvm::MutableArrayRef<analysis::Section> sections);

  /// Returns the kernels that run in the last action of `section`, in their order.
  llvm::ArrayRef<HoistedKernel> in(llvm::StringRef section) const;
  /// Returns the section that runs in the last action of `section`: a separate one, or `section`
  /// itself.
  std::string lastActionOf(llvm::StringRef section) const;

private:
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<HoistedKernel>> kernels;
  llvm::StringMap<int64_t> runs; ///< executions per step, by section
};

} // namespace pcc::lower
