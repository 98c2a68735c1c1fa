module {
  graph.parameter @model.transformer.h.0.ln_1.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.ln_1.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.attn.c_attn.weight : tensor<32x96xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.attn.c_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.mlp.c_fc.weight : tensor<32x128xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.mlp.c_proj.weight : tensor<128x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.attn.c_attn.weight : tensor<32x96xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.attn.c_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.mlp.c_fc.weight : tensor<32x128xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.mlp.c_proj.weight : tensor<128x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.lm_head.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @embedding_1 : tensor<1x8x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.attn.c_attn.bias : tensor<96xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.attn.c_proj.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.ln_2.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.ln_2.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.mlp.c_fc.bias : tensor<128xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.0.mlp.c_proj.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.ln_1.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.ln_1.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.attn.c_attn.bias : tensor<96xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.attn.c_proj.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.ln_2.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.ln_2.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.mlp.c_fc.bias : tensor<128xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.h.1.mlp.c_proj.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.ln_f.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.transformer.ln_f.bias : tensor<32xf32> init(<normal, 0.0, 0.1>)
  func.func @forward(%arg0: tensor<2x8xi64> {graph.role = #graph.role<input "inputs_0">}, %arg1: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.ln_1.weight">}, %arg2: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.ln_1.bias">}, %arg3: tensor<32x96xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.attn.c_attn.weight">}, %arg4: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.attn.c_proj.weight">}, %arg5: tensor<32x128xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.mlp.c_fc.weight">}, %arg6: tensor<128x32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.mlp.c_proj.weight">}, %arg7: tensor<32x96xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.attn.c_attn.weight">}, %arg8: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.attn.c_proj.weight">}, %arg9: tensor<32x128xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.mlp.c_fc.weight">}, %arg10: tensor<128x32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.mlp.c_proj.weight">}, %arg11: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.lm_head.weight">}, %arg12: tensor<1x8x32xf32> {graph.role = #graph.role<parameter "embedding_1">}, %arg13: tensor<96xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.attn.c_attn.bias">}, %arg14: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.attn.c_proj.bias">}, %arg15: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.ln_2.weight">}, %arg16: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.ln_2.bias">}, %arg17: tensor<128xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.mlp.c_fc.bias">}, %arg18: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.0.mlp.c_proj.bias">}, %arg19: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.ln_1.weight">}, %arg20: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.ln_1.bias">}, %arg21: tensor<96xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.attn.c_attn.bias">}, %arg22: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.attn.c_proj.bias">}, %arg23: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.ln_2.weight">}, %arg24: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.ln_2.bias">}, %arg25: tensor<128xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.mlp.c_fc.bias">}, %arg26: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.h.1.mlp.c_proj.bias">}, %arg27: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.ln_f.weight">}, %arg28: tensor<32xf32> {graph.role = #graph.role<parameter "model.transformer.ln_f.bias">}) -> (tensor<2x8x32xf32> {graph.role = #graph.role<output "linear">}) {
    %0 = graph.constant dense<0> : tensor<2x8xi64>
    %1 = graph.compare  lt %arg0, %0 : tensor<2x8xi64>
    %2 = graph.constant dense<32> : tensor<2x8xi64>
    %3 = graph.add %arg0, %2 : tensor<2x8xi64>
    %4 = graph.select %1, %3, %arg0 : tensor<2x8xi64>
    %5 = graph.gather %arg11, %4 axis = 0 : tensor<32x32xf32>, tensor<2x8xi64>
    %6 = graph.broadcast %arg12, [0, 1, 2] : tensor<1x8x32xf32> to tensor<2x8x32xf32>
    %7 = graph.add %5, %6 : tensor<2x8x32xf32>
    %8 = graph.layer_norm %7, %arg1, %arg2 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32>
    %9 = graph.reshape %8 : tensor<2x8x32xf32> to tensor<16x32xf32>
    %10 = graph.matmul %9, %arg3 : tensor<16x32xf32>, tensor<32x96xf32>
    %11 = graph.broadcast %arg13, [1] : tensor<96xf32> to tensor<16x96xf32>
    %12 = graph.add %10, %11 : tensor<16x96xf32>
    %13 = graph.reshape %12 : tensor<16x96xf32> to tensor<2x8x96xf32>
    %14:3 = graph.split %13 axis = 2 : tensor<2x8x96xf32> to tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<2x8x32xf32>
    %15 = graph.reshape %14#1 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %16 = graph.transpose %15, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %17 = graph.reshape %14#2 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %18 = graph.transpose %17, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %19 = graph.reshape %14#0 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %20 = graph.transpose %19, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %21 = graph.reshape %16 : tensor<2x4x8x8xf32> to tensor<8x8x8xf32>
    %22 = graph.transpose %21, [0, 2, 1] : tensor<8x8x8xf32>
    %23 = graph.reshape %22 : tensor<8x8x8xf32> to tensor<2x4x8x8xf32>
    %24 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %25 = graph.mul %20, %24 : tensor<2x4x8x8xf32>
    %26 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %27 = graph.mul %23, %26 : tensor<2x4x8x8xf32>
    %28 = graph.matmul %25, %27 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %29 = graph.constant dense_resource<constant> : tensor<2x1x8x8xf32>
    %30 = graph.broadcast %29, [0, 1, 2, 3] : tensor<2x1x8x8xf32> to tensor<2x4x8x8xf32>
    %31 = graph.add %28, %30 : tensor<2x4x8x8xf32>
    %32 = graph.softmax %31 axis = 3 : tensor<2x4x8x8xf32>
    %33 = graph.compare  ne %32, %32 : tensor<2x4x8x8xf32>
    %34 = graph.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %35 = graph.select %33, %34, %32 : tensor<2x4x8x8xf32>
    %36 = graph.matmul %35, %18 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %37 = graph.transpose %36, [0, 2, 1, 3] : tensor<2x4x8x8xf32>
    %38 = graph.reshape %37 : tensor<2x8x4x8xf32> to tensor<16x32xf32>
    %39 = graph.matmul %38, %arg4 : tensor<16x32xf32>, tensor<32x32xf32>
    %40 = graph.broadcast %arg14, [1] : tensor<32xf32> to tensor<16x32xf32>
    %41 = graph.add %39, %40 : tensor<16x32xf32>
    %42 = graph.reshape %41 : tensor<16x32xf32> to tensor<2x8x32xf32>
    %43 = graph.add %42, %7 : tensor<2x8x32xf32>
    %44 = graph.layer_norm %43, %arg15, %arg16 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32>
    %45 = graph.reshape %44 : tensor<2x8x32xf32> to tensor<16x32xf32>
    %46 = graph.matmul %45, %arg5 : tensor<16x32xf32>, tensor<32x128xf32>
    %47 = graph.broadcast %arg17, [1] : tensor<128xf32> to tensor<16x128xf32>
    %48 = graph.add %46, %47 : tensor<16x128xf32>
    %49 = graph.reshape %48 : tensor<16x128xf32> to tensor<2x8x128xf32>
    %50 = graph.constant dense<5.000000e-01> : tensor<2x8x128xf32>
    %51 = graph.mul %49, %50 : tensor<2x8x128xf32>
    %52 = graph.constant dense<3.000000e+00> : tensor<2x8x128xf32>
    %53 = graph.pow %49, %52 : tensor<2x8x128xf32>
    %54 = graph.constant dense<4.471500e-02> : tensor<2x8x128xf32>
    %55 = graph.mul %53, %54 : tensor<2x8x128xf32>
    %56 = graph.add %49, %55 : tensor<2x8x128xf32>
    %57 = graph.constant dense<0.797884583> : tensor<2x8x128xf32>
    %58 = graph.mul %56, %57 : tensor<2x8x128xf32>
    %59 = graph.tanh %58 : tensor<2x8x128xf32>
    %60 = graph.constant dense<1.000000e+00> : tensor<2x8x128xf32>
    %61 = graph.add %59, %60 : tensor<2x8x128xf32>
    %62 = graph.mul %51, %61 : tensor<2x8x128xf32>
    %63 = graph.reshape %62 : tensor<2x8x128xf32> to tensor<16x128xf32>
    %64 = graph.matmul %63, %arg6 : tensor<16x128xf32>, tensor<128x32xf32>
    %65 = graph.broadcast %arg18, [1] : tensor<32xf32> to tensor<16x32xf32>
    %66 = graph.add %64, %65 : tensor<16x32xf32>
    %67 = graph.reshape %66 : tensor<16x32xf32> to tensor<2x8x32xf32>
    %68 = graph.add %43, %67 : tensor<2x8x32xf32>
    %69 = graph.layer_norm %68, %arg19, %arg20 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32>
    %70 = graph.reshape %69 : tensor<2x8x32xf32> to tensor<16x32xf32>
    %71 = graph.matmul %70, %arg7 : tensor<16x32xf32>, tensor<32x96xf32>
    %72 = graph.broadcast %arg21, [1] : tensor<96xf32> to tensor<16x96xf32>
    %73 = graph.add %71, %72 : tensor<16x96xf32>
    %74 = graph.reshape %73 : tensor<16x96xf32> to tensor<2x8x96xf32>
    %75:3 = graph.split %74 axis = 2 : tensor<2x8x96xf32> to tensor<2x8x32xf32>, tensor<2x8x32xf32>, tensor<2x8x32xf32>
    %76 = graph.reshape %75#1 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %77 = graph.transpose %76, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %78 = graph.reshape %75#2 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %79 = graph.transpose %78, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %80 = graph.reshape %75#0 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %81 = graph.transpose %80, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %82 = graph.reshape %77 : tensor<2x4x8x8xf32> to tensor<8x8x8xf32>
    %83 = graph.transpose %82, [0, 2, 1] : tensor<8x8x8xf32>
    %84 = graph.reshape %83 : tensor<8x8x8xf32> to tensor<2x4x8x8xf32>
    %85 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %86 = graph.mul %81, %85 : tensor<2x4x8x8xf32>
    %87 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %88 = graph.mul %84, %87 : tensor<2x4x8x8xf32>
    %89 = graph.matmul %86, %88 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %90 = graph.constant dense_resource<constant_1> : tensor<2x1x8x8xf32>
    %91 = graph.broadcast %90, [0, 1, 2, 3] : tensor<2x1x8x8xf32> to tensor<2x4x8x8xf32>
    %92 = graph.add %89, %91 : tensor<2x4x8x8xf32>
    %93 = graph.softmax %92 axis = 3 : tensor<2x4x8x8xf32>
    %94 = graph.compare  ne %93, %93 : tensor<2x4x8x8xf32>
    %95 = graph.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %96 = graph.select %94, %95, %93 : tensor<2x4x8x8xf32>
    %97 = graph.matmul %96, %79 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %98 = graph.transpose %97, [0, 2, 1, 3] : tensor<2x4x8x8xf32>
    %99 = graph.reshape %98 : tensor<2x8x4x8xf32> to tensor<16x32xf32>
    %100 = graph.matmul %99, %arg8 : tensor<16x32xf32>, tensor<32x32xf32>
    %101 = graph.broadcast %arg22, [1] : tensor<32xf32> to tensor<16x32xf32>
    %102 = graph.add %100, %101 : tensor<16x32xf32>
    %103 = graph.reshape %102 : tensor<16x32xf32> to tensor<2x8x32xf32>
    %104 = graph.add %103, %68 : tensor<2x8x32xf32>
    %105 = graph.layer_norm %104, %arg23, %arg24 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32>
    %106 = graph.reshape %105 : tensor<2x8x32xf32> to tensor<16x32xf32>
    %107 = graph.matmul %106, %arg9 : tensor<16x32xf32>, tensor<32x128xf32>
    %108 = graph.broadcast %arg25, [1] : tensor<128xf32> to tensor<16x128xf32>
    %109 = graph.add %107, %108 : tensor<16x128xf32>
    %110 = graph.reshape %109 : tensor<16x128xf32> to tensor<2x8x128xf32>
    %111 = graph.constant dense<5.000000e-01> : tensor<2x8x128xf32>
    %112 = graph.mul %110, %111 : tensor<2x8x128xf32>
    %113 = graph.constant dense<3.000000e+00> : tensor<2x8x128xf32>
    %114 = graph.pow %110, %113 : tensor<2x8x128xf32>
    %115 = graph.constant dense<4.471500e-02> : tensor<2x8x128xf32>
    %116 = graph.mul %114, %115 : tensor<2x8x128xf32>
    %117 = graph.add %110, %116 : tensor<2x8x128xf32>
    %118 = graph.constant dense<0.797884583> : tensor<2x8x128xf32>
    %119 = graph.mul %117, %118 : tensor<2x8x128xf32>
    %120 = graph.tanh %119 : tensor<2x8x128xf32>
    %121 = graph.constant dense<1.000000e+00> : tensor<2x8x128xf32>
    %122 = graph.add %120, %121 : tensor<2x8x128xf32>
    %123 = graph.mul %112, %122 : tensor<2x8x128xf32>
    %124 = graph.reshape %123 : tensor<2x8x128xf32> to tensor<16x128xf32>
    %125 = graph.matmul %124, %arg10 : tensor<16x128xf32>, tensor<128x32xf32>
    %126 = graph.broadcast %arg26, [1] : tensor<32xf32> to tensor<16x32xf32>
    %127 = graph.add %125, %126 : tensor<16x32xf32>
    %128 = graph.reshape %127 : tensor<16x32xf32> to tensor<2x8x32xf32>
    %129 = graph.add %104, %128 : tensor<2x8x32xf32>
    %130 = graph.layer_norm %129, %arg27, %arg28 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<2x8x32xf32>, tensor<32xf32>, tensor<32xf32>
    %131 = graph.einsum "abc,dc->abd" %130, %arg11 : tensor<2x8x32xf32>, tensor<32x32xf32>
    return %131 : tensor<2x8x32xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      constant: "0x4000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFF0000000000000000000000000000000000000000000000000000000000000000",
      constant_1: "0x4000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFF000000000000000000000000000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF00000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFFFFFF7FFF0000000000000000000000000000000000000000FFFF7FFFFFFF7FFFFFFF7FFF000000000000000000000000000000000000000000000000FFFF7FFFFFFF7FFF00000000000000000000000000000000000000000000000000000000FFFF7FFF0000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}

