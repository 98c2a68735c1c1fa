// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc compile: compiles a model to a program, or to an earlier phase; with --global-rank for one of
// the ranks.

#include "compiler/PhasePipelines.h"
#include "compiler/link/Link.h"
#include "dialects/dist/Group.h"
#include "dialects/graph/Graph.h"
#include "dialects/pipe/Stages.h"
#include "dialects/task/Task.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "runtime/abi/files/Executable.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/report/WriteModule.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

/// Evaluates `expression` on the rank at this position of this stage.
static int64_t valueOf(pcc::task::RankAttr expression, const pcc::dist::Mesh &mesh, int64_t stage,
                       int64_t position) {
  if (!expression.getTable().empty())
    return expression.getTable()[position];
  int64_t value = expression.getConstant();
  llvm::SmallVector<int64_t, 4> coordinates = mesh.getCoordinates(position);
  for (auto [axis, stride] : llvm::zip_equal(expression.getAxes(), expression.getStrides())) {
    auto number = mesh.findAxis(axis.getValue());
    value += (number ? coordinates[*number] : stage) * stride;
  }
  return value;
}

/// Replaces `op` by the position of `rank` in its group: a constant that keeps the op's
/// annotations.
static void replaceByPosition(pcc::dist::RankOp op, const pcc::dist::Mesh &mesh, int64_t rank) {
  pcc::dist::RankList members = pcc::dist::getGroupMembers(op.getGroupAttr(), mesh, rank);
  int64_t position = llvm::find(members, rank) - members.begin();
  mlir::OpBuilder builder(op);
  auto value = mlir::DenseElementsAttr::get(mlir::cast<mlir::ShapedType>(op.getType()),
                                            builder.getI64IntegerAttr(position));
  auto constant = pcc::graph::ConstantOp::create(builder, op.getLoc(), value);
  constant->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(constant.getResult());
  op.erase();
}

/// Replaces everything in `module` that depends on the rank by its value on `rank`, after any
/// phase. The rank lies in the module's mesh, or in the mesh of all its pipeline stages, of which
/// only the rank's own one is kept. On rank 3 `#task.rank<0 + dp * 4>` becomes `#task.rank<12>`,
/// and `dist.rank` becomes a constant.
static void specializeToRank(mlir::ModuleOp module, int64_t rank) {
  pcc::dist::Mesh mesh = pcc::dist::getMesh(module);
  int64_t stage = rank / mesh.getNumRanks(), position = rank % mesh.getNumRanks();
  for (auto other : llvm::make_early_inc_range(module.getOps<mlir::ModuleOp>()))
    if (pcc::pipe::getStage(other).value_or(stage) != stage)
      other.erase();
  module.walk([&](pcc::dist::RankOp op) { replaceByPosition(op, mesh, position); });
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([&](pcc::task::RankAttr expression) -> mlir::Attribute {
    return pcc::task::RankAttr::get(module.getContext(), valueOf(expression, mesh, stage, position),
                                    {}, {}, {});
  });
  replacer.recursivelyReplaceElementsIn(module);
}

namespace {

class CompileSubcommand : public ModelSubcommand {
public:
  CompileSubcommand()
      : ModelSubcommand("compile", "compiles a model to the program of its ranks"),
        output("o", cl::desc("output file: the program (.pcx), or with --emit the IR of the phase"),
               cl::value_desc("file"), cl::sub(command)),
        emit(
            "emit", cl::desc("phase after which to stop and print the IR"),
            cl::value_desc("graph|grad|strategy|spmd|stages|fuse|schedule|task|llvm|ptx|pipelines"),
            cl::sub(command)),
        linkOnly("link-only", cl::desc("link a module after phase llvm instead of compiling"),
                 cl::sub(command)) {}

  ExitCode runModel() override {
    std::optional<pcc::CompilePhase> last = pcc::CompilePhase::Llvm;
    bool isPtx = llvm::StringRef(emit).equals_insensitive("ptx");
    bool isPipelines = llvm::StringRef(emit).equals_insensitive("pipelines");
    if (!emit.empty() && !isPtx && !isPipelines)
      last = pcc::parsePhase(emit);
    if (!last)
      return fail(BadUsage,
                  "'--emit': expected a phase (" + emit.ValueStr + "), got '" + emit + "'");
    if (emit.empty() && output.empty())
      return fail(BadUsage, "expected '-o FILE.pcx' or '--emit=PHASE'");
    if (linkOnly)
      return linkModule();

    pcc::CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (isPipelines)
      return writePipelines(options);
    if (isPtx && (options.gpuChip.empty() || options.gpuChip == pcc::lower::emulatorChip))
      return fail(BadUsage, "'--emit=ptx': expected '--target=cuda:sm_90' or another GPU");
    if (emit.empty())
      return writeProgram(options);
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = compileFlags.compile(session, options, *last, code);
    if (!module)
      return code;
    if (isPtx)
      return writePtx(*module);
    if (options.parallel.has_global_rank())
      specializeToRank(*module, options.parallel.global_rank());
    return writeModule(*module, output);
  }

private:
  /// Prints the pipeline of each phase, by which pcc-opt compiles the model alike.
  ExitCode writePipelines(pcc::CompileOptions &options) {
    std::string pipelines;
    llvm::raw_string_ostream lines(pipelines);
    auto print = [&](mlir::ModuleOp, const pcc::CompileOptions &resolved) {
      for (pcc::CompilePhase phase : pcc::listPhases())
        lines << "pcc-" << pcc::stringify(phase) << pcc::printPipelineOptions(resolved) << "\n";
      return mlir::success();
    };
    Session session;
    ExitCode code;
    compileFlags.compileBy(print, session, options, code);
    return code ? code
                : writeResult(output, [&](llvm::raw_ostream &stream) { stream << pipelines; });
  }

  /// Links the module that MODEL holds after its last phase.
  ExitCode linkModule() {
    if (!emit.empty())
      return fail(BadUsage, "'--link-only': expected no '--emit'");
    Session session;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = compileFlags.getModel().load(session.context, code);
    if (!module)
      return code;
    mlir::FailureOr<pcc::abi::Executable> program = pcc::link::linkProgram(*module);
    return mlir::succeeded(program) ? write(std::move(*program)) : BadInput;
  }

  ExitCode writePtx(mlir::ModuleOp module) {
    llvm::Expected<std::string> ptx =
        pcc::lower::compilePtx(*module.getOps<mlir::gpu::GPUModuleOp>().begin());
    if (!ptx)
      return fail(BadInput, llvm::toString(ptx.takeError()));
    return writeResult(output, [&](llvm::raw_ostream &stream) { stream << *ptx; });
  }

  ExitCode writeProgram(pcc::CompileOptions &options) {
    pcc::abi::Executable program;
    ExitCode code = compileFlags.build(options, program);
    return code ? code : write(std::move(program));
  }

  ExitCode write(pcc::abi::Executable program) {
    pcc::abi::Status status = pcc::abi::writeExecutable(std::move(program), output);
    return status.ok() ? Success : fail(BadInput, status.describe());
  }

  cl::opt<std::string> output, emit;
  cl::opt<bool> linkOnly;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeCompileSubcommand() {
  return std::make_unique<CompileSubcommand>();
}
