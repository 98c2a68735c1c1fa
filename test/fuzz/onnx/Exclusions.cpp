// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/onnx/Exclusions.h"

#include "llvm/ADT/STLExtras.h"

namespace pcc::fuzz {

static constexpr ExcludedOperator operators[] = {
    {"Acos", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"Acosh", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"AffineGrid", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"Asin", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"Asinh", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"Atan", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"Atanh", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"BitCast", "its tests are ONNX's and test/compiler/import/known-data.test"},
    {"BitShift", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"BitwiseAnd", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"BitwiseNot", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"BitwiseOr", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"BitwiseXor", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"BlackmanWindow", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"CausalConvWithState", "its tests are ONNX's and test/compiler/import/linear-attention.test"},
    {"CenterCropPad", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"Col2Im", "its tests are ONNX's and test/compiler/import/volumes.test"},
    {"Compress", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"ConcatFromSequence", "its input is a sequence"},
    {"ConvInteger", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"ConvTranspose", "its tests are ONNX's and test/compiler/import/volumes.test"},
    {"Cosh", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"CumProd", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"DFT", "its tests are ONNX's and test/compiler/import/signal.test"},
    {"DeformConv", "its tests are ONNX's and test/compiler/import/sampling.test"},
    {"DequantizeLinear", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"Det", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"DynamicQuantizeLinear", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"GRU", "its tests are ONNX's and test/compiler/import/recurrent.test"},
    {"GlobalLpPool", "its tests are ONNX's and test/compiler/import/volumes.test"},
    {"GridSample", "its tests are ONNX's and test/compiler/import/grid-sample.test"},
    {"GroupNormalization", "its tests are ONNX's and test/compiler/import/group-norm.test"},
    {"HammingWindow", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"HannWindow", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"If", "its tests are ONNX's and test/compiler/import/control-flow.test"},
    {"InstanceNormalization", "its tests are ONNX's and test/compiler/import/group-norm.test"},
    {"IsInf", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"LRN", "its tests are ONNX's and test/compiler/import/group-norm.test"},
    {"LSTM", "its tests are ONNX's and test/compiler/import/recurrent.test"},
    {"LinearAttention", "its tests are ONNX's and test/compiler/import/linear-attention.test"},
    {"Loop", "its tests are ONNX's and test/compiler/import/control-flow.test"},
    {"LpNormalization", "its tests are ONNX's and test/compiler/import/group-norm.test"},
    {"LpPool", "its tests are ONNX's and test/compiler/import/volumes.test"},
    {"MatMulInteger", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"MaxUnpool", "its tests are ONNX's and test/compiler/import/unpool.test"},
    {"MeanVarianceNormalization", "its tests are ONNX's and test/compiler/import/group-norm.test"},
    {"MelWeightMatrix", "its tests are ONNX's and test/compiler/import/signal.test"},
    {"NonMaxSuppression", "its tests are ONNX's and test/compiler/import/known-data.test"},
    {"NonZero", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"Optional", "its result is an optional value"},
    {"OptionalGetElement", "its input is an optional value"},
    {"OptionalHasElement", "its input is an optional value"},
    {"QLinearConv", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"QLinearMatMul", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"QuantizeLinear", "its tests are ONNX's and test/compiler/import/quantize.test"},
    {"RNN", "its tests are ONNX's and test/compiler/import/recurrent.test"},
    {"Resize", "its tests are ONNX's and test/compiler/import/resize.test"},
    {"ReverseSequence", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"RoiAlign", "its tests are ONNX's and test/compiler/import/sampling.test"},
    {"STFT", "its tests are ONNX's and test/compiler/import/signal.test"},
    {"Scan", "its tests are ONNX's and test/compiler/import/control-flow.test"},
    {"SequenceAt", "its input is a sequence"},
    {"SequenceConstruct", "its result is a sequence"},
    {"SequenceEmpty", "its result is a sequence"},
    {"SequenceErase", "its input is a sequence"},
    {"SequenceInsert", "its input is a sequence"},
    {"SequenceLength", "its input is a sequence"},
    {"SequenceMap", "its tests are ONNX's and test/compiler/import/control-flow.test"},
    {"Sinh", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"SplitToSequence", "its result is a sequence"},
    {"SwiGLU", "its tests are ONNX's and test/compiler/import/functions.test"},
    {"TensorScatter", "its tests are ONNX's and test/compiler/import/scatter.test"},
    {"TfIdfVectorizer", "its tests are ONNX's and test/compiler/import/known-data.test"},
    {"Unique", "its tests are ONNX's and test/compiler/import/layouts.test"},
    {"Upsample", "its tests are those of Resize"},
};

llvm::ArrayRef<ExcludedOperator> excludedOperators() { return operators; }

bool isExcludedOperator(llvm::StringRef op) {
  return llvm::any_of(excludedOperators(),
                      [&](const ExcludedOperator &row) { return row.op == op; });
}

llvm::ArrayRef<RefusedTypes> refusedTypes() {
  static constexpr RefusedTypes rows[] = {
      {"Attention", "bf16", "oneDNN has products of bf16 on some CPUs only"},
      {"Conv", "bf16", "oneDNN has convolutions of bf16 on some CPUs only"},
      {"Erf", "i64 i32 i8", "a function of floats"},
      {"Gemm", "bf16", "oneDNN has products of bf16 on some CPUs only"},
      {"MatMul", "bf16", "oneDNN has products of bf16 on some CPUs only"},
      {"Pow", "i64 i32", "powers of integers are for computations of shapes"},
      {"ReduceL2", "i64 i32", "a root of floats"},
      {"ReduceLogSum", "i64 i32", "a logarithm of floats"},
      {"ReduceLogSumExp", "i64 i32", "a logarithm of floats"},
      {"ReduceMax", "i1", "numbers are drawn; booleans are cast to them"},
      {"ReduceMean", "i64 i32", "a mean of floats"},
      {"ReduceMin", "i1", "numbers are drawn; booleans are cast to them"},
      {"Scatter", "i1", "updates are numbers"},
      {"ScatterElements", "i1", "updates are numbers"},
      {"ScatterND", "i1", "updates are numbers"},
  };
  return rows;
}

bool isRefused(llvm::StringRef op, values::ElementType type) {
  return llvm::any_of(refusedTypes(), [&](const RefusedTypes &row) {
    llvm::SmallVector<llvm::StringRef> names;
    row.types.split(names, ' ');
    return row.op == op && llvm::is_contained(names, values::stringify(type));
  });
}

llvm::ArrayRef<ExcludedAttribute> excludedAttributes() {
  static constexpr ExcludedAttribute rows[] = {
      {"Constant", "sparse_value", "sparse tensors are not imported"},
      {"Constant", "value_string", "strings are not imported"},
      {"Constant", "value_strings", "strings are not imported"},
  };
  return rows;
}

} // namespace pcc::fuzz
