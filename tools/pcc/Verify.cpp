// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc verify: do two modules compute the same?

#include "compiler/interpret/Verify.h"

#include "llvm/Support/raw_ostream.h"
#include "tools/pcc/Session.h"
#include "tools/pcc/Verb.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class VerifyVerb : public Verb {
public:
  VerifyVerb()
      : Verb("verify", "compares two modules"), format(command),
        files(cl::Positional, cl::desc("A.mlir B.mlir"), cl::OneOrMore, cl::sub(command)),
        seed("seed", cl::desc("of the random inputs"), cl::init(1), cl::sub(command)),
        steps("steps", cl::desc("training steps that are compared"), cl::init(2),
              cl::sub(command)),
        listAll("all", cl::desc("list the cases that passed, too"), cl::sub(command)) {}

  ExitCode run() override {
    Session session;
    if (files.size() != 2)
      return fail(BadUsage, "expected two modules");
    mlir::OwningOpRef<mlir::ModuleOp> a = pcc::import::importModel(files[0], {}, session.context);
    mlir::OwningOpRef<mlir::ModuleOp> b = pcc::import::importModel(files[1], {}, session.context);
    if (!a || !b)
      return BadInput;
    pcc::interpret::VerifyOptions options;
    options.seed = seed;
    options.steps = steps;
    return show(pcc::interpret::verifyModules(*a, *b, options));
  }

private:
  ExitCode show(const pcc::interpret::Report &report) {
    if (format.isJson())
      printJson(report.toJson());
    else
      report.print(llvm::outs(), listAll);
    llvm::outs().flush();
    return report.passed() ? Success : Mismatch;
  }

  FormatFlag format;
  cl::list<std::string> files;
  cl::opt<uint64_t> seed;
  cl::opt<int64_t> steps;
  cl::opt<bool> listAll;
};

} // namespace

std::unique_ptr<Verb> pcc::cli::makeVerifyVerb() { return std::make_unique<VerifyVerb>(); }
