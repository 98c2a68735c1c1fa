// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges hoisted kernels into the order of the section in which they run, and splits them again
// when it annotates. Positions of hoisted kernels count the kernels of that section alone.
#include "passes/schedule/order/KernelStreams.h"

using namespace mlir;

namespace pcc::schedule {

StepKernels::StepKernels(ModuleOp module) : sections(analysis::collectSections(module)) {
  llvm::DenseMap<StringRef, analysis::Section *> byName;
  for (analysis::Section &section : sections) {
    byName[section.function.getName()] = &section;
    kernels[&section] = analysis::collectKernels(section.function);
  }
  llvm::DenseMap<analysis::Section *, KernelOrder> hoisted; // by the section in which they run
  for (analysis::Section &section : sections)
    for (const analysis::Kernel &kernel : kernels[&section])
      if (kernel.hoisted)
        hoisted[byName.lookup(kernel.hoisted->section)].push_back({&section, &kernel});
  for (analysis::Section &section : sections) {
    KernelOrder &order = orders[&section];
    auto placeOf = [](const StepKernel &hoisted) { return *hoisted.kernel->hoisted; };
    analysis::sortByPlace(hoisted[&section], placeOf);
    ArrayRef<StepKernel> others = hoisted[&section];
    auto addBehind = [&](int64_t number) {
      for (; !others.empty() && placeOf(others.front()).behind <= number;
           others = others.drop_front())
        order.push_back(others.front());
    };
    addBehind(-1);
    for (const analysis::Kernel &kernel : kernels[&section]) {
      if (!kernel.hoisted)
        order.push_back({&section, &kernel});
      addBehind(kernel.number);
    }
  }
}

void StepKernels::annotate() {
  for (analysis::Section &section : sections)
    annotate(section);
}

void StepKernels::annotate(analysis::Section &section) {
  Builder b(section.function.getContext());
  SmallVector<Attribute> forms, runsIn;
  auto add = [&](const analysis::Kernel &kernel) {
    for (Operation *op : kernel.ops)
      op->setAttr(analysis::kernelAttrName, b.getI64IntegerAttr(forms.size()));
    forms.push_back(kernel.form);
  };
  llvm::SmallSetVector<StringRef, 4> hosts; // in the order of their last actions
  for (const analysis::Kernel &kernel : kernels[&section])
    if (kernel.hoisted)
      hosts.insert(kernel.hoisted->section);
  for (StringRef name : hosts) {
    analysis::Section &host = *llvm::find_if(
        sections, [&](analysis::Section &other) { return other.function.getName() == name; });
    int64_t behind = -1;
    for (StepKernel entry : orders[&host]) {
      behind += entry.section == &host;
      if (entry.section != &section || entry.section == &host)
        continue;
      runsIn.push_back(b.getArrayAttr(
          {FlatSymbolRefAttr::get(b.getContext(), name), b.getI64IntegerAttr(behind)}));
      add(*entry.kernel);
    }
  }
  for (StepKernel entry : orders[&section])
    if (entry.section == &section)
      add(*entry.kernel);
  section.function->setAttr(analysis::formsAttrName, b.getArrayAttr(forms));
  if (!runsIn.empty())
    section.function->setAttr(analysis::hoistedAttrName, b.getArrayAttr(runsIn));
}

} // namespace pcc::schedule
