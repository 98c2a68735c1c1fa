// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller of the library gets the same choices, and so the same program, as `pcc compile`.
#include "compiler/search/Choices.h"
#include "compiler/Register.h"
#include "compiler/import/Import.h"
#include "compiler/search/CompileProgram.h"
#include "mlir/IR/Diagnostics.h"
#include "runtime/abi/files/Executable.h"
#include "runtime/machine/Cluster.h"
#include "runtime/machine/UniformLink.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace mlir;

namespace pcc::search {
namespace {

class Choices : public ::testing::Test {
protected:
  Choices() : folder(::testing::TempDir() + "pcc-choices-" + std::to_string(::getpid()) + "-") {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs `pcc`, e.g. "compile".
  static void runPcc(const std::string &arguments) {
    ASSERT_EQ(std::system((PCC_COMMAND " " + arguments).c_str()), 0) << arguments;
  }

  std::string pathOf(const std::string &name) const { return folder + name; }

  OwningOpRef<ModuleOp> load() {
    return import::importModel(pathOf("model.mlir"), import::ImportOptions(), context);
  }

  /// Returns the options of `pcc compile --loss=softmax_cross_entropy --optimizer=momentum,lr=0.1`.
  static CompileOptions makeOptions() {
    CompileOptions options;
    abi::ParallelConfig &config = options.parallel;
    config.set_device_num(1);
    config.set_micro_batches(1);
    config.set_interleave_num(1);
    config.set_pipeline_stages(1);
    config.set_virtual_stages(1);
    config.set_loss_repeated_mean(true);
    config.set_gradient_fp32_sync(true);
    options.training.loss = "softmax_cross_entropy";
    options.training.optimizer = "momentum,lr=0.1";
    options.training.wideGradients = true;
    return options;
  }

  /// Compiles the model by both ways and expects the same program.
  void expectSameProgram(const CompileOptions &options, const std::string &flags) {
    runPcc("compile " + pathOf("model.mlir") +
           " --loss=softmax_cross_entropy --optimizer=momentum,lr=0.1 " + flags + " -o " +
           pathOf("tool.pcx"));
    abi::Expected<abi::Executable> byTool = abi::readExecutable(pathOf("tool.pcx"));
    ASSERT_TRUE(byTool) << byTool.status().message();
    OwningOpRef<ModuleOp> module = load();
    ASSERT_TRUE(module);
    FailureOr<abi::Executable> program = compile(*module, options);
    ASSERT_TRUE(succeeded(program));
    EXPECT_EQ(program->batch().copies(), byTool->batch().copies());
    EXPECT_TRUE(abi::identityOf(*program) == abi::identityOf(*byTool));
  }

  MLIRContext context;
  std::string folder;
};

TEST_F(Choices, CopiesAsByPccCompile) {
  runPcc("example gpt --set layers=1 --set width=32 --set batch=4 --set sequence=16 -o " +
         pathOf("base.mlir"));
  std::ofstream(pathOf("constraints.textproto")) << R"(mesh: "tp=2"
            constraint { parameter: "h\\.\\d\\.(attn\\.[qkv]|fc)\\.weight" sharding: "[_, tp]" }
            constraint { parameter: "h\\.\\d\\.(attn\\.proj|out)\\.weight" sharding: "[tp, _]" })";
  runPcc("import " + pathOf("base.mlir") + " --constraints=" + pathOf("constraints.textproto") +
         " -o " + pathOf("model.mlir"));
  CompileOptions options = makeOptions();
  options.parallel.set_device_num(2);
  options.parallel.set_parallel_mode(abi::SEMI_AUTO_PARALLEL);
  options.parallel.set_interleave_num(0);
  options.cluster = *machine::parseCluster("", 2);
  machine::setLinks(*options.cluster, *machine::parseLink("10Mbps,1us"));
  expectSameProgram(options, "--device-num=2 --parallel-mode=semi_auto_parallel --interleave-num=0 "
                             "--link=10Mbps,1us");
  OwningOpRef<ModuleOp> module = load();
  ASSERT_TRUE(succeeded(resolveChoices(*module, options)));
  EXPECT_GT(options.training.copies, 1);
  EXPECT_EQ(options.parallel.interleave_num(), options.training.copies);
}

class Recomputation : public Choices {
protected:
  Recomputation() {
    runPcc("example gpt --set layers=2 --set width=16 --set batch=4 --set sequence=8 "
           "--set vocabulary=16 -o " +
           pathOf("model.mlir"));
  }
};

TEST_F(Recomputation, PartsAsByPccCompile) {
  CompileOptions options = makeOptions();
  options.parallel.set_memory_limit(115000);
  expectSameProgram(options, "--memory-limit=115000");
  OwningOpRef<ModuleOp> module = load();
  ASSERT_TRUE(succeeded(resolveChoices(*module, options)));
  EXPECT_FALSE(options.recomputedParts->empty());
}

TEST_F(Recomputation, ChoicesThatWereMadeAreKept) {
  CompileOptions options = makeOptions();
  options.parallel.set_memory_limit(115000);
  options.recomputedParts = {0};
  OwningOpRef<ModuleOp> module = load();
  ASSERT_TRUE(succeeded(resolveChoices(*module, options)));
  EXPECT_EQ(*options.recomputedParts, std::vector<int64_t>{0});
}

TEST_F(Recomputation, ErrorIfNothingFits) {
  CompileOptions options = makeOptions();
  options.parallel.set_memory_limit(15000);
  OwningOpRef<ModuleOp> module = load();
  std::string error;
  ScopedDiagnosticHandler handler(&context,
                                  [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  EXPECT_TRUE(failed(compile(*module, options)));
  EXPECT_TRUE(StringRef(error).starts_with("'memory_limit': expected at least ")) << error;
}

} // namespace
} // namespace pcc::search
