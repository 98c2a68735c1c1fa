// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additional attributes of instructions.
//
// `task.accesses` on a `task.launch`: access of the kernel to the buffers, one number per buffer,
// as abi::Access counts them. Without it a kernel may read and write all of them.
//
// `task.flops` on a `task.launch`: work of the kernel, for cost estimates: operations in
// contractions, elementwise ops and reductions. Without it none.
//
// `task.untouched` on a `task.launch`: bytes of the buffers that it reads by `task.accesses` and
// does not touch, as of a table from which it gathers, for cost estimates. Without it none.
//
// `task.behind`: the run of each event in `waits` that is waited for, as abi::Instruction counts
// them. Without it the last one.
//
// `fused` of collectives, an attribute of the op itself: fused with the instruction before.
#pragma once

namespace pcc::task {

inline constexpr const char *accessesAttrName = "task.accesses";
inline constexpr const char *flopsAttrName = "task.flops";
inline constexpr const char *untouchedAttrName = "task.untouched";
inline constexpr const char *behindAttrName = "task.behind";
inline constexpr const char *fusedAttrName = "fused";

enum class Access : int { Read = 1, Write = 2, ReadWrite = 3 };

} // namespace pcc::task
