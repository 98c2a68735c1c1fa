// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws random pipelines. The same seed gives the same program on every machine.
#include "test/oracle/pipelines/RandomPipeline.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <random>

namespace pcc::test {
namespace {

class Draw {
public:
  explicit Draw(uint64_t seed) : random(seed) {}

  RandomPipeline draw();

private:
  /// Return a number in [0, end), and true with probability 1 / `times`.
  int64_t below(int64_t end) { return int64_t(random() % uint64_t(end)); }
  bool once(int64_t times) { return below(times) == 0; }
  template <typename T, size_t n> T of(const T (&list)[n]) { return list[random() % n]; }

  void drawSetup();
  void drawMicrobatches();
  void drawGraph();
  void drawOp(int64_t chunk, bool isFirst);
  bool isDrawn(const GraphOp &op) const;
  size_t pick(int64_t width);
  int pickMatrix(int64_t from, int64_t to, bool &transposes);
  int addParameter(int64_t rows, int64_t columns);
  void drawBinary(GraphOp &op);
  void drawUnary(GraphOp &op);
  void shuffle();
  void drawMarks();

  std::mt19937_64 random;
  RandomPipeline program;
};

constexpr int64_t widths[] = {3, 4, 6};

} // namespace

/// Draws as many microbatches as the schedule needs (docs/spec/pipeline.md): whole rounds for
/// `interleaved-1f1b`, at least two for each stage for `dualpipe-v`, else at least one for each
/// stage.
void Draw::drawMicrobatches() {
  PipelineSetup &setup = program.setup;
  int least = setup.schedule == "dualpipe-v" ? 2 * setup.stages : setup.stages;
  setup.microBatches = least + int(below(setup.stages + 3));
  if (setup.schedule == "interleaved-1f1b")
    setup.microBatches = setup.stages * (1 + int(below(3)));
}

void Draw::drawSetup() {
  static const char *const schedules[] = {
      "gpipe", "1f1b", "interleaved-1f1b", "interleaved-1f1b", "zb-h1", "zb-h2",
      "zb-v",  "zb-v", "dualpipe-v",       "dualpipe-v",       "auto"};
  static const char *const optimizers[] = {"sgd,lr=0.1", "momentum,lr=0.1", "adam,lr=0.01"};
  PipelineSetup &setup = program.setup;
  setup.schedule = of(schedules);
  setup.stages = 2 + int(below(3));
  if (setup.schedule == "interleaved-1f1b")
    setup.virtualStages = 2 + int(below(2));
  else if (setup.schedule == "zb-v" || setup.schedule == "dualpipe-v")
    setup.virtualStages = 2;
  else if (setup.schedule == "auto")
    setup.virtualStages = 1 + int(below(2));
  drawMicrobatches();
  setup.copies = 1 + int(below(3));
  setup.rows = 1 + int(below(2));
  setup.averages = once(2);
  setup.optimizer = of(optimizers);
  if (once(3)) {
    setup.ranksPerStage = 2;
    setup.optimizerLevel = int(below(4));
  }
  if (once(4))
    setup.cluster = std::to_string(setup.stages * setup.ranksPerStage) + "xH100";
}

int Draw::addParameter(int64_t rows, int64_t columns) {
  program.parameters.emplace_back(rows, columns);
  return int(program.parameters.size()) - 1;
}

/// Picks a parameter for a matmul: sometimes one that another op already reads, also transposed.
int Draw::pickMatrix(int64_t from, int64_t to, bool &transposes) {
  if (once(3))
    for (auto [index, shape] : llvm::enumerate(program.parameters)) {
      transposes = shape == std::pair(to, from);
      if ((transposes || shape == std::pair(from, to)) && once(2))
        return int(index);
    }
  transposes = once(3);
  return transposes ? addParameter(to, from) : addParameter(from, to);
}

/// Picks a value, later ones more often; with a nonzero `width`, a value of this width if there is
/// one. All values so far belong to this virtual stage or to earlier ones.
size_t Draw::pick(int64_t width) {
  std::vector<size_t> fitting;
  for (size_t value = 0; value < program.inputs.size() + program.ops.size(); ++value)
    if (width == 0 || program.widthOf(value) == width)
      fitting.push_back(value);
  size_t last = fitting.size() - 1;
  return once(2) ? fitting[last - std::min<size_t>(last, below(2))] : fitting[below(last + 1)];
}

void Draw::drawBinary(GraphOp &op) {
  static const char *const names[] = {"add", "add", "sub", "mul", "max"};
  op.name = of(names);
  op.operands.push_back(pick(op.width));
  if (op.operands[0] == op.operands[1])
    op.name = "add"; // a difference would be zero
}

void Draw::drawUnary(GraphOp &op) {
  static const char *const names[] = {"tanh", "relu", "silu", "erf",     "gelu",
                                      "sin",  "bias", "bias", "softmax", "layer_norm"};
  op.name = of(names);
  if (op.name == "bias" || op.name == "layer_norm")
    op.parameter = addParameter(op.width, 0);
}

/// Draws an op. The first op of a virtual stage has a parameter of its own, so that no
/// simplification removes the last op of a virtual stage.
void Draw::drawOp(int64_t chunk, bool isFirst) {
  GraphOp op;
  op.chunk = chunk;
  op.operands.push_back(pick(0));
  int64_t from = op.width = program.widthOf(op.operands[0]);
  int64_t kind = below(isFirst ? 4 : 10);
  if (isFirst && kind == 0) {
    op.name = "bias";
    op.parameter = addParameter(op.width, 0);
  } else if (kind < 4) {
    op.name = "matmul";
    op.width = of(widths);
    op.parameter =
        isFirst ? addParameter(from, op.width) : pickMatrix(from, op.width, op.transposes);
  } else if (kind < 7) {
    drawBinary(op);
  } else {
    drawUnary(op);
  }
  if (!isDrawn(op))
    program.ops.push_back(op);
}

/// Returns true if there is an equal op: only one of equal ops would remain, and it cannot be in
/// two virtual stages.
bool Draw::isDrawn(const GraphOp &op) const {
  auto sorted = [](std::vector<size_t> operands) {
    llvm::sort(operands);
    return operands;
  };
  return llvm::any_of(program.ops, [&](const GraphOp &other) {
    return op.name == other.name && op.parameter == other.parameter &&
           op.transposes == other.transposes && sorted(op.operands) == sorted(other.operands);
  });
}

/// Puts the ops in a random order in which each follows its operands.
void Draw::shuffle() {
  size_t inputs = program.inputs.size(), count = program.ops.size();
  std::vector<size_t> place(inputs + count, SIZE_MAX);
  std::iota(place.begin(), place.begin() + inputs, 0);
  std::vector<GraphOp> ordered;
  while (ordered.size() < count) {
    std::vector<size_t> ready;
    for (size_t op = 0; op < count; ++op)
      if (place[inputs + op] == SIZE_MAX &&
          llvm::all_of(program.ops[op].operands,
                       [&](size_t value) { return place[value] != SIZE_MAX; }))
        ready.push_back(op);
    size_t next = ready[below(ready.size())];
    place[inputs + next] = inputs + ordered.size();
    ordered.push_back(program.ops[next]);
    for (size_t &operand : ordered.back().operands)
      operand = place[operand];
  }
  program.ops = std::move(ordered);
}

/// Drops the annotation of some ops, which then get their virtual stage from the compiler, but
/// never of the first op of each virtual stage. Annotates some ops for recomputation.
void Draw::drawMarks() {
  bool leavesOut = once(2), recomputes = once(4);
  std::vector<bool> isFirst(program.setup.chunks(), true);
  for (GraphOp &op : program.ops) {
    size_t chunk = op.chunk;
    if (leavesOut && !isFirst[chunk] && once(2))
      op.chunk = -1;
    isFirst[chunk] = false;
    op.recomputes = recomputes && once(3);
  }
}

void Draw::drawGraph() {
  for (int64_t input = 1 + below(2); input > 0; --input)
    program.inputs.push_back(of(widths));
  for (int64_t chunk = 0; chunk < program.setup.chunks(); ++chunk)
    for (int64_t number = 0, count = 1 + below(3); number < count; ++number)
      drawOp(chunk, number == 0);
  program.classes = once(2) ? 3 : 0;
  shuffle();
  drawMarks();
}

RandomPipeline Draw::draw() {
  drawSetup();
  drawGraph();
  return program;
}

RandomPipeline makeRandomPipeline(uint64_t seed) { return Draw(seed).draw(); }

} // namespace pcc::test
