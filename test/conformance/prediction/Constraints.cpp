// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/prediction/Constraints.h"

#include <google/protobuf/text_format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ErrorHandling.h>

#include <numeric>
#include <regex>

namespace pcc::conformance {

/// Constraints of Shoeybi et al., "Megatron-LM", 2019, section 3. Widening weights are split by
/// columns, narrowing weights by rows, the table and the head by the vocabulary.
static const char *const tensors = R"(
constraint { op: "/h\\.\\d+/(attn/qkv|fc)/matmul" in: "[dp, _, _], [tp, _]" }
constraint { op: "/h\\.\\d+/(attn/)?(proj|out)/matmul" in: "[dp, _, tp], [_, tp]" }
constraint { op: "/head/einsum" in: "[dp, _, _], [tp, _]" }
constraint { parameter: "(wte|head)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\..*\\.(qkv|fc)\\.weight" sharding: "[tp, _]" }
constraint { parameter: "h\\..*\\.(proj|out)\\.weight" sharding: "[_, tp]" }
)";

/// Constraints of Korthikanti et al., section 4.2.2: ops between the matmuls are split by
/// positions, forward and backward.
static const char *const positions = R"(
constraint { op: "/h\\.\\d+/ln[12]/layer_norm" in: "[dp, tp, _], [_], [_]" }
constraint { op: "/ln_f/layer_norm" in: "[dp, tp, _], [_], [_]" }
constraint { op: "/h\\.\\d+/(attn/proj/|out/)?add(_1)?" in: "[dp, tp, _], [dp, tp, _]" }
constraint { op: "/add" in: "[dp, tp, _], [dp, tp, _]" }
constraint { op: "/gather\\.grad" in: "[tp, _], [dp, _], [dp, _, _]" }
constraint { op: "/h\\.\\d+/(attn/qkv|fc)/matmul\\.grad" in: "[dp, _, tp], [tp, _]" out: "[dp, tp, _]" }
constraint { op: "/h\\.\\d+/(attn/qkv|fc)/matmul\\.grad_weight" in: "[dp, _, tp], [dp, _, _]" }
constraint { op: "/h\\.\\d+/(attn/)?(proj|out)/matmul\\.grad" in: "[dp, _, _], [_, tp]" }
constraint { op: "/h\\.\\d+/(attn/)?(proj|out)/matmul\\.grad_weight" in: "[dp, _, _], [dp, _, tp]" }
)";

/// Returns the stage layout, for example `E t*2 | t*2 | t*2 L`.
static std::string layOut(int64_t layers, int parts) {
  std::string each = "t*" + std::to_string(layers / parts), text = "E " + each;
  for (int part = 1; part < parts; ++part)
    text += " | " + each;
  return text + " L";
}

/// Returns the mesh. Data parallelism is one axis, `dp`, or two, `rest` and `dp`, if the
/// data-parallel size does not divide the width. The optimizer can then be sharded over `dp`.
static std::string nameMesh(const Row &row) {
  int64_t even = std::gcd(row.shape.width, row.dataParallel), rest = row.dataParallel / even;
  return (rest > 1 ? "rest=" + std::to_string(rest) + ", " : "") + "dp=" + std::to_string(even) +
         ", tp=" + std::to_string(row.tensorParallel);
}

abi::Constraints makeConstraints(const Row &row, int chunks) {
  std::string text = "constraint { input: 'x' sharding: '[dp, _]' }";
  if (row.tensorParallel > 1)
    text += tensors;
  if (row.splitsPositions)
    text += positions;
  if (row.stages > 1)
    text += "stages { layer: '/h\\\\.(\\\\d+)/' layout: '" +
            layOut(row.shape.layers, row.stages * chunks) + "' }";
  std::string mesh = nameMesh(row);
  if (llvm::StringRef(mesh).contains("rest"))
    text = std::regex_replace(text, std::regex("\\[dp"), "[rest.dp");
  text = "mesh: '" + mesh + "' " + text;
  abi::Constraints constraints;
  if (!google::protobuf::TextFormat::ParseFromString(text, &constraints))
    llvm::report_fatal_error("the constraints of a row are no message");
  return constraints;
}

} // namespace pcc::conformance
