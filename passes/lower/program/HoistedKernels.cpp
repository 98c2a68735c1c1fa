// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/program/HoistedKernels.h"

#include "passes/analysis/StageSections.h"

using namespace mlir;

namespace pcc::lower {

HoistedKernels::HoistedKernels(MutableArrayRef<analysis::Section> sections) {
  for (analysis::Section &section : sections) {
    runs[section.function.getName()] = section.runs;
    if (section.function->hasAttr(analysis::hoistedAttrName))
      for (analysis::Kernel &kernel : analysis::collectKernels(section.function))
        if (kernel.hoisted)
          kernels[kernel.hoisted->section].push_back({&section, std::move(kernel)});
  }
}

ArrayRef<HoistedKernel> HoistedKernels::in(StringRef section) const {
  auto found = kernels.find(section);
  return found == kernels.end() ? ArrayRef<HoistedKernel>() : found->second;
}

std::string HoistedKernels::lastActionOf(StringRef section) const {
  return runs.lookup(section) > 1 && kernels.contains(section)
             ? analysis::sectionOfLastAction(section)
             : section.str();
}

} // namespace pcc::lower
