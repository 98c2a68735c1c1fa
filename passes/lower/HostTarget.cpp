// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lower/HostTarget.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace pcc::lower {

/// What loops over numbers profit from. Named one by one, so that an executable asks the machine
/// that runs it for these and no others.
static constexpr llvm::StringLiteral usefulFeatures[] = {
    "sse3",     "ssse3",    "sse4.1",   "sse4.2",     "popcnt",    "avx",     "avx2",
    "fma",      "f16c",     "bmi",      "bmi2",       "lzcnt",     "avx512f", "avx512cd",
    "avx512bw", "avx512dq", "avx512vl", "avx512fp16", "avx512bf16"};

llvm::Expected<HostTarget> makeHostTarget() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  HostTarget host;
  host.tuneFor = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  std::string list;
  for (llvm::StringRef feature : usefulFeatures) {
    if (!present.lookup(feature))
      continue;
    host.features.push_back(feature.str());
    list += (list.empty() ? "+" : ",+") + feature.str();
  }
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError("no code can be generated for \"" + triple.str() +
                                   "\": " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  bool isX86 = triple.isX86();
  host.machine.reset(target->createTargetMachine(
      triple, isX86 ? "x86-64" : llvm::sys::getHostCPUName(), list, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  return host;
}

} // namespace pcc::lower
