// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between pairs of ranks: tables say what each rank sends and receives.
#ifndef PCC_DIALECTS_DIST_DISTEXCHANGES_TD
#define PCC_DIALECTS_DIST_DISTEXCHANGES_TD

include "dialects/dist/DistCollectives.td"

def Dist_CollectivePermuteOp
    : Dist_CollectiveOp<"collective_permute", [SameOperandsAndResultType]> {
  let summary = "sends values along pairs (source, target) of positions in the group";
  let description = "A rank that is no target gets zeros.";
  let arguments = (ins Dist_Tensor:$input, Dist_TableAttr:$pairs, Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input custom<BareTable>($pairs) (`over` $group^)? attr-dict `:` type($result)
  }];
}

def Dist_BlockExchangeOp : Dist_CollectiveOp<"block_exchange"> {
  let summary = "each rank receives exactly the blocks that it lacks";
  let description = [{
    A row of the table is one block of a tensor of n dimensions:
    `target, source, source offset (n), size (n), target offset (n)`, ranks as positions in the
    group. The blocks of one target must cover its result exactly once; a block whose source is its
    target is a local copy. With `adding` the result is zero at first and blocks are added to it in
    the order of the table: they may overlap and leave elements out.
  }];
  let arguments = (ins Dist_Tensor:$input, Dist_TableAttr:$blocks, Dist_Group:$group,
                       UnitAttr:$adding);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input (`adding` $adding^)? custom<BareTable>($blocks) (`over` $group^)? attr-dict
    `:` type($input) `to` type($result)
  }];
}

def Dist_NeighborExchangeOp : Dist_CollectiveOp<"neighbor_exchange"> {
  let summary = "sends one tensor to each of several ranks and receives from several";
  let description = [{
    Row r of `send` names the positions to which position r sends inputs 0, 1, …. Row r of `receive`
    names the positions from which it receives results 0, 1, …. -1 is none, and the result is zero.
  }];
  let arguments = (ins Variadic<Dist_Tensor>:$inputs, Dist_TableAttr:$send,
                       Dist_TableAttr:$receive, Dist_Group:$group);
  let results = (outs Variadic<Dist_Tensor>:$results);
  let assemblyFormat = [{
    $inputs `send` custom<BareTable>($send) `receive` custom<BareTable>($receive)
    (`over` $group^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Dist_NeighborExchangeV2Op : Dist_CollectiveOp<"neighbor_exchange_v2"> {
  let summary = "surrounds a tile (NCHW) with the borders of its eight neighbors";
  let description = [{
    Row r of `send` and of `receive` names the eight neighbors of position r: top, top right, right,
    bottom right, bottom, bottom left, left, top left; -1 is none. `send_widths` and
    `receive_widths` are the widths of the borders: top, bottom, left, right. Without a neighbor the
    border is zero.
  }];
  let arguments = (ins Dist_Tensor:$input, Dist_TableAttr:$send, Dist_TableAttr:$receive,
                       DenseI64ArrayAttr:$send_widths, DenseI64ArrayAttr:$receive_widths,
                       Dist_Group:$group);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = [{
    $input `send` custom<BareTable>($send) $send_widths
    `receive` custom<BareTable>($receive) $receive_widths (`over` $group^)? attr-dict
    `:` type($input) `to` type($result)
  }];
}

def Dist_SendOp : Dist_Op<"send"> {
  let summary = "sends a tensor to a peer";
  let description = [{
    `peers` gives each rank's peer; -1 means that the rank does not send. Matches the recv with the
    same tag whose peer is this rank.
  }];
  let arguments = (ins Dist_Tensor:$input, DenseI64ArrayAttr:$peers,
                       DefaultValuedAttr<I64Attr, "0">:$tag);
  let assemblyFormat = "$input `to` $peers attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Dist_RecvOp : Dist_Op<"recv"> {
  let summary = "receives a tensor from a peer";
  let description = [{
    `peers` gives each rank's peer; -1 means that the rank does not receive and gets zeros.
  }];
  let arguments = (ins DenseI64ArrayAttr:$peers, DefaultValuedAttr<I64Attr, "0">:$tag);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "`from` $peers attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // PCC_DIALECTS_DIST_DISTEXCHANGES_TD
