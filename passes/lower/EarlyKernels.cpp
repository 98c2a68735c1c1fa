// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/EarlyKernels.h"

#include "passes/facts/StageSections.h"

using namespace mlir;

namespace pcc::lower {

EarlyKernels::EarlyKernels(MutableArrayRef<facts::Section> sections) {
  for (facts::Section &section : sections) {
    runs[section.function.getName()] = section.runs;
    if (section.function->hasAttr(facts::hoistedAttrName))
      for (facts::Kernel &kernel : facts::collectKernels(section.function))
        if (kernel.early)
          kernels[kernel.early->section].push_back({&section, std::move(kernel)});
  }
}

ArrayRef<EarlyKernel> EarlyKernels::in(StringRef section) const {
  auto found = kernels.find(section);
  return found == kernels.end() ? ArrayRef<EarlyKernel>() : found->second;
}

std::string EarlyKernels::lastSlotOf(StringRef section) const {
  return runs.lookup(section) > 1 && kernels.contains(section) ? facts::sectionOfLastSlot(section)
                                                               : section.str();
}

} // namespace pcc::lower
