// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The systems whose step times were published, as far as a cost depends on them. Sources are files
// of NVIDIA/Megatron-LM of that time unless a comment names another repository.
#pragma once

#include "test/conformance/prediction/KnownKernels.h"

namespace pcc::conformance {

/// A system: how it runs a step, and its kernels.
struct System {
  plan::CostOptions options; ///< without `kernelsOf`
  SystemKernels kernels;

  /// Returns the options together with the kernels. They refer to this system.
  plan::CostOptions costOptions() const;
};

/// Regular expressions of recomputed forward ops: all ops of the blocks, or those from queries to
/// context.
inline constexpr const char *blocks = "^/h\\.";
inline constexpr const char *attentionCore = "/attn/core/";

/// Megatron-LM of 2021, with stages (A).
System megatronLm(const char *recompute);
/// Megatron-LM of 2021, in one stage (A).
System megatronLmInOneStage();
/// Megatron-LM of 2022 (C).
System megatronLmOf2022(const char *recompute);
/// Megatron-Core of 2024 (B).
System megatronCore();

/// Adapts any of these systems to `chunks` virtual stages of each stage. Messages
/// overlap with computation only if there are several (megatron/arguments.py, `overlap_p2p_comm`).
System inChunks(System system, int chunks);

} // namespace pcc::conformance
