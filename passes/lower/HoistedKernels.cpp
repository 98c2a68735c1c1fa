// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/HoistedKernels.h"

#include "passes/facts/StageSections.h"

using namespace mlir;

namespace pcc::lower {

HoistedKernels::HoistedKernels(MutableArrayRef<facts::Section> sections) {
  for (facts::Section &section : sections) {
    runs[section.function.getName()] = section.runs;
    if (section.function->hasAttr(facts::hoistedAttrName))
      for (facts::Kernel &kernel : facts::collectKernels(section.function))
        if (kernel.hoisted)
          kernels[kernel.hoisted->section].push_back({&section, std::move(kernel)});
  }
}

ArrayRef<HoistedKernel> HoistedKernels::in(StringRef section) const {
  auto found = kernels.find(section);
  return found == kernels.end() ? ArrayRef<HoistedKernel>() : found->second;
}

std::string HoistedKernels::lastActionOf(StringRef section) const {
  return runs.lookup(section) > 1 && kernels.contains(section) ? facts::sectionOfLastAction(section)
                                                               : section.str();
}

} // namespace pcc::lower
