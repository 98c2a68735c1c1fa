// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/conformance/strategies/Refusals.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::conformance {

llvm::StringRef categoryOf(const Case &question, llvm::StringRef error) {
  bool givesOutputs = llvm::any_of(
      question.nodes, [](const Node &node) { return node.object->getArray("out_strategy"); });
  if (givesOutputs && (error.contains(": output ") || error.contains("one for each output")))
    return "out_strategy";
  static constexpr struct {
    llvm::StringLiteral text, category;
  } rows[] = {
      {"tuples or shardings, one for each", "wrong_number_of_tuples"},
      {"entries, one for each dimension", "wrong_tuple_length"},
      {"expected a count of at least 1", "count_not_positive"},
      {"expected a count that divides", "not_divisible"},
      {"which is the same factor", "operands_disagree"},
      {"must stay whole", "axis_not_splittable"},
      {"expected a number of parts that divides", "too_many_devices"},
  };
  for (auto [text, category] : rows)
    if (error.contains(text))
      return category;
  return "";
}

/// Returns true if one of the operators is called `name`.
static bool has(const Case &question, llvm::StringRef name) {
  return llvm::any_of(question.nodes, [&](const Node &node) { return node.op == name; });
}

llvm::StringRef reasonToAllow(const Case &question) {
  llvm::StringRef category = question.category;
  if (category == "device_count")
    return "any number of ranks will do";
  if (category == "count_not_power_of_two")
    return "counts need not be powers of two";
  if (category == "group_uneven_over_servers")
    return "a group may lie on servers in any way";
  if (category == "axis_not_splittable" && has(question, "LayerNorm"))
    return "the mean and the variance of a split row are summed over its parts";
  if (category == "axis_not_splittable" &&
      (has(question, "Softmax") || has(question, "SoftmaxCrossEntropyWithLogits")))
    return "the maximum and the sum of a split row are reduced over its parts";
  if (category == "operands_disagree" && has(question, "Gather"))
    return "rows of a split table may be looked up by split indices";
  if (category == "out_strategy")
    return "every result may be given as its users are to see it";
  return "";
}

llvm::StringRef reasonToDiffer(llvm::StringRef category, llvm::StringRef ours) {
  if (category == "count_not_power_of_two" && ours == "too_many_devices")
    return "the count is no matter, but the parts do not divide the ranks";
  return "";
}

} // namespace pcc::conformance
