// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc compile: compiles a model to a program, or to an earlier phase.

#include "compiler/link/Link.h"
#include "passes/lower/gpu/CompilePtx.h"
#include "runtime/abi/Executable.h"
#include "tools/pcc/SpecializeToRank.h"
#include "tools/pcc/flags/CompileFlags.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class CompileSubcommand : public Subcommand {
public:
  CompileSubcommand()
      : Subcommand("compile", "compiles a model to the program of its ranks"),
        compileFlags(command),
        output("o", cl::desc("output file: the program (.pcx), or with --emit the IR of the phase"),
               cl::value_desc("file"), cl::sub(command)),
        emit("emit", cl::desc("phase after which to stop and print the IR"),
             cl::value_desc("graph|grad|strategy|spmd|stages|fuse|schedule|task|llvm|ptx"),
             cl::sub(command)) {}

  ExitCode run() override {
    std::optional<pcc::CompilePhase> last = pcc::CompilePhase::Llvm;
    bool isPtx = llvm::StringRef(emit).equals_insensitive("ptx");
    if (!emit.empty() && !isPtx)
      last = pcc::parsePhase(emit);
    if (!last)
      return fail(BadUsage,
                  "'--emit': expected a phase (" + emit.ValueStr + "), got '" + emit + "'");
    if (emit.empty() && output.empty())
      return fail(BadUsage, "expected '-o FILE.pcx' or '--emit=PHASE'");

    Session session;
    pcc::CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    if (isPtx && (options.gpuChip.empty() || options.gpuChip == pcc::lower::emulatorChip))
      return fail(BadUsage, "'--emit=ptx': expected '--target=cuda:sm_90' or another GPU");
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = compileFlags.compile(session, options, *last, code);
    if (!module)
      return code;
    if (emit.empty())
      return link(*module);
    if (isPtx)
      return writePtx(*module);
    if (options.parallel.has_global_rank())
      specializeToRank(*module, options.parallel.global_rank());
    return writeModule(*module, output);
  }

private:
  ExitCode writePtx(mlir::ModuleOp module) {
    llvm::Expected<std::string> ptx =
        pcc::lower::compilePtx(*module.getOps<mlir::gpu::GPUModuleOp>().begin());
    if (!ptx)
      return fail(BadInput, llvm::toString(ptx.takeError()));
    return writeResult(output, [&](llvm::raw_ostream &stream) { stream << *ptx; });
  }

  ExitCode link(mlir::ModuleOp module) {
    mlir::FailureOr<pcc::abi::Executable> program = pcc::link::linkProgram(module);
    if (mlir::failed(program))
      return BadInput;
    pcc::abi::Status status = pcc::abi::writeExecutable(*program, output);
    return status.ok() ? Success : fail(BadInput, status.describe());
  }

  CompileFlags compileFlags;
  cl::opt<std::string> output, emit;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeCompileSubcommand() {
  return std::make_unique<CompileSubcommand>();
}
