// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc explain: explains what a program does and why, without running it. Reads collectives and
// parameters from its instructions; a model is compiled to instructions first. Computes the cost of
// a step from a model after phase spmd. Takes the options of an op from the plan search, and the
// types in which ops compute from a model after phase graph.

#include "compiler/StrategyPasses.h"
#include "compiler/plan/cost/StepCost.h"
#include "passes/strategy/search/NodeNames.h"
#include "runtime/abi/program/RankExpression.h"
#include "tools/pcc/flags/OldName.h"
#include "tools/pcc/report/ExplainReports.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "llvm/Support/Regex.h"

using namespace pcc;
using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

enum class PrecisionName { F32, F16, BF16 };

/// Flags of `--cost`: assumptions of the cost estimate about how a step is run.
class CostFlags {
public:
  explicit CostFlags(cl::SubCommand &command)
      : precision(
            "assume-precision",
            cl::desc("type that replaces f32 in the estimate of a model of f32 (default: f32)"),
            cl::values(
                clEnumValN(PrecisionName::F32, "f32", "unchanged"),
                clEnumValN(PrecisionName::F16, "f16", "mixed precision with loss scaling"),
                clEnumValN(PrecisionName::BF16, "bf16", "mixed precision with f32 gradients")),
            cl::init(PrecisionName::F32), cl::sub(command)),
        recompute("recompute",
                  cl::desc("forward ops that are recomputed for the backward pass, by name"),
                  cl::value_desc("regex"), cl::sub(command)),
        wide("wide", cl::desc("ops that mixed precision keeps in f32, by name"),
             cl::value_desc("regex"), cl::sub(command)),
        hidesActivations("hide-activations",
                         cl::desc("overlap collectives of activations with adjacent matmuls"),
                         cl::sub(command)),
        bucketBytes("bucket-bytes",
                    cl::desc("bucket size of gradients in bytes (default: 0, no buckets)"),
                    cl::init(0), cl::sub(command)) {}

  /// Returns BadUsage, after an error message, for an invalid regular expression.
  ExitCode read(plan::CostOptions &options) const {
    for (const cl::opt<std::string> *flag : {&recompute, &wide}) {
      std::string error;
      if (!flag->getValue().empty() && !llvm::Regex(*flag).isValid(error))
        return fail(BadUsage, "'--" + flag->ArgStr + "': expected a regular expression, got '" +
                                  flag->getValue() + "': " + error);
    }
    if (precision == PrecisionName::F16)
      options.precision = plan::Precision::f16();
    if (precision == PrecisionName::BF16)
      options.precision = plan::Precision::bf16();
    options.recompute = recompute;
    options.hidesActivations = hidesActivations;
    options.bucketBytes = bucketBytes;
    options.wide = wide;
    return Success;
  }

private:
  cl::opt<PrecisionName> precision;
  cl::opt<std::string> recompute, wide;
  cl::opt<bool> hidesActivations;
  cl::opt<double> bucketBytes;
};

class ExplainSubcommand : public ModelSubcommand {
public:
  ExplainSubcommand()
      : ModelSubcommand("explain", "explains what a program does and why, without running it"),
        communication("communication", cl::desc("list the collectives, their bytes and times"),
                      cl::sub(command)),
        why("why", cl::desc("with --communication: what each collective moves, who asked and why"),
            cl::sub(command)),
        parameters("parameters",
                   cl::desc("list the parameter slices that the ranks of each stage hold"),
                   cl::sub(command)),
        cost("cost", cl::desc("estimate the cost of a model's step on the machine of '--cluster'"),
             cl::sub(command)),
        price("price", cost),
        op("op", cl::desc("op, parameter or input whose options in the searched plan are listed"),
           cl::value_desc("name"), cl::sub(command)),
        costFlags(command), format(command) {}

  ExitCode runModel() override {
    int asked = communication + parameters + cost + (op.getNumOccurrences() > 0);
    if (asked == 0 && !compileFlags.getConfig().precision().empty())
      return explainPrecision();
    if (asked != 1)
      return fail(BadUsage, "expected one of '--communication', '--parameters', '--cost', '--op' "
                            "and '--precision'");
    if (why && !communication)
      return fail(BadUsage, "'--why': expected '--communication'");
    if (communication)
      return explainCommunication();
    if (parameters)
      return explainParameters();
    return cost ? explainCost() : explainOp();
  }

private:
  ExitCode explainPrecision() {
    if (compileFlags.isProgram())
      return fail(BadUsage, "'--precision': expected a model, got a compiled program");
    CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        compileFlags.compile(session, options, CompilePhase::Graph, code);
    if (!module)
      return code;
    std::vector<OpPrecision> report = reportPrecision(*module);
    format.isJson() ? printJson(toJson(report)) : printTable(report, options.precision);
    return Success;
  }

  ExitCode explainCost() {
    if (compileFlags.isProgram())
      return fail(BadUsage, "'--cost': expected a model, got a compiled program");
    CompileOptions options;
    plan::CostOptions costOptions;
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (ExitCode code = costFlags.read(costOptions))
      return code;
    if (!options.cluster)
      return fail(BadUsage, "'--cost': expected a machine by '--cluster', got none");
    options.keptComposites = {"dropout"}; // the ops of its decomposition have other names
    costOptions.hidesReductions = options.hidesReductions;
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        compileFlags.compile(session, options, CompilePhase::Spmd, code);
    if (!module)
      return code;
    plan::StepCost step = plan::estimateStepCost(*module, *options.cluster, costOptions);
    format.isJson() ? printJson(toJson(step)) : printTable(step);
    return Success;
  }

  /// Compiles up to the plan, and looks up the op in the search problem. Reports an unknown op
  /// before the search, which takes long.
  ExitCode explainOp() {
    if (compileFlags.isProgram())
      return fail(BadUsage, "'--op': expected a model, got a compiled program");
    CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (!isExact(options.parallel.auto_parallel_search_mode()))
      return fail(BadUsage, "'--auto-parallel-search-mode': expected dynamic_programming or best, "
                            "which compare alternatives");
    if (options.parallel.cost_model() == abi::MODEL_MEMORY)
      return fail(BadUsage, "'--cost-model': expected roofline, under which the options of an op "
                            "are compared, got memory");
    options.parallel.set_parallel_mode(abi::AUTO_PARALLEL);
    compileFlags.useWholeCluster(options);
    std::string unknown;
    options.observe = [&](CompilePhase phase, mlir::ModuleOp module) {
      if (phase == CompilePhase::Grad)
        unknown = describeUnknown(strategy::SearchGraph(module, strategy::SeedShardings()));
      return mlir::success(unknown.empty());
    };
    Session session;
    SearchTables tables;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        compileFlags.compile(session, options, CompilePhase::Strategy, code, &tables);
    if (!unknown.empty())
      return fail(BadUsage, unknown);
    if (!module)
      return code;
    const strategy::SearchOutcome &plan = tables.meshes.front().outcome;
    abi::Expected<strategy::OpExplanation> explanation = strategy::explainNode(
        plan, *strategy::findNode(plan.problem->getGraph(), op), getSearchOptions(options));
    if (!explanation)
      return fail(ExitCode(explanation.status().exitCode()), explanation.status().message());
    format.isJson() ? printJson(toJson(*explanation)) : printTable(*explanation);
    return Success;
  }

  /// Returns whether the search weighs all options of an op.
  static bool isExact(abi::SearchMode mode) {
    return mode == abi::DYNAMIC_PROGRAMMING || mode == abi::BEST;
  }

  /// Describes why the op's name is wrong; returns an empty string if `graph` has the op.
  std::string describeUnknown(const strategy::SearchGraph &graph) const {
    if (strategy::findNode(graph, op))
      return "";
    std::string text =
        "'--op': expected an op, a parameter or an input of the model, got '" + op + "'";
    std::vector<std::string> near = strategy::findNearNames(graph, op);
    for (auto [index, name] : llvm::enumerate(near))
      text += (index == 0 ? "; similar names: '" : ", '") + name + "'";
    return text;
  }

  ExitCode explainCommunication() {
    abi::Executable program;
    if (ExitCode code = readProgram(program))
      return code;
    std::optional<abi::Cluster> cluster;
    if (ExitCode code = compileFlags.getCluster().read(abi::rankCount(program.mesh()), cluster))
      return code;
    std::vector<SectionCommunication> report = reportCommunication(program, cluster);
    format.isJson() ? printJson(toJson(report)) : printTable(report, program.mesh(), why);
    return Success;
  }

  ExitCode explainParameters() {
    abi::Executable program;
    if (ExitCode code = readProgram(program))
      return code;
    std::vector<StageParameters> report = reportParameters(program);
    format.isJson() ? printJson(toJson(report)) : printTable(report);
    return Success;
  }

  ExitCode readProgram(abi::Executable &program) {
    return compileFlags.isProgram() ? compileFlags.readProgram(program, {"cluster", "link"})
                                    : readModel(program);
  }

  /// Builds the instructions of a model, without kernels.
  ExitCode readModel(abi::Executable &program) {
    CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    return compileFlags.buildInstructions(options, program);
  }

  cl::opt<bool> communication, why, parameters, cost;
  OldName price;
  cl::opt<std::string> op;
  CostFlags costFlags;
  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeExplainSubcommand() {
  return std::make_unique<ExplainSubcommand>();
}
