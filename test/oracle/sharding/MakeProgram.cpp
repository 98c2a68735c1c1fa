// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "test/oracle/sharding/Draw.h"
#include "test/oracle/sharding/Partitioned.h"

using namespace mlir;
using pcc::dist::Mesh;

namespace pcc::test {

/// Adds arguments: rows and weights, a sequence, an image with filters, heads with keys and values.
/// Half of the programs have sizes with many divisors, the others have arbitrary sizes.
static void addArguments(ProgramMaker &maker) {
  struct Sizes {
    int64_t rows, parts, width;
  };
  static const Sizes many[] = {{24, 4, 12}, {12, 2, 6}, {16, 4, 8}, {18, 3, 12}};
  static const Sizes odd[] = {{9, 3, 5}, {15, 3, 9}, {10, 2, 7}, {7, 1, 12}};
  static const int64_t heights[] = {8, 6, 9, 12, 5}, widths[] = {6, 4, 3, 8},
                       extents[] = {3, 1, 2, 5}, channels[] = {4, 6, 2, 3}, groups[] = {1, 2, 1, 3},
                       keys[] = {6, 8, 3, 7};
  Sizes size = maker.flip() ? maker.drawOf(many) : maker.drawOf(odd);
  maker.addArgument({size.rows, size.width}, false);
  maker.addArgument({size.rows}, false, "i64");
  maker.addArgument({size.parts, size.rows / size.parts}, false, "i64");
  for (const Shape &shape :
       {Shape{size.width, size.width}, Shape{size.width, size.width}, Shape{size.width},
        Shape{size.rows, size.width}, Shape{size.parts, size.rows / size.parts, size.width}})
    maker.addArgument(shape, true);

  int64_t channel = maker.drawOf(channels), group = maker.drawOf(groups);
  int64_t height = maker.drawOf(heights), batch = 2 + maker.draw(3);
  maker.addArgument({batch, channel * group, height, maker.drawOf(widths)}, true);
  int64_t reach = maker.drawOf(extents);
  maker.addArgument({group * maker.drawOf(channels), channel, reach, maker.drawOf(extents)}, true);
  int64_t heads = maker.drawOf(channels), places = maker.drawOf(keys),
          width = maker.drawOf(channels);
  maker.addArgument({batch, heads * group, maker.drawOf(keys), width}, true);
  maker.addArgument({batch, heads, places, width}, true);
  maker.addArgument({batch, heads, places, maker.drawOf(channels)}, true);
}

static void addOp(ProgramMaker &maker) {
  static constexpr void (*const kinds[])(ProgramMaker &) = {
      drawUnary,    drawUnary,       drawBinary,    drawBinary,  drawSelect,     drawDropout,
      drawMatmul,   drawMatmul,      drawEinsum,    drawEinsum,  drawReshape,    drawTranspose,
      drawPiece,    drawConcat,      drawBroadcast, drawSoftmax, drawReduction,  drawDynamicSlice,
      drawLoss,     drawConvolution, drawPool,      drawPool,    drawLayerNorm,  drawLayerNorm,
      drawRotation, drawConvolution, drawBatchNorm, drawArgmax,  drawTopK,       drawAttention,
      drawCumsum,   drawGather,      drawGather,    drawOneHot,  drawScatterAdd, drawAttention};
  kinds[maker.draw(std::size(kinds))](maker);
}

static std::vector<ModelValue> makeValues(uint64_t seed) {
  ProgramMaker maker(seed);
  addArguments(maker);
  for (size_t end = maker.size() + 10 + maker.draw(50); maker.size() < end;)
    addOp(maker);
  return maker.take();
}

static Mesh pickMesh(std::mt19937_64 &random) {
  const Mesh meshes[] = {Mesh({{"x", 2}, {"y", 2}}),
                         Mesh({{"x", 2}, {"y", 4}}),
                         Mesh({{"x", 2}, {"y", 3}}),
                         Mesh({{"x", 3}, {"y", 2}}),
                         Mesh({{"x", 2}, {"y", 2}, {"z", 2}}),
                         Mesh({{"x", 3}}),
                         Mesh({{"x", 6}}),
                         Mesh({{"x", 12}}),
                         Mesh({{"x", 3}, {"y", 4}})};
  return meshes[random() % std::size(meshes)];
}

/// Makes a program. The legal strategies of an op are known only after its text is parsed.
RandomProgram makeRandomProgram(uint64_t seed) {
  RandomProgram program{makeValues(seed), {}};
  std::mt19937_64 random(seed);
  program.mesh = pickMesh(random);
  if (random() % 2)
    program.gradientSeed = seed;
  std::unique_ptr<MLIRContext> context = makeContext();
  auto module = parseSourceString<ModuleOp>(program.str(), context.get());
  if (!module)
    return program; // will be reported as a difference
  size_t index = program.countArguments();
  for (Operation &op : module->lookupSymbol<func::FuncOp>("forward").getBody().front()) {
    if (index == program.values.size())
      break;
    if (random() % 2)
      program.values[index].strategy = pickStrategy(&op, program.mesh, random);
    ++index;
  }
  return program;
}

} // namespace pcc::test
