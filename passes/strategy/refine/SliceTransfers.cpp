// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices transfers between pipeline stages: each rank that holds the same value sends a part of it,
// and the parts are gathered afterwards. This pays if the links of a stage are much faster than the
// links between stages. Source: Narayanan et al., "Efficient large-scale language model training on
// GPU clusters using Megatron-LM", SC 2021, section 4.1.
//
//   a value of [dp, _, _] on dp=2, tp=8
//   transfer [dp, _, _]                      each of 8 ranks sends its whole block
//   transfer [dp, tp, _], then gathered      each sends an eighth, over a link of its own
//
// Changes only annotations of transfers: partition cuts the value before them, at no cost, and
// gathers it after them. Assumes that the pass of a mode has annotated the program.
#include "dialects/pipe/Pipe.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/ClusterAnalysis.h"
#include "passes/analysis/cost/Cost.h"
#include "passes/analysis/names/OpNames.h"
#include "passes/analysis/reshard/ReshardCostModel.h"
#include "passes/analysis/sharding/Reasons.h"
#include "passes/analysis/sharding/Shardings.h"
#include "passes/strategy/Passes.h"

using namespace mlir;

namespace pcc::strategy {

#define GEN_PASS_DEF_STRATEGYSLICETRANSFERS
#include "passes/strategy/Passes.h.inc"

namespace {

struct SliceTransfers : impl::StrategySliceTransfersBase<SliceTransfers> {
  using StrategySliceTransfersBase::StrategySliceTransfersBase;

  void runOnOperation() override {
    auto &attached = getAnalysis<analysis::ClusterAnalysis>();
    if (!attached.isGiven())
      return;
    dist::Mesh mesh = dist::getMesh(getOperation());
    FailureOr<abi::Cluster> machine = attached.get(2 * mesh.getNumRanks());
    if (failed(machine))
      return signalPassFailure();
    getOperation().walk([&](pipe::TransferOp transfer) { slice(transfer, mesh, *machine); });
  }

private:
  /// Cuts the first possible dimension over all axes along which the value is replicated.
  static std::optional<dist::Sharding> cutCopies(const dist::Sharding &whole,
                                                 ArrayRef<std::string> copies,
                                                 ArrayRef<int64_t> shape, const dist::Mesh &mesh) {
    for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
      dist::Sharding cut = whole;
      llvm::append_range(cut.getDim(dim), copies);
      if (cut.verify(shape, mesh).empty())
        return cut;
    }
    return std::nullopt;
  }

  void slice(pipe::TransferOp transfer, const dist::Mesh &mesh, const abi::Cluster &machine) {
    dist::Sharding whole = analysis::getSharding(transfer.getResult());
    dist::AxisList copies;
    for (const dist::MeshAxis &axis : mesh.getAxes())
      if (!whole.uses(axis.name) && axis.size > 1)
        copies.push_back(axis.name);
    std::optional<dist::Sharding> cut =
        cutCopies(whole, copies, transfer.getType().getShape(), mesh);
    if (copies.empty() || !cut)
      return;
    double bytes =
        double(analysis::getNumBytes(transfer.getType())) / double(whole.getNumBlocks(mesh));
    double parts = double(cut->getNumBlocks(mesh)) / double(whole.getNumBlocks(mesh));
    int64_t ranks = mesh.getNumRanks();
    double atOnce = analysis::secondsOfTransfer(bytes, ranks, machine);
    double inParts =
        analysis::secondsOfTransfer(bytes / parts, ranks, machine) +
        machine::estimateCollectiveCost(machine, analysis::makeGroup(copies, mesh, machine),
                                        {abi::ALL_GATHER, bytes})
            .seconds;
    if (inParts >= atOnce)
      return;
    analysis::setShardings(transfer, {*cut}, {*cut});
    analysis::Reasons::makeWhole(&getContext(), "ranks with the same value send parts of it, which "
                                                "takes less time")
        .annotate(transfer);
    remark::passed(transfer.getLoc(),
                   remark::RemarkOpts::name("slice-transfers").category("strategy"))
        << remark::metric("op", analysis::getName(transfer))
        << remark::metric("sharding", cut->str()) << remark::metric("seconds", inParts)
        << remark::metric("seconds_at_once", atOnce);
  }
};

} // namespace
} // namespace pcc::strategy
