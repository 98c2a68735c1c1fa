// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/oracle/sharding/OpMatrix.h"

namespace pcc::test {

std::vector<OpCase> listOpCases() {
  return {
      {"matmul", {{24, 12}, {12, 24}}, {24, 24},
       "%r = graph.matmul %a, %b : tensor<24x12xf32>, tensor<12x24xf32>"},
      {"matmul transposed", {{12, 24}, {24, 12}}, {24, 24},
       "%r = graph.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<12x24xf32>, "
       "tensor<24x12xf32>"},
      {"matmul batched", {{24, 12, 3}, {24, 3, 12}}, {24, 12, 12},
       "%r = graph.matmul %a, %b : tensor<24x12x3xf32>, tensor<24x3x12xf32>"},
      {"add", {{24, 12}, {24, 12}}, {24, 12}, "%r = graph.add %a, %b : tensor<24x12xf32>"},
      {"sub", {{24, 12}, {24, 12}}, {24, 12}, "%r = graph.sub %a, %b : tensor<24x12xf32>"},
      {"mul", {{24, 12}, {24, 12}}, {24, 12}, "%r = graph.mul %a, %b : tensor<24x12xf32>"},
      {"max", {{24, 12}, {24, 12}}, {24, 12}, "%r = graph.max %a, %b : tensor<24x12xf32>"},
      {"relu", {{24, 12}}, {24, 12}, "%r = graph.relu %a : tensor<24x12xf32>"},
      {"neg", {{24, 12}}, {24, 12}, "%r = graph.neg %a : tensor<24x12xf32>"},
      {"reshape", {{24, 12}}, {4, 6, 12},
       "%r = graph.reshape %a : tensor<24x12xf32> to tensor<4x6x12xf32>"},
      {"reshape merging", {{4, 6, 12}}, {24, 12},
       "%r = graph.reshape %a : tensor<4x6x12xf32> to tensor<24x12xf32>"},
      {"transpose", {{24, 12, 5}}, {5, 24, 12},
       "%r = graph.transpose %a, [2, 0, 1] : tensor<24x12x5xf32>"},
      {"broadcast", {{12}}, {24, 12},
       "%r = graph.broadcast %a, [1] : tensor<12xf32> to tensor<24x12xf32>"},
      {"reduce sum", {{24, 12}}, {12}, "%r = graph.reduce sum %a, [0] : tensor<24x12xf32>"},
      {"reduce mean", {{24, 12}}, {24}, "%r = graph.reduce mean %a, [1] : tensor<24x12xf32>"},
      {"reduce max", {{24, 12}}, {12}, "%r = graph.reduce max %a, [0] : tensor<24x12xf32>"},
      {"softmax", {{24, 12}}, {24, 12}, "%r = graph.softmax %a axis = 1 : tensor<24x12xf32>"},
      {"concat", {{24, 12}, {24, 3}}, {24, 15},
       "%r = graph.concat %a, %b axis = 1 : tensor<24x12xf32>, tensor<24x3xf32>"},
      {"slice", {{24, 12}}, {24, 5},
       "%r = graph.slice %a axis = 1 start = 2 : tensor<24x12xf32> to tensor<24x5xf32>"},
      {"pad", {{24, 12}}, {24, 15},
       "%r = graph.pad %a axis = 1 low = 1 high = 2 : tensor<24x12xf32>"},
      {"gather", {{24, 12}, {12}}, {12, 12},
       "%r = graph.gather %a, %b axis = 0 : tensor<24x12xf32>, tensor<12xi64>", {"f32", "i64"}},
      {"scatter_add", {{24, 12}, {12}, {12, 12}}, {24, 12},
       "%r = graph.scatter_add %a, %b, %c axis = 0 : (tensor<24x12xf32>, tensor<12xi64>, "
       "tensor<12x12xf32>) -> tensor<24x12xf32>",
       {"f32", "i64", "f32"}},
      {"one_hot", {{24}}, {24, 12},
       "%r = graph.one_hot %a axis = 1 : tensor<24xi64> to tensor<24x12xf32>", {"i64"}},
      {"cross entropy", {{24, 12}, {24}}, {},
       "%r = graph.softmax_cross_entropy %a, %b : tensor<24x12xf32>, tensor<24xi64>",
       {"f32", "i64"}},
      {"cross entropy ignoring", {{24, 12}, {24}}, {},
       "%r = graph.softmax_cross_entropy %a, %b {ignore_index = 1 : i64} : tensor<24x12xf32>, "
       "tensor<24xi64>",
       {"f32", "i64"}},
      {"iota", {{24, 12}}, {24, 12},
       "%i = graph.iota axis = 1 : tensor<24x12xf32>\n"
       "  %r = graph.mul %a, %i : tensor<24x12xf32>"},
  };
}

} // namespace pcc::test
