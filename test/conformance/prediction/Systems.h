// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the systems worked whose step times were published, as far as a price depends on it. Sources
// are files of NVIDIA/Megatron-LM as it was then, but for what a comment names.
#pragma once

#include "compiler/plan/StepCost.h"

namespace pcc::conformance {

/// Forward ops that run again: all of the blocks, or those between queries and context.
inline constexpr const char *blocks = "^/h\\.";
inline constexpr const char *attentionCore = "/attn/core/";

/// Of 2021, with stages (A).
plan::CostOptions megatronLm(const char *recompute);
/// The same in one stage.
plan::CostOptions megatronLmInOneStage();
/// Of 2022 (C).
plan::CostOptions megatronLmOf2022(const char *recompute);
/// Of 2024 (B).
plan::CostOptions megatronCore();

/// Of any of them where a stage has so many chunks: messages are sent beside work only where there
/// are several (megatron/arguments.py, `overlap_p2p_comm`).
plan::CostOptions inChunks(plan::CostOptions options, int chunks);

} // namespace pcc::conformance
