// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc explain: what a program does, read from its records; a model is compiled up to them first.

#include "compiler/link/Link.h"
#include "runtime/abi/RankExpression.h"
#include "tools/pcc/CommunicationReport.h"
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
        format(command) {}

  ExitCode run() override {
    if (!communication)
      return fail(BadUsage, "expected '--communication'");
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

private:
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
  cl::opt<bool> communication;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeExplainVerb() { return std::make_unique<ExplainVerb>(); }
