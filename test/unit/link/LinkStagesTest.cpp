// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of several stages.

#include "test/unit/link/LinkFixture.h"

using namespace mlir;

namespace pcc {
namespace {

/// Two stages of two ranks: a message from the first to the second, a parameter that both stages
/// have, a constant of equal value, and kernels of equal name.
constexpr llvm::StringLiteral source = R"mlir(
module @two attributes {dist.mesh = #dist.mesh<dp=2>} {
  module @stage0 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 0 : i64} {
    graph.parameter @tied : tensor<4xf32> init(#graph.init<zeros>)
    task.program @train attributes {persistent_bytes = 128, temporary_bytes = 192, constant_bytes = 64, input_bytes = 0, micro_batches = 2} {
      %w = task.buffer "tied" persistent offset = 0 : memref<4xf32>
      %g = task.buffer "tied.grad" persistent offset = 64 : memref<4xf32>
      %y = task.buffer "y" temporary offset = 64 {depth = 2, stride = 64} : memref<4xf32>
      %c = task.buffer "c" constant offset = 0 {value = dense<7> : tensor<2xi32>} : memref<2xi32>
      task.parameter @tied in %w <[4] at <0>> : memref<4xf32>
      task.result gradient "tied" in %g <[4] at <0>> of @forward {accumulated, partial_axes = ["dp"]} : memref<4xf32>
      task.section @forward {
        task.launch @kernel(%w, %c, %y) scalars [#task.scalar<<[5, 6]>>] trip = 1 {waits = array<i32: 1>, signals = array<i32: 0>, task.behind = array<i32: 3>} : memref<4xf32>, memref<2xi32>, memref<4xf32>
        task.send %y to <2 + dp * 1 + pp * 2> tag = 3 {stream = #task<stream transfer>, waits = array<i32: 0>, signals = array<i32: 1>} : memref<4xf32>
        task.all_reduce %g into %g groups = dense<[[0, 1]]> : tensor<1x2xi64> {reduction = #task<reduction sum>} : memref<4xf32>, memref<4xf32>
      }
      task.action @forward microbatch = 0 copy = 0
      task.action @forward microbatch = 1 copy = 0
    }
  }
  module @stage1 attributes {dist.mesh = #dist.mesh<dp=2>, pipe.stage = 1 : i64} {
    graph.parameter @tied : tensor<4xf32> init(#graph.init<zeros>)
    task.program @train attributes {persistent_bytes = 128, temporary_bytes = 64, constant_bytes = 64, input_bytes = 0, micro_batches = 2} {
      %w = task.buffer "tied" persistent offset = 0 : memref<4xf32>
      %g = task.buffer "tied.grad" persistent offset = 64 : memref<4xf32>
      %x = task.buffer "x" temporary offset = 0 : memref<4xf32>
      %c = task.buffer "c" constant offset = 0 {value = dense<7> : tensor<2xi32>} : memref<2xi32>
      %d = task.buffer "d" constant offset = 0 {value = dense<[8, 9]> : tensor<2xi32>} : memref<2xi32>
      task.parameter @tied in %w <[4] at <0>> : memref<4xf32>
      task.result gradient "tied" in %g <[4] at <0>> of @forward {accumulated, partial_axes = ["dp"]} : memref<4xf32>
      task.section @forward {
        task.recv %x from <-2 + dp * 1 + pp * 2> tag = 3 {stream = #task<stream transfer>, signals = array<i32: 0>} : memref<4xf32>
        task.launch @kernel(%x, %c, %g) trip = 1 {waits = array<i32: 0>} : memref<4xf32>, memref<2xi32>, memref<4xf32>
        task.all_reduce %g into %g groups = dense<[[0, 1]]> : tensor<1x2xi64> {reduction = #task<reduction sum>} : memref<4xf32>, memref<4xf32>
        task.send %w to <[1, -1]> tag = 4 : memref<4xf32>
        task.collective_permute %x into %w groups = dense<[[0, 1]]> : tensor<1x2xi64> {pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : memref<4xf32>, memref<4xf32>
      }
      task.action @forward microbatch = 0 copy = 0
      task.action @forward microbatch = 1 copy = 0
    }
  }
}
)mlir";

class LinkStages : public LinkFixture {
protected:
  /// Returns the first error of linking `source` with the last occurrence of `old` replaced.
  std::string errorWith(llvm::StringRef old, llvm::StringRef replacement) {
    std::string text = source.str();
    text.replace(text.rfind(old.str()), old.size(), replacement.str());
    return errorOf(text);
  }
};

// Ranks, groups and tables cover all stages. Kernels and constants are stored once. The gradient of
// the shared parameter is the sum over both stages.
TEST_F(LinkStages, ShareOneExecutable) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  ASSERT_TRUE(module);
  abi::Executable executable;
  ASSERT_TRUE(succeeded(link::linkExecutable(*module, {"elf", {}}, executable)));
  ASSERT_EQ(executable.mesh().axes_size(), 2);
  EXPECT_EQ(executable.mesh().axes(0).name(), "pp");
  EXPECT_EQ(executable.mesh().axes(0).size(), 2);
  EXPECT_EQ(executable.kernels_size(), 1);
  EXPECT_EQ(executable.constants().size(), 128u);
  ASSERT_EQ(executable.groups_size(), 1);
  EXPECT_EQ(executable.groups(0).lists(1).ranks(0), 2u);
  EXPECT_EQ(executable.batch().micro_batches(), 2u);

  const abi::Program &first = executable.programs(0), &second = executable.programs(1);
  EXPECT_EQ(first.memory().buffers(2).ring().depth(), 2u);
  EXPECT_EQ(second.memory().buffers(3).offset(), 0u);
  EXPECT_EQ(second.memory().buffers(4).offset(), 64u);
  EXPECT_EQ(first.sections(0).instructions(0).behind(0), 3u);
  const abi::RankExpression &table =
      first.sections(0).instructions(0).launch().scalars(0).expression();
  EXPECT_EQ(std::vector<int64_t>(table.table().begin(), table.table().end()),
            (std::vector<int64_t>{5, 6, 5, 6}));
  const abi::RankExpression &peer = first.sections(0).instructions(1).collective().peer();
  EXPECT_EQ(peer.constant(), 2);
  EXPECT_EQ(peer.terms(0).axis(), 1u);
  EXPECT_EQ(peer.terms(1).axis(), 0u);
  const abi::RankExpression &within = second.sections(0).instructions(3).collective().peer();
  EXPECT_EQ(within.table(2), 3);
  EXPECT_EQ(within.table(3), -1);
  EXPECT_EQ(second.sections(0).instructions(4).collective().pairs(0).target(), 3u);
  for (const abi::Program &program : executable.programs()) {
    ASSERT_EQ(program.results(0).partial_axes_size(), 2);
    EXPECT_EQ(program.results(0).partial_axes(0), 1u);
    EXPECT_EQ(program.results(0).partial_axes(1), 0u);
  }
}

TEST_F(LinkStages, FitTogether) {
  EXPECT_EQ(errorWith("pipe.stage = 1", "pipe.stage = 2"),
            "expected stages numbered 0 to 1, each once, got \"pipe.stage = 2\"");
  EXPECT_EQ(errorWith("dist.mesh<dp=2>", "dist.mesh<dp=4>"),
            "expected the mesh of the first stage, dp=2, got dp=4");
  EXPECT_EQ(errorWith("micro_batches = 2", "micro_batches = 3"),
            "'task.program' op expected the microbatches and copies of the first stage, 2 and 1, "
            "got 3 and 1");
}

TEST_F(LinkStages, KeepTheAxisOfStages) {
  std::string text = source.str();
  for (size_t at = 0; (at = text.find("dp", at)) != std::string::npos;)
    text.replace(at, 2, "pp");
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  abi::Executable executable;
  EXPECT_TRUE(failed(link::linkExecutable(*module, {}, executable)));
  EXPECT_EQ(message, "expected no axis \"pp\" in the mesh of a stage, it is that of the stages");
}

} // namespace
} // namespace pcc
