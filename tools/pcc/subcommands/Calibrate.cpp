// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc calibrate: measures this machine and writes the description that `--cluster` reads.

#include "runtime/device/cuda/driver/Driver.h"
#include "runtime/machine/Cluster.h"
#include "tools/pcc/calibrate/Calibration.h"
#include "tools/pcc/calibrate/RunTimer.h"
#include "tools/pcc/flags/ClusterFlag.h"
#include "tools/pcc/flags/CompileFlags.h"
#include "tools/pcc/flags/Session.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/Support/FormatVariadic.h"

#include <google/protobuf/text_format.h>

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

constexpr int64_t maxRanks = 64;

class CalibrateSubcommand : public Subcommand {
public:
  CalibrateSubcommand()
      : Subcommand("calibrate", "measures this machine and writes its description for '--cluster'"),
        ranks("device-num", cl::desc("number of ranks that share the machine (default: 1)"),
              cl::init(1), cl::value_desc("n"), cl::sub(command)),
        link(
            command,
            "emulated links between the ranks, as in 10Gbps,20us (default: this machine's memory)"),
        target("target",
               cl::desc("device to measure: host (default), or cuda:CHIP for this machine's GPUs"),
               cl::init("host"), cl::value_desc("target"), cl::sub(command)),
        quick("quick", cl::desc("measure fewer and shorter runs"), cl::sub(command)),
        output("o", cl::desc("output file of the cluster description (default: stdout)"),
               cl::value_desc("file.textproto"), cl::sub(command)) {}

  ExitCode run() override {
    if (ranks < 1 || ranks > maxRanks)
      return fail(BadUsage, llvm::formatv("'--device-num': expected 1 to {0}, got {1}", maxRanks,
                                          ranks.getValue()));
    std::optional<machine::UniformLink> links;
    if (ExitCode code = link.read(links))
      return code;
    std::string gpuChip;
    if (ExitCode code = parseTarget(target, gpuChip))
      return code;
    if (const auto &driver = runtime::cuda::Driver::get(); !gpuChip.empty() && !driver)
      return fail(Unavailable, driver.status().describe());
    Session session;
    RunTimer timer(session.context, ranks, links, quick ? 2 : 10, quick ? 0.002 : 0.02, gpuChip);
    mlir::FailureOr<abi::Cluster> cluster = calibrate(timer, quick);
    if (mlir::failed(cluster))
      return RunFailed;
    if (abi::Expected<abi::Cluster> complete = machine::complete(*cluster); !complete)
      return fail(InternalError, complete.status().message());
    std::string text;
    google::protobuf::TextFormat::PrintToString(*cluster, &text);
    return writeResult(output, [&](llvm::raw_ostream &os) { os << text; });
  }

private:
  cl::opt<int> ranks;
  LinkFlag link;
  cl::opt<std::string> target;
  cl::opt<bool> quick;
  cl::opt<std::string> output;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeCalibrateSubcommand() {
  return std::make_unique<CalibrateSubcommand>();
}
