// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc compile: a model to a program, or to a stage before it.

#include "compiler/link/Link.h"
#include "runtime/abi/Executable.h"
#include "tools/pcc/OneRank.h"
#include "tools/pcc/RoadFlags.h"
#include "tools/pcc/Verb.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class CompileVerb : public Verb {
public:
  CompileVerb()
      : Verb("compile", "a model to the program of its ranks"), road(command),
        output("o", cl::desc("the program (.pcx), or with --emit the stage"),
               cl::value_desc("file"), cl::sub(command)),
        emit("emit", cl::desc("stop after this stage and print it"),
             cl::value_desc("graph|grad|strategy|spmd|stages|schedule|task|llvm"),
             cl::sub(command)) {}

  ExitCode run() override {
    std::optional<pcc::Stage> last = pcc::Stage::Llvm;
    if (!emit.empty())
      last = pcc::parseStage(emit);
    if (!last)
      return fail(BadUsage,
                  "'--emit': expected a stage (" + emit.ValueStr + "), got '" + emit + "'");
    if (emit.empty() && output.empty())
      return fail(BadUsage, "expected '-o FILE.pcx' or '--emit=STAGE'");

    Session session;
    pcc::PipelineOptions options;
    if (ExitCode code = road.read(options))
      return code;
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> module = road.compile(session, options, *last, code);
    if (!module)
      return code;
    if (emit.empty())
      return link(*module);
    if (options.parallel.has_global_rank())
      specialise(*module, options.parallel.global_rank());
    return writeModule(*module, output);
  }

private:
  ExitCode link(mlir::ModuleOp module) {
    mlir::FailureOr<pcc::abi::Executable> program = pcc::link::linkProgram(module);
    if (mlir::failed(program))
      return BadInput;
    pcc::abi::Status status = pcc::abi::writeExecutable(*program, output);
    return status.ok() ? Success : fail(BadInput, status.describe());
  }

  RoadFlags road;
  cl::opt<std::string> output, emit;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeCompileVerb() { return std::make_unique<CompileVerb>(); }
