// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decomposes collectives between members whose memories one GPU reaches into moves: copies of bytes
// and boxes, zeros, and reductions. Reductions run in the order of positions, so that results have
// the same bits as on the host.
//
//   all_reduce      one reduction of all sources into all destinations
//   reduce_scatter  a reduction for each member, of its block
//   all_gather      a box for each pair of members
//   all_to_all      the same
//   broadcast       a copy for each member
//   reduce          one reduction into the root's destination, zeros into the others
//   permutations,   a copy or reduction for each box, after zeros where needed
//   block exchanges

#pragma once

#include "runtime/collective/Communicator.h"

#include <variant>

namespace pcc::runtime::gpu {

struct CopyBytes {
  std::byte *target;
  const std::byte *source;
  uint64_t bytes;
};

struct ZeroBytes {
  std::byte *target;
  uint64_t bytes;
};

/// A box of two dense tensors: its sizes, and each side's strides in elements, slowest dimension
/// first.
struct MoveBox {
  std::byte *target;
  const std::byte *source;
  std::vector<int64_t> sizes, sourceStrides, targetStrides;
  abi::ElementType type;
  /// Reduction of the target's element with the source's; unspecified: copy the source's.
  abi::ReduceOp reduction = abi::REDUCE_OP_UNSPECIFIED;
};

/// Computes targets[…][n] = the reduction of sources[…][n / run · stride + n % run], for n < count.
struct Reduction {
  std::vector<std::byte *> targets;
  std::vector<const std::byte *> sources;
  abi::ReduceOp reduction;
  abi::ElementType type;
  int64_t count, run, stride;
};

/// One step of a decomposed collective. Moves run in list order.
using Move = std::variant<CopyBytes, ZeroBytes, MoveBox, Reduction>;

/// Adds the moves of one collective, given each member's call by position. A null destination is
/// not written.
void addMoves(std::span<const CollectiveCall *const> calls, std::vector<Move> &moves);

/// One side of a box: a dense tensor, and the start of the box in it.
struct BoxSide {
  const std::vector<int64_t> &shape;
  const std::vector<int64_t> &start;
};

/// Adds the move of one box of `size` from the source of one call to the destination of another.
/// The box is reduced into the destination if `to` has reduceBoxes.
void addBox(const CollectiveCall &from, BoxSide source, const CollectiveCall &to, BoxSide target,
            const std::vector<int64_t> &size, std::vector<Move> &moves);

/// Adds the move of a message.
void addMessage(const CollectiveCall &send, const CollectiveCall &receive,
                std::vector<Move> &moves);

} // namespace pcc::runtime::gpu
