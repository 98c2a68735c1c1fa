// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Programs.h"

#include "llvm/Support/raw_ostream.h"

namespace pcc::interpret {
namespace {

std::string matrix(int64_t rows, int64_t columns) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
}

std::string forwardBackward(const ProgramOptions &o) {
  bool isLocal = o.ranks > 1;
  std::string x = matrix(o.rows / o.ranks, o.columns), w = matrix(o.columns, o.outputs);
  std::string y = matrix(o.rows / o.ranks, o.outputs), text;
  std::string rows = isLocal ? ", dist.sharding = #dist.sharding<[dp, _]>" : "";
  std::string partialLoss = isLocal ? ", dist.sharding = #dist.sharding<[] partial(sum: dp)>" : "";
  std::string partial = isLocal ? ", dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>" : "";
  llvm::raw_string_ostream(text)
      << "func.func @forward_backward(%x: " << x << " {graph.role = #graph.role<input \"x\">"
      << rows << "},\n    %w: " << w
      << " {graph.role = #graph.role<parameter \"w\">})\n    -> (tensor<f32> "
      << "{graph.role = #graph.role<loss>, pipe.accumulate = #pipe.accumulate<scale = 1.0>"
      << partialLoss << "},\n        " << w << " {graph.role = #graph.role<gradient \"w\">, "
      << "pipe.accumulate = #pipe.accumulate<scale = " << o.gradientScale << ">" << partial
      << o.gradientAttributes << "})" << (isLocal ? " attributes {dist.local}" : "") << " {\n"
      << "  %y = graph.matmul %x, %w : " << x << ", " << w << "\n"
      << "  %s = graph.square %y : " << y << "\n"
      << "  %loss = graph.reduce sum %s, [0, 1] : " << y << "\n"
      << "  %dy = graph.add %y, %y : " << y << "\n"
      << "  %g = graph.matmul %x, %dy {transpose_lhs} : " << x << ", " << y << "\n"
      << "  return %loss, %g : tensor<f32>, " << w << "\n}\n";
  return text;
}

std::string update(const ProgramOptions &o) {
  bool isLocal = o.ranks > 1;
  std::string w = matrix(o.columns, o.outputs), text;
  std::string partial = isLocal ? ", dist.sharding = #dist.sharding<[_, _] partial(sum: dp)>" : "";
  bool reduces = isLocal && o.reduceGradients;
  llvm::raw_string_ostream(text)
      << "func.func @update(%w: " << w
      << " {graph.role = #graph.role<parameter \"w\">},\n    %g: " << w
      << " {graph.role = #graph.role<gradient \"w\">" << partial << "},\n    %v: " << w
      << " {graph.role = #graph.role<parameter \"w.momentum\">})\n    -> (" << w
      << " {graph.role = #graph.role<parameter \"w\">}, " << w
      << " {graph.role = #graph.role<parameter \"w.momentum\">})"
      << (isLocal ? " attributes {dist.local}" : "") << " {\n"
      << "  %rate = graph.constant dense<0.25> : tensor<f32>\n"
      << (reduces ? "  %sum = dist.all_reduce sum %g : " + w + "\n" : "")
      << "  %nw, %nv = graph.momentum %w, " << (reduces ? "%sum" : "%g")
      << ", %v, %rate {momentum = 0.5} : " << w << ", tensor<f32>\n"
      << "  return %nw, %nv : " << w << ", " << w << "\n}\n";
  return text;
}

} // namespace

std::string trainingProgram(const ProgramOptions &o) {
  std::string w = matrix(o.columns, o.outputs), text;
  llvm::raw_string_ostream os(text);
  os << "module";
  if (o.ranks > 1)
    os << " attributes {dist.mesh = #dist.mesh<dp=" << o.ranks << ">}";
  os << " {\ngraph.parameter @w : " << w << " init(#graph.init<uniform, -1.0, 1.0>)\n"
     << "graph.parameter @\"w.momentum\" : " << w
     << " init(#graph.init<zeros>) {trainable = false}\n"
     << forwardBackward(o) << update(o) << "pipe.step @train micro_batches = " << o.microBatches
     << " copies = " << o.copies << " micro_reduction = sum {\n";
  for (int64_t i = 0; i < o.microBatches; ++i)
    for (int64_t j = 0; j < o.copies; ++j)
      os << "  pipe.action @forward_backward microbatch = " << i << " copy = " << j << "\n";
  os << "  pipe.action @update\n}\n}\n";
  return text;
}

} // namespace pcc::interpret
