// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The systems whose step times were published, as far as a cost depends on them. Sources are files
// of NVIDIA/Megatron-LM of that time unless a comment names another repository.
#pragma once

#include "compiler/plan/StepCost.h"

namespace pcc::conformance {

/// Regular expressions of recomputed forward ops: all ops of the blocks, or those from queries to
/// context.
inline constexpr const char *blocks = "^/h\\.";
inline constexpr const char *attentionCore = "/attn/core/";

/// Megatron-LM of 2021, with stages (A).
plan::CostOptions megatronLm(const char *recompute);
/// Megatron-LM of 2021, in one stage (A).
plan::CostOptions megatronLmInOneStage();
/// Megatron-LM of 2022 (C).
plan::CostOptions megatronLmOf2022(const char *recompute);
/// Megatron-Core of 2024 (B).
plan::CostOptions megatronCore();

/// Adapts the options of any of these systems to `chunks` virtual stages of each stage. Messages
/// overlap with computation only if there are several (megatron/arguments.py, `overlap_p2p_comm`).
plan::CostOptions inChunks(plan::CostOptions options, int chunks);

} // namespace pcc::conformance
