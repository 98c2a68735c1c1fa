// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/link/Link.h"

#include "test/unit/link/LinkFixture.h"

using namespace mlir;

namespace pcc {

static constexpr llvm::StringLiteral source = R"mlir(
module @tiny attributes {dist.mesh = #dist.mesh<dp=2, tp=2>} {
  graph.parameter @w : tensor<8x4xf32> init(#graph.init<uniform, -1.0, 1.0>)
  graph.parameter @m : tensor<4xi32> init(#graph.init<file>) {value = dense<7> : tensor<4xi32>, trainable = false}
  task.program @train attributes {persistent_bytes = 192, temporary_bytes = 128, constant_bytes = 64, input_bytes = 64} {
    %w = task.buffer "w" persistent offset = 0 : memref<8x4xf32>
    %m = task.buffer "m" persistent offset = 128 : memref<4xi32>
    %x = task.buffer "x" input offset = 0 : memref<2x8xf32>
    %y = task.buffer "y" temporary offset = 64 : memref<2x4xf32>
    %c = task.buffer "c" constant offset = 0 {value = dense<[true, false]> : tensor<2xi1>} : memref<2xi1>
    task.parameter @w in %w <[16, 4] at <0 + tp * 8>, <0>> : memref<8x4xf32>
    task.parameter @m in %m <[4] at <0>> {state} : memref<4xi32>
    task.input "x" in %x <[4, 8] at <0 + dp * 2>, <0>> : memref<2x8xf32>
    task.result output "y" in %y <[4, 4] at <0 + dp * 2>, <0>> of @forward {partial_axes = ["tp"]} : memref<2x4xf32>
    task.section @forward {
      task.matmul %x, %w into %y batch = 1 m = 2 n = 4 k = 8 {signals = array<i32: 0>} : memref<2x8xf32>, memref<8x4xf32>, memref<2x4xf32>
      task.all_reduce %y into %y groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64> {reduction = #task<reduction sum>, waits = array<i32: 0>, signals = array<i32: 1>} : memref<2x4xf32>, memref<2x4xf32>
      task.launch @kernel(%c, %y) scalars [#task.scalar<<0 + tp * 1>>] trip = 2 {waits = array<i32: 1>} : memref<2xi1>, memref<2x4xf32>
    }
    task.action @forward microbatch = 0 copy = 0
  }
}
)mlir";

namespace {
class Link : public LinkFixture {
protected:
  /// Returns the error of linking `source` with `old` replaced.
  std::string errorWith(llvm::StringRef old, llvm::StringRef replacement) {
    std::string text = source.str();
    text.replace(text.find(old.str()), old.size(), replacement.str());
    return errorOf(text);
  }
};
} // namespace

TEST_F(Link, ProgramReadsBackIdentically) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  ASSERT_TRUE(module);
  abi::Executable executable;
  ASSERT_TRUE(succeeded(link::linkExecutable(*module, {"elf", {"avx2"}}, executable)));
  auto again = abi::parseExecutable(abi::serialize(executable));
  ASSERT_TRUE(bool(again)) << again.status().describe();
  EXPECT_EQ(again->SerializeAsString(), executable.SerializeAsString());
}

TEST_F(Link, TablesHoldWhatTheModuleSays) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  abi::Executable executable;
  ASSERT_TRUE(succeeded(link::linkExecutable(*module, {"elf", {"avx2"}}, executable)));
  const abi::Program &program = executable.programs(0);
  EXPECT_EQ(executable.mesh().axes(1).name(), "tp");
  EXPECT_EQ(executable.constants().substr(0, 2), std::string("\1\0", 2));
  EXPECT_EQ(program.parameters(0).initializer().uniform().low(), -1);
  EXPECT_EQ(program.parameters(0).block().offsets(0).terms(0).axis(), 1u);
  EXPECT_EQ(program.parameters(1).initializer().data().size(), 16u);
  EXPECT_TRUE(program.parameters(1).state());
  EXPECT_EQ(program.results(0).partial_axes(0), 1u);
  EXPECT_EQ(executable.batch().data_ranks(), 2u);
  EXPECT_EQ(executable.groups(0).lists(1).ranks(0), 2u);
  EXPECT_EQ(program.sections(0).instructions(2).launch().scalars(0).expression().terms(0).stride(),
            1);
  EXPECT_EQ(program.events(), 2u);
}

TEST_F(Link, NeedsOneProgram) {
  EXPECT_EQ(errorOf("module {}"), "expected one \"task.program\", run \"--lower-to-task\" first");
}

TEST_F(Link, NamesStandForSomething) {
  EXPECT_EQ(errorWith("dp=2, tp=2", "dp=4"),
            "'task.parameter' op expected an axis of the mesh, got \"tp\"");
  EXPECT_EQ(errorWith("[\"tp\"]", "[\"pp\"]"),
            "'task.result' op expected an axis of the mesh, got \"pp\"");
  EXPECT_EQ(errorWith("of @forward", "of @backward"),
            "'task.result' op expected a section of the program, got \"@backward\"");
  EXPECT_EQ(errorWith("task.action", "task.metric accuracy \"y\", \"z\"\n    task.action"),
            "'task.metric' op expected an output \"y\" and an input \"z\" of the program");
  EXPECT_EQ(errorWith("task.parameter @m", "task.parameter @n"),
            "'task.parameter' op expected a \"graph.parameter\" called \"n\", got none");
}

} // namespace pcc
