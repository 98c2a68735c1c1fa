// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the CPU features of this machine or of a named CPU, restricted to those that numeric loops
// use. The architecture stays plain x86-64, so that no other feature is required.
#include "passes/lower/host/HostTarget.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace pcc::lower {

/// CPU features from which numeric loops profit. They are named one by one, so that an executable
/// requires only these of the machine that runs it.
static constexpr llvm::StringLiteral usefulFeatures[] = {
    "sse3",     "ssse3",    "sse4.1",   "sse4.2",     "popcnt",    "avx",     "avx2",
    "fma",      "f16c",     "bmi",      "bmi2",       "lzcnt",     "avx512f", "avx512cd",
    "avx512bw", "avx512dq", "avx512vl", "avx512fp16", "avx512bf16"};

/// Returns the features of a named CPU; empty if LLVM does not know it.
static llvm::StringMap<bool> featuresOf(llvm::StringRef cpu) {
  llvm::StringMap<bool> present;
  llvm::SmallVector<llvm::StringRef> features;
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) != llvm::X86::CK_None)
    llvm::X86::getFeaturesForCPU(cpu, features);
  for (llvm::StringRef feature : features)
    present[feature] = true;
  return present;
}

bool hostMultipliesBFloat16() {
  llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  return llvm::all_of(llvm::ArrayRef({"avx512f", "avx512bw", "avx512dq", "avx512vl"}),
                      [&](llvm::StringRef feature) { return present.lookup(feature); });
}

llvm::Expected<HostTarget> makeHostTarget(llvm::StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  HostTarget host;
  host.tuneFor = cpu.empty() ? llvm::sys::getHostCPUName().str() : cpu.str();
  llvm::StringMap<bool> present = cpu.empty() ? llvm::sys::getHostCPUFeatures() : featuresOf(cpu);
  if (present.empty() && !cpu.empty())
    return llvm::createStringError("expected an x86-64 CPU, got \"" + cpu + "\"");
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
