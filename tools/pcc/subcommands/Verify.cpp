// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc verify: checks that N ranks compute what one device does. Given two modules, checks that they
// compute the same. Given a folder with data, checks that the model computes its outputs from its
// inputs. With --record, stores the first comparison for another machine.

#include "compiler/verify/VerifyModel.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/abi/files/GoldenFile.h"
#include "runtime/abi/program/RankExpression.h"
#include "tools/pcc/subcommands/ModelSubcommand.h"
#include "llvm/Support/raw_ostream.h"

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

class VerifySubcommand : public ModelSubcommand {
public:
  VerifySubcommand()
      : ModelSubcommand("verify",
                        "compares the ranks of a program with one device, or two modules"),
        other(cl::Positional, cl::desc("[OTHER]"), cl::Optional, cl::sub(command)), format(command),
        record("record",
               cl::desc("write the program to PREFIX.pcx and its golden results to "
                        "PREFIX.expected, for 'pcc-run --expected'; run nothing"),
               cl::value_desc("prefix"), cl::sub(command)),
        testData("test-data", cl::desc("folder of ONNX test data to compare with"),
                 cl::value_desc("folder"), cl::sub(command)),
        relative("rtol",
                 cl::desc("allowed difference from test data, as a share of the expected value "
                          "(default: 0.001, or the bound of rounding if that is greater)"),
                 cl::value_desc("share"), cl::sub(command)),
        absolute("atol",
                 cl::desc("allowed difference from test data (default: 1e-7, or the bound of "
                          "rounding if that is greater)"),
                 cl::value_desc("difference"), cl::sub(command)),
        seed("seed", cl::desc("random seed of the inputs (default: 1)"), cl::init(1),
             cl::sub(command)),
        steps("steps", cl::desc("number of compared training steps (default: 2)"), cl::init(2),
              cl::sub(command)),
        allowNan("allow-nan",
                 cl::desc("accept NaN where the reference has NaN, which otherwise fails"),
                 cl::sub(command)),
        listAll("all", cl::desc("also list the cases that passed"), cl::sub(command)) {}

  ExitCode runModel() override {
    Session session;
    pcc::interpret::VerifyOptions options;
    options.seed = seed;
    options.steps = steps;
    options.mayBeNaN = allowNan;
    if (record.getNumOccurrences())
      return runGolden(session, options);
    if (!testData.empty())
      return runTestData(session);
    if (other.empty())
      return verifyModel(session, options);
    ExitCode code;
    mlir::OwningOpRef<mlir::ModuleOp> a = compileFlags.getModel().load(session.context, code);
    if (!a)
      return code;
    mlir::OwningOpRef<mlir::ModuleOp> b = pcc::import::importModel(other, {}, session.context);
    if (!b)
      return BadInput;
    return show(pcc::interpret::verifyModules(*a, *b, options));
  }

private:
  /// Compiles the model for its ranks and for one device.
  ExitCode compile(Session &session, const pcc::interpret::VerifyOptions &options,
                   pcc::verify::VerifiedModel &model) {
    pcc::CompileOptions pipeline;
    if (ExitCode code = compileFlags.read(pipeline))
      return code;
    auto run = [&](mlir::ModuleOp module, const pcc::CompileOptions &own) {
      return pcc::verify::compileVerified(module, own, options, model);
    };
    ExitCode code;
    compileFlags.compileBy(run, session, pipeline, code);
    return code;
  }

  ExitCode verifyModel(Session &session, const pcc::interpret::VerifyOptions &options) {
    pcc::verify::VerifiedModel model;
    if (ExitCode code = compile(session, options, model))
      return code;
    auto report = pcc::verify::verifyModel(std::move(model));
    if (!report)
      return pcc::cli::fail(ExitCode(report.status().exitCode()), report.status().describe());
    return show(*report);
  }

  ExitCode runGolden(Session &session, const pcc::interpret::VerifyOptions &options) {
    if (record.empty())
      return pcc::cli::fail(BadUsage, "'--record': expected a prefix of file names");
    if (!other.empty())
      return pcc::cli::fail(BadUsage, "'--record': expected one model, got two modules");
    if (!testData.empty())
      return pcc::cli::fail(BadUsage, "'--record': cannot be combined with '--test-data'");
    pcc::verify::VerifiedModel model;
    if (ExitCode code = compile(session, options, model))
      return code;
    auto golden = pcc::verify::computeGoldenResults(model);
    if (!golden)
      return pcc::cli::fail(BadInput, "'--record': " + golden.status().message());
    return writeGolden(model.program, *golden);
  }

  /// Writes PREFIX.pcx and PREFIX.expected, and prints one line about them.
  ExitCode writeGolden(const pcc::abi::Executable &executable,
                       const pcc::abi::GoldenResults &golden) {
    std::string program = record + ".pcx", expected = record + ".expected";
    pcc::abi::Status status = pcc::abi::writeExecutable(executable, program);
    if (status.ok())
      status = pcc::abi::writeGoldenResults(golden, expected);
    if (!status.ok())
      return pcc::cli::fail(BadInput, status.describe());
    int64_t ranks = pcc::abi::rankCount(executable.mesh());
    llvm::outs() << "wrote " << golden.results_size() << " golden results of " << ranks
                 << (ranks == 1 ? " rank" : " ranks") << ": '" << program << "', '" << expected
                 << "'\n";
    llvm::outs().flush();
    return Success;
  }

  ExitCode runTestData(Session &session) {
    llvm::StringRef model = compileFlags.getModel().path();
    if (!other.empty() || !model.ends_with(".onnx"))
      return pcc::cli::fail(BadUsage, "'--test-data': expected one model that ends in .onnx");
    pcc::CompileOptions options;
    if (ExitCode code = compileFlags.read(options))
      return code;
    pcc::import::ImportOptions importOptions;
    if (ExitCode code = compileFlags.getModel().read(importOptions, session.context))
      return code;
    pcc::verify::StoredTolerance tolerance;
    if (relative.getNumOccurrences())
      tolerance.relative = relative;
    if (absolute.getNumOccurrences())
      tolerance.absolute = absolute;
    tolerance.allowsRounding = !relative.getNumOccurrences() && !absolute.getNumOccurrences();
    pcc::interpret::Report report = pcc::verify::verifyTestData(session.context, model, testData,
                                                                options, tolerance, importOptions);
    ExitCode code = show(report);
    bool isEmpty = report.count(pcc::interpret::CaseStatus::Passed) == 0;
    return code == Success && isEmpty ? BadInput : code;
  }

  ExitCode show(const pcc::interpret::Report &report) {
    if (format.isJson())
      printJson(report.toJson());
    else
      report.print(llvm::outs(), listAll);
    llvm::outs().flush();
    return report.passed() ? Success : Mismatch;
  }

  cl::opt<std::string> other;
  FormatFlag format;
  cl::opt<std::string> record, testData;
  cl::opt<double> relative, absolute;
  cl::opt<uint64_t> seed;
  cl::opt<int64_t> steps;
  cl::opt<bool> allowNan, listAll;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeVerifySubcommand() {
  return std::make_unique<VerifySubcommand>();
}
