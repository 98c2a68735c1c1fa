// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the CPU of this machine, or a named one, as a target of code generation.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

namespace pcc::lower {

struct HostTarget {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string tuneFor;               ///< model of the CPU, for scheduling only
  std::vector<std::string> features; ///< all features that generated code may use
};

/// Makes a position-independent target with the vector and bit instructions of this machine's CPU.
/// With `cpu`, uses those of the x86-64 CPU with this LLVM name.
llvm::Expected<HostTarget> makeHostTarget(llvm::StringRef cpu = "");

/// Returns whether oneDNN multiplies matrices of bf16 on this machine: it needs AVX-512.
bool hostMultipliesBFloat16();

} // namespace pcc::lower
