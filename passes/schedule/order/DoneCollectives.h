// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells when collectives that no kernel of their section reads are done: reductions of gradients.
//
//   kernel                       runs        task.done
//   3  matmul, writes %g         2.0 … 2.2
//   4  reduce_scatter of %g      2.2 … 2.9   7
//   5  matmul                    2.2 … 2.6
//   6  matmul                    2.6 … 3.0
//   7  matmul                    3.0 … 3.4
//
// From the annotated kernel on, other values may lie where the operands lay. So whole gradients of
// which a rank keeps a slice do not stay until the section ends. If the result is accumulated, it
// is added to its sum right before that kernel, so computation does not wait for the collective.
// The times are estimates: an instruction that needs the memory or the result waits if a collective
// takes longer.
#pragma once

#include "passes/schedule/order/KernelStreams.h"

namespace pcc::schedule {

/// Returns whether the kernels of a section communicate and may be reordered: true unless the user
/// has given their order by barriers.
bool mayReorder(llvm::ArrayRef<StepKernel> kernels, llvm::ArrayRef<Unfinished> unfinished);

/// Annotates collectives of the section with the number of the first kernel that begins after they
/// are done; with the number of kernels if there is none. Kernels must be numbered by `order`.
/// `cluster` must be complete and have a device for each rank.
///
/// * Messages get no annotation: when they are done depends on the programs of other ranks.
/// * Neither do collectives whose results must be added to sums right behind them: sums of several
///   terms, which are added in the order of the results, and sums that hoisted kernels read.
void annotateDone(analysis::Section &section, llvm::ArrayRef<StepKernel> order,
                  llvm::ArrayRef<Unfinished> unfinished, const abi::Cluster &cluster);

} // namespace pcc::schedule
