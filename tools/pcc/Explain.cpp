// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc explain: what a program does, without running it. Collectives are read from its records, to
// which a model is compiled first; the price of a step from a model's stage spmd.

#include "compiler/link/Link.h"
#include "runtime/abi/RankExpression.h"
#include "tools/pcc/CommunicationReport.h"
#include "tools/pcc/PriceFlags.h"
#include "tools/pcc/PriceReport.h"
#include "tools/pcc/RoadFlags.h"
#include "tools/pcc/Verb.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class ExplainVerb : public Verb {
public:
  ExplainVerb()
      : Verb("explain", "what a program does, without running it"), road(command),
        communication("communication", cl::desc("its collectives, their bytes and times"),
                      cl::sub(command)),
        price("price", cl::desc("what a step of a model costs on the machine of '--cluster'"),
              cl::sub(command)),
        priceFlags(command), format(command) {}

  ExitCode run() override {
    if (communication == price)
      return fail(BadUsage, "expected either '--communication' or '--price'");
    return price ? explainPrice() : explainCommunication();
  }

private:
  ExitCode explainPrice() {
    if (road.isProgram())
      return fail(BadUsage,
                  "'--price': expected a model, got a program, which is compiled already");
    PipelineOptions options;
    plan::PriceOptions priceOptions;
    if (ExitCode code = road.read(options))
      return code;
    if (ExitCode code = priceFlags.read(priceOptions))
      return code;
    if (!options.cluster)
      return fail(BadUsage, "'--price': expected a machine, '--cluster'");
    options.keptWhole = {"dropout"}; // whose pieces have other names
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = road.compile(session, options, Stage::Spmd, code);
    if (!module)
      return code;
    plan::StepPrice step = plan::priceStep(*module, *options.cluster, priceOptions);
    format.isJson() ? printJson(toJson(step)) : printTable(step);
    return Success;
  }

  ExitCode explainCommunication() {
    abi::Executable program;
    if (ExitCode code = road.isProgram() ? road.readProgram(program, /*heedsCluster=*/true)
                                         : readModel(program))
      return code;
    std::optional<abi::Cluster> cluster;
    if (ExitCode code = road.getCluster().read(abi::rankCount(program.mesh()), cluster))
      return code;
    std::vector<SectionCommunication> report = reportCommunication(program, cluster);
    format.isJson() ? printJson(toJson(report)) : printTable(report, program.mesh());
    return Success;
  }

  /// The records of a model, without kernels.
  ExitCode readModel(abi::Executable &program) {
    PipelineOptions options;
    if (ExitCode code = road.read(options))
      return code;
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = road.compile(session, options, Stage::Task, code);
    if (!module)
      return code;
    return mlir::succeeded(link::linkExecutable(*module, {}, program)) ? Success : BadInput;
  }

  RoadFlags road;
  cl::opt<bool> communication, price;
  PriceFlags priceFlags;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeExplainVerb() { return std::make_unique<ExplainVerb>(); }
