module {
  graph.parameter @model.model.embed_tokens.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.self_attn.q_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.self_attn.k_proj.weight : tensor<16x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.self_attn.v_proj.weight : tensor<16x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.self_attn.o_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.mlp.gate_proj.weight : tensor<64x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.mlp.up_proj.weight : tensor<64x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.mlp.down_proj.weight : tensor<32x64xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.input_layernorm.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.0.post_attention_layernorm.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.self_attn.q_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.self_attn.k_proj.weight : tensor<16x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.self_attn.v_proj.weight : tensor<16x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.self_attn.o_proj.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.mlp.gate_proj.weight : tensor<64x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.mlp.up_proj.weight : tensor<64x32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.mlp.down_proj.weight : tensor<32x64xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.input_layernorm.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.layers.1.post_attention_layernorm.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.model.norm.weight : tensor<32xf32> init(<normal, 0.0, 0.1>)
  graph.parameter @model.lm_head.weight : tensor<32x32xf32> init(<normal, 0.0, 0.1>)
  func.func @forward(%arg0: tensor<2x8xi64> {graph.role = #graph.role<input "inputs_0">}, %arg1: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.model.embed_tokens.weight">}, %arg2: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.self_attn.q_proj.weight">}, %arg3: tensor<16x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.self_attn.k_proj.weight">}, %arg4: tensor<16x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.self_attn.v_proj.weight">}, %arg5: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.self_attn.o_proj.weight">}, %arg6: tensor<64x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.mlp.gate_proj.weight">}, %arg7: tensor<64x32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.mlp.up_proj.weight">}, %arg8: tensor<32x64xf32> {graph.role = #graph.role<parameter "model.model.layers.0.mlp.down_proj.weight">}, %arg9: tensor<32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.input_layernorm.weight">}, %arg10: tensor<32xf32> {graph.role = #graph.role<parameter "model.model.layers.0.post_attention_layernorm.weight">}, %arg11: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.self_attn.q_proj.weight">}, %arg12: tensor<16x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.self_attn.k_proj.weight">}, %arg13: tensor<16x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.self_attn.v_proj.weight">}, %arg14: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.self_attn.o_proj.weight">}, %arg15: tensor<64x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.mlp.gate_proj.weight">}, %arg16: tensor<64x32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.mlp.up_proj.weight">}, %arg17: tensor<32x64xf32> {graph.role = #graph.role<parameter "model.model.layers.1.mlp.down_proj.weight">}, %arg18: tensor<32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.input_layernorm.weight">}, %arg19: tensor<32xf32> {graph.role = #graph.role<parameter "model.model.layers.1.post_attention_layernorm.weight">}, %arg20: tensor<32xf32> {graph.role = #graph.role<parameter "model.model.norm.weight">}, %arg21: tensor<32x32xf32> {graph.role = #graph.role<parameter "model.lm_head.weight">}) -> (tensor<2x8x32xf32> {graph.role = #graph.role<output "linear_14">}) {
    %0 = graph.constant dense<0> : tensor<2x8xi64>
    %1 = graph.compare  lt %arg0, %0 : tensor<2x8xi64>
    %2 = graph.constant dense<32> : tensor<2x8xi64>
    %3 = graph.add %arg0, %2 : tensor<2x8xi64>
    %4 = graph.select %1, %3, %arg0 : tensor<2x8xi64>
    %5 = graph.gather %arg1, %4 axis = 0 : tensor<32x32xf32>, tensor<2x8xi64>
    %6 = graph.constant dense<0> : tensor<2x8xi64>
    %7 = graph.cumsum %6 axis = 1 : tensor<2x8xi64>
    %8 = graph.reshape %7 : tensor<2x8xi64> to tensor<16xi64>
    %9 = graph.constant dense<[[[[0], [1], [2], [3], [4], [5], [6], [7]]], [[[8], [9], [10], [11], [12], [13], [14], [15]]]]> : tensor<2x1x8x1xi64>
    %10 = graph.gather %8, %9 axis = 0 : tensor<16xi64>, tensor<2x1x8x1xi64>
    %11 = graph.reshape %7 : tensor<2x8xi64> to tensor<16xi64>
    %12 = graph.constant dense<[[[[0, 1, 2, 3, 4, 5, 6, 7]]], [[[8, 9, 10, 11, 12, 13, 14, 15]]]]> : tensor<2x1x1x8xi64>
    %13 = graph.gather %11, %12 axis = 0 : tensor<16xi64>, tensor<2x1x1x8xi64>
    %14 = graph.broadcast %10, [0, 1, 2, 3] : tensor<2x1x8x1xi64> to tensor<2x1x8x8xi64>
    %15 = graph.broadcast %13, [0, 1, 2, 3] : tensor<2x1x1x8xi64> to tensor<2x1x8x8xi64>
    %16 = graph.compare  eq %14, %15 : tensor<2x1x8x8xi64>
    %17 = graph.constant dense<"0x0103070F1F3F7FFF0103070F1F3F7FFF"> : tensor<2x1x8x8xi1>
    %18 = graph.and %17, %16 : tensor<2x1x8x8xi1>
    %19 = graph.constant dense<2.000000e+00> : tensor<2x8x32xf32>
    %20 = graph.pow %5, %19 : tensor<2x8x32xf32>
    %21 = graph.reduce  mean %20, [2] : tensor<2x8x32xf32>
    %22 = graph.reshape %21 : tensor<2x8xf32> to tensor<2x8x1xf32>
    %23 = graph.constant dense<9.99999997E-7> : tensor<2x8x1xf32>
    %24 = graph.add %22, %23 : tensor<2x8x1xf32>
    %25 = graph.sqrt %24 : tensor<2x8x1xf32>
    %26 = graph.reciprocal %25 : tensor<2x8x1xf32>
    %27 = graph.broadcast %26, [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x32xf32>
    %28 = graph.mul %5, %27 : tensor<2x8x32xf32>
    %29 = graph.broadcast %arg9, [2] : tensor<32xf32> to tensor<2x8x32xf32>
    %30 = graph.mul %29, %28 : tensor<2x8x32xf32>
    %31 = graph.einsum "abc,dc->abd" %30, %arg2 : tensor<2x8x32xf32>, tensor<32x32xf32>
    %32 = graph.reshape %31 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %33 = graph.transpose %32, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %34 = graph.einsum "abc,dc->abd" %30, %arg3 : tensor<2x8x32xf32>, tensor<16x32xf32>
    %35 = graph.reshape %34 : tensor<2x8x16xf32> to tensor<2x8x2x8xf32>
    %36 = graph.transpose %35, [0, 2, 1, 3] : tensor<2x8x2x8xf32>
    %37 = graph.einsum "abc,dc->abd" %30, %arg4 : tensor<2x8x32xf32>, tensor<16x32xf32>
    %38 = graph.reshape %37 : tensor<2x8x16xf32> to tensor<2x8x2x8xf32>
    %39 = graph.transpose %38, [0, 2, 1, 3] : tensor<2x8x2x8xf32>
    %40 = graph.constant dense_resource<constant> : tensor<1x1x8x8xf32>
    %41 = graph.broadcast %40, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x4x8x8xf32>
    %42 = graph.mul %33, %41 : tensor<2x4x8x8xf32>
    %43 = graph.slice %33 axis = 3 start = 0 : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %44 = graph.slice %33 axis = 3 start = 4 : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %45 = graph.neg %44 : tensor<2x4x8x4xf32>
    %46 = graph.concat %45, %43 axis = 3 : tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>
    %47 = graph.constant dense_resource<constant_1> : tensor<1x1x8x8xf32>
    %48 = graph.broadcast %47, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x4x8x8xf32>
    %49 = graph.mul %46, %48 : tensor<2x4x8x8xf32>
    %50 = graph.add %42, %49 : tensor<2x4x8x8xf32>
    %51 = graph.constant dense_resource<constant_2> : tensor<1x1x8x8xf32>
    %52 = graph.broadcast %51, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x2x8x8xf32>
    %53 = graph.mul %36, %52 : tensor<2x2x8x8xf32>
    %54 = graph.slice %36 axis = 3 start = 0 : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %55 = graph.slice %36 axis = 3 start = 4 : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %56 = graph.neg %55 : tensor<2x2x8x4xf32>
    %57 = graph.concat %56, %54 axis = 3 : tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>
    %58 = graph.constant dense_resource<constant_3> : tensor<1x1x8x8xf32>
    %59 = graph.broadcast %58, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x2x8x8xf32>
    %60 = graph.mul %57, %59 : tensor<2x2x8x8xf32>
    %61 = graph.add %53, %60 : tensor<2x2x8x8xf32>
    %62 = graph.reshape %61 : tensor<2x2x8x8xf32> to tensor<2x2x1x8x8xf32>
    %63 = graph.broadcast %62, [0, 1, 2, 3, 4] : tensor<2x2x1x8x8xf32> to tensor<2x2x2x8x8xf32>
    %64 = graph.reshape %63 : tensor<2x2x2x8x8xf32> to tensor<2x4x8x8xf32>
    %65 = graph.reshape %39 : tensor<2x2x8x8xf32> to tensor<2x2x1x8x8xf32>
    %66 = graph.broadcast %65, [0, 1, 2, 3, 4] : tensor<2x2x1x8x8xf32> to tensor<2x2x2x8x8xf32>
    %67 = graph.reshape %66 : tensor<2x2x2x8x8xf32> to tensor<2x4x8x8xf32>
    %68 = graph.reshape %64 : tensor<2x4x8x8xf32> to tensor<8x8x8xf32>
    %69 = graph.transpose %68, [0, 2, 1] : tensor<8x8x8xf32>
    %70 = graph.reshape %69 : tensor<8x8x8xf32> to tensor<2x4x8x8xf32>
    %71 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %72 = graph.mul %50, %71 : tensor<2x4x8x8xf32>
    %73 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %74 = graph.mul %70, %73 : tensor<2x4x8x8xf32>
    %75 = graph.constant dense<0.000000e+00> : tensor<2x1x8x8xf32>
    %76 = graph.constant dense<-3.40282347E+38> : tensor<2x1x8x8xf32>
    %77 = graph.select %18, %75, %76 : tensor<2x1x8x8xf32>
    %78 = graph.matmul %72, %74 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %79 = graph.broadcast %77, [0, 1, 2, 3] : tensor<2x1x8x8xf32> to tensor<2x4x8x8xf32>
    %80 = graph.add %78, %79 : tensor<2x4x8x8xf32>
    %81 = graph.softmax %80 axis = 3 : tensor<2x4x8x8xf32>
    %82 = graph.compare  ne %81, %81 : tensor<2x4x8x8xf32>
    %83 = graph.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %84 = graph.select %82, %83, %81 : tensor<2x4x8x8xf32>
    %85 = graph.matmul %84, %67 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %86 = graph.transpose %85, [0, 2, 1, 3] : tensor<2x4x8x8xf32>
    %87 = graph.reshape %86 : tensor<2x8x4x8xf32> to tensor<2x8x32xf32>
    %88 = graph.einsum "abc,dc->abd" %87, %arg5 : tensor<2x8x32xf32>, tensor<32x32xf32>
    %89 = graph.add %5, %88 : tensor<2x8x32xf32>
    %90 = graph.constant dense<2.000000e+00> : tensor<2x8x32xf32>
    %91 = graph.pow %89, %90 : tensor<2x8x32xf32>
    %92 = graph.reduce  mean %91, [2] : tensor<2x8x32xf32>
    %93 = graph.reshape %92 : tensor<2x8xf32> to tensor<2x8x1xf32>
    %94 = graph.constant dense<9.99999997E-7> : tensor<2x8x1xf32>
    %95 = graph.add %93, %94 : tensor<2x8x1xf32>
    %96 = graph.sqrt %95 : tensor<2x8x1xf32>
    %97 = graph.reciprocal %96 : tensor<2x8x1xf32>
    %98 = graph.broadcast %97, [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x32xf32>
    %99 = graph.mul %89, %98 : tensor<2x8x32xf32>
    %100 = graph.broadcast %arg10, [2] : tensor<32xf32> to tensor<2x8x32xf32>
    %101 = graph.mul %100, %99 : tensor<2x8x32xf32>
    %102 = graph.einsum "abc,dc->abd" %101, %arg6 : tensor<2x8x32xf32>, tensor<64x32xf32>
    %103 = graph.sigmoid %102 : tensor<2x8x64xf32>
    %104 = graph.mul %102, %103 : tensor<2x8x64xf32>
    %105 = graph.einsum "abc,dc->abd" %101, %arg7 : tensor<2x8x32xf32>, tensor<64x32xf32>
    %106 = graph.mul %104, %105 : tensor<2x8x64xf32>
    %107 = graph.einsum "abc,dc->abd" %106, %arg8 : tensor<2x8x64xf32>, tensor<32x64xf32>
    %108 = graph.add %89, %107 : tensor<2x8x32xf32>
    %109 = graph.constant dense<2.000000e+00> : tensor<2x8x32xf32>
    %110 = graph.pow %108, %109 : tensor<2x8x32xf32>
    %111 = graph.reduce  mean %110, [2] : tensor<2x8x32xf32>
    %112 = graph.reshape %111 : tensor<2x8xf32> to tensor<2x8x1xf32>
    %113 = graph.constant dense<9.99999997E-7> : tensor<2x8x1xf32>
    %114 = graph.add %112, %113 : tensor<2x8x1xf32>
    %115 = graph.sqrt %114 : tensor<2x8x1xf32>
    %116 = graph.reciprocal %115 : tensor<2x8x1xf32>
    %117 = graph.broadcast %116, [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x32xf32>
    %118 = graph.mul %108, %117 : tensor<2x8x32xf32>
    %119 = graph.broadcast %arg18, [2] : tensor<32xf32> to tensor<2x8x32xf32>
    %120 = graph.mul %119, %118 : tensor<2x8x32xf32>
    %121 = graph.einsum "abc,dc->abd" %120, %arg11 : tensor<2x8x32xf32>, tensor<32x32xf32>
    %122 = graph.reshape %121 : tensor<2x8x32xf32> to tensor<2x8x4x8xf32>
    %123 = graph.transpose %122, [0, 2, 1, 3] : tensor<2x8x4x8xf32>
    %124 = graph.einsum "abc,dc->abd" %120, %arg12 : tensor<2x8x32xf32>, tensor<16x32xf32>
    %125 = graph.reshape %124 : tensor<2x8x16xf32> to tensor<2x8x2x8xf32>
    %126 = graph.transpose %125, [0, 2, 1, 3] : tensor<2x8x2x8xf32>
    %127 = graph.einsum "abc,dc->abd" %120, %arg13 : tensor<2x8x32xf32>, tensor<16x32xf32>
    %128 = graph.reshape %127 : tensor<2x8x16xf32> to tensor<2x8x2x8xf32>
    %129 = graph.transpose %128, [0, 2, 1, 3] : tensor<2x8x2x8xf32>
    %130 = graph.constant dense_resource<constant_4> : tensor<1x1x8x8xf32>
    %131 = graph.broadcast %130, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x4x8x8xf32>
    %132 = graph.mul %123, %131 : tensor<2x4x8x8xf32>
    %133 = graph.slice %123 axis = 3 start = 0 : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %134 = graph.slice %123 axis = 3 start = 4 : tensor<2x4x8x8xf32> to tensor<2x4x8x4xf32>
    %135 = graph.neg %134 : tensor<2x4x8x4xf32>
    %136 = graph.concat %135, %133 axis = 3 : tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>
    %137 = graph.constant dense_resource<constant_5> : tensor<1x1x8x8xf32>
    %138 = graph.broadcast %137, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x4x8x8xf32>
    %139 = graph.mul %136, %138 : tensor<2x4x8x8xf32>
    %140 = graph.add %132, %139 : tensor<2x4x8x8xf32>
    %141 = graph.constant dense_resource<constant_6> : tensor<1x1x8x8xf32>
    %142 = graph.broadcast %141, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x2x8x8xf32>
    %143 = graph.mul %126, %142 : tensor<2x2x8x8xf32>
    %144 = graph.slice %126 axis = 3 start = 0 : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %145 = graph.slice %126 axis = 3 start = 4 : tensor<2x2x8x8xf32> to tensor<2x2x8x4xf32>
    %146 = graph.neg %145 : tensor<2x2x8x4xf32>
    %147 = graph.concat %146, %144 axis = 3 : tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>
    %148 = graph.constant dense_resource<constant_7> : tensor<1x1x8x8xf32>
    %149 = graph.broadcast %148, [0, 1, 2, 3] : tensor<1x1x8x8xf32> to tensor<2x2x8x8xf32>
    %150 = graph.mul %147, %149 : tensor<2x2x8x8xf32>
    %151 = graph.add %143, %150 : tensor<2x2x8x8xf32>
    %152 = graph.reshape %151 : tensor<2x2x8x8xf32> to tensor<2x2x1x8x8xf32>
    %153 = graph.broadcast %152, [0, 1, 2, 3, 4] : tensor<2x2x1x8x8xf32> to tensor<2x2x2x8x8xf32>
    %154 = graph.reshape %153 : tensor<2x2x2x8x8xf32> to tensor<2x4x8x8xf32>
    %155 = graph.reshape %129 : tensor<2x2x8x8xf32> to tensor<2x2x1x8x8xf32>
    %156 = graph.broadcast %155, [0, 1, 2, 3, 4] : tensor<2x2x1x8x8xf32> to tensor<2x2x2x8x8xf32>
    %157 = graph.reshape %156 : tensor<2x2x2x8x8xf32> to tensor<2x4x8x8xf32>
    %158 = graph.reshape %154 : tensor<2x4x8x8xf32> to tensor<8x8x8xf32>
    %159 = graph.transpose %158, [0, 2, 1] : tensor<8x8x8xf32>
    %160 = graph.reshape %159 : tensor<8x8x8xf32> to tensor<2x4x8x8xf32>
    %161 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %162 = graph.mul %140, %161 : tensor<2x4x8x8xf32>
    %163 = graph.constant dense<0.594603539> : tensor<2x4x8x8xf32>
    %164 = graph.mul %160, %163 : tensor<2x4x8x8xf32>
    %165 = graph.constant dense<0.000000e+00> : tensor<2x1x8x8xf32>
    %166 = graph.constant dense<-3.40282347E+38> : tensor<2x1x8x8xf32>
    %167 = graph.select %18, %165, %166 : tensor<2x1x8x8xf32>
    %168 = graph.matmul %162, %164 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %169 = graph.broadcast %167, [0, 1, 2, 3] : tensor<2x1x8x8xf32> to tensor<2x4x8x8xf32>
    %170 = graph.add %168, %169 : tensor<2x4x8x8xf32>
    %171 = graph.softmax %170 axis = 3 : tensor<2x4x8x8xf32>
    %172 = graph.compare  ne %171, %171 : tensor<2x4x8x8xf32>
    %173 = graph.constant dense<0.000000e+00> : tensor<2x4x8x8xf32>
    %174 = graph.select %172, %173, %171 : tensor<2x4x8x8xf32>
    %175 = graph.matmul %174, %157 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>
    %176 = graph.transpose %175, [0, 2, 1, 3] : tensor<2x4x8x8xf32>
    %177 = graph.reshape %176 : tensor<2x8x4x8xf32> to tensor<2x8x32xf32>
    %178 = graph.einsum "abc,dc->abd" %177, %arg14 : tensor<2x8x32xf32>, tensor<32x32xf32>
    %179 = graph.add %108, %178 : tensor<2x8x32xf32>
    %180 = graph.constant dense<2.000000e+00> : tensor<2x8x32xf32>
    %181 = graph.pow %179, %180 : tensor<2x8x32xf32>
    %182 = graph.reduce  mean %181, [2] : tensor<2x8x32xf32>
    %183 = graph.reshape %182 : tensor<2x8xf32> to tensor<2x8x1xf32>
    %184 = graph.constant dense<9.99999997E-7> : tensor<2x8x1xf32>
    %185 = graph.add %183, %184 : tensor<2x8x1xf32>
    %186 = graph.sqrt %185 : tensor<2x8x1xf32>
    %187 = graph.reciprocal %186 : tensor<2x8x1xf32>
    %188 = graph.broadcast %187, [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x32xf32>
    %189 = graph.mul %179, %188 : tensor<2x8x32xf32>
    %190 = graph.broadcast %arg19, [2] : tensor<32xf32> to tensor<2x8x32xf32>
    %191 = graph.mul %190, %189 : tensor<2x8x32xf32>
    %192 = graph.einsum "abc,dc->abd" %191, %arg15 : tensor<2x8x32xf32>, tensor<64x32xf32>
    %193 = graph.sigmoid %192 : tensor<2x8x64xf32>
    %194 = graph.mul %192, %193 : tensor<2x8x64xf32>
    %195 = graph.einsum "abc,dc->abd" %191, %arg16 : tensor<2x8x32xf32>, tensor<64x32xf32>
    %196 = graph.mul %194, %195 : tensor<2x8x64xf32>
    %197 = graph.einsum "abc,dc->abd" %196, %arg17 : tensor<2x8x64xf32>, tensor<32x64xf32>
    %198 = graph.add %179, %197 : tensor<2x8x32xf32>
    %199 = graph.constant dense<2.000000e+00> : tensor<2x8x32xf32>
    %200 = graph.pow %198, %199 : tensor<2x8x32xf32>
    %201 = graph.reduce  mean %200, [2] : tensor<2x8x32xf32>
    %202 = graph.reshape %201 : tensor<2x8xf32> to tensor<2x8x1xf32>
    %203 = graph.constant dense<9.99999997E-7> : tensor<2x8x1xf32>
    %204 = graph.add %202, %203 : tensor<2x8x1xf32>
    %205 = graph.sqrt %204 : tensor<2x8x1xf32>
    %206 = graph.reciprocal %205 : tensor<2x8x1xf32>
    %207 = graph.broadcast %206, [0, 1, 2] : tensor<2x8x1xf32> to tensor<2x8x32xf32>
    %208 = graph.mul %198, %207 : tensor<2x8x32xf32>
    %209 = graph.broadcast %arg20, [2] : tensor<32xf32> to tensor<2x8x32xf32>
    %210 = graph.mul %209, %208 : tensor<2x8x32xf32>
    %211 = graph.einsum "abc,dc->abd" %210, %arg21 : tensor<2x8x32xf32>, tensor<32x32xf32>
    return %211 : tensor<2x8x32xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      constant: "0x400000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F40510A3F98B87E3FB9FC7F3FF8FF7F3F40510A3F98B87E3FB9FC7F3FF8FF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F26707DBFEF90743F83E27F3FB5FF7F3F26707DBFEF90743F83E27F3FB5FF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3FB8CD753F3249533F128A7F3FD2FE7F3FB8CD753F3249533F128A7F3FD2FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3F",
      constant_1: "0x400000000000000000000000000000000000000000000000000000000000000000000000A46A573F7775CC3D57D6233C6E12833AA46A573F7775CC3D57D6233C6E12833AB7C7683FF96F4B3E3ED4A33C6912033BB7C7683FF96F4B3E3ED4A33C6912033BC381103E6D4E973E1FB9F53C939B443BC381103E6D4E973E1FB9F53C939B443BCFBD41BFD761C73EDBCB233D5812833BCFBD41BFD761C73EDBCB233D5812833B107C75BF4477F53EF4B64C3DDED6A33B107C75BF4477F53EF4B64C3DDED6A33B8C0F8FBE698C103FD19C753D599BC43B8C0F8FBE698C103FD19C753D599BC43B4630283F73EB243F323E8F3DC75FE53B4630283F73EB243F323E8F3DC75FE53B",
      constant_2: "0x400000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F40510A3F98B87E3FB9FC7F3FF8FF7F3F40510A3F98B87E3FB9FC7F3FF8FF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F26707DBFEF90743F83E27F3FB5FF7F3F26707DBFEF90743F83E27F3FB5FF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3FB8CD753F3249533F128A7F3FD2FE7F3FB8CD753F3249533F128A7F3FD2FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3F",
      constant_3: "0x400000000000000000000000000000000000000000000000000000000000000000000000A46A573F7775CC3D57D6233C6E12833AA46A573F7775CC3D57D6233C6E12833AB7C7683FF96F4B3E3ED4A33C6912033BB7C7683FF96F4B3E3ED4A33C6912033BC381103E6D4E973E1FB9F53C939B443BC381103E6D4E973E1FB9F53C939B443BCFBD41BFD761C73EDBCB233D5812833BCFBD41BFD761C73EDBCB233D5812833B107C75BF4477F53EF4B64C3DDED6A33B107C75BF4477F53EF4B64C3DDED6A33B8C0F8FBE698C103FD19C753D599BC43B8C0F8FBE698C103FD19C753D599BC43B4630283F73EB243F323E8F3DC75FE53B4630283F73EB243F323E8F3DC75FE53B",
      constant_4: "0x400000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F40510A3F98B87E3FB9FC7F3FF8FF7F3F40510A3F98B87E3FB9FC7F3FF8FF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F26707DBFEF90743F83E27F3FB5FF7F3F26707DBFEF90743F83E27F3FB5FF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3FB8CD753F3249533F128A7F3FD2FE7F3FB8CD753F3249533F128A7F3FD2FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3F",
      constant_5: "0x400000000000000000000000000000000000000000000000000000000000000000000000A46A573F7775CC3D57D6233C6E12833AA46A573F7775CC3D57D6233C6E12833AB7C7683FF96F4B3E3ED4A33C6912033BB7C7683FF96F4B3E3ED4A33C6912033BC381103E6D4E973E1FB9F53C939B443BC381103E6D4E973E1FB9F53C939B443BCFBD41BFD761C73EDBCB233D5812833BCFBD41BFD761C73EDBCB233D5812833B107C75BF4477F53EF4B64C3DDED6A33B107C75BF4477F53EF4B64C3DDED6A33B8C0F8FBE698C103FD19C753D599BC43B8C0F8FBE698C103FD19C753D599BC43B4630283F73EB243F323E8F3DC75FE53B4630283F73EB243F323E8F3DC75FE53B",
      constant_6: "0x400000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F40510A3F98B87E3FB9FC7F3FF8FF7F3F40510A3F98B87E3FB9FC7F3FF8FF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F3311D5BEA5E57A3FE5F27F3FDEFF7F3F26707DBFEF90743F83E27F3FB5FF7F3F26707DBFEF90743F83E27F3FB5FF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F305527BFA7CA6B3F94CB7F3F7AFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3F2C3C913E40A9603F19AE7F3F2EFF7F3FB8CD753F3249533F128A7F3FD2FE7F3FB8CD753F3249533F128A7F3FD2FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3FBDFF403FB3CC433F815F7F3F65FE7F3F",
      constant_7: "0x400000000000000000000000000000000000000000000000000000000000000000000000A46A573F7775CC3D57D6233C6E12833AA46A573F7775CC3D57D6233C6E12833AB7C7683FF96F4B3E3ED4A33C6912033BB7C7683FF96F4B3E3ED4A33C6912033BC381103E6D4E973E1FB9F53C939B443BC381103E6D4E973E1FB9F53C939B443BCFBD41BFD761C73EDBCB233D5812833BCFBD41BFD761C73EDBCB233D5812833B107C75BF4477F53EF4B64C3DDED6A33B107C75BF4477F53EF4B64C3DDED6A33B8C0F8FBE698C103FD19C753D599BC43B8C0F8FBE698C103FD19C753D599BC43B4630283F73EB243F323E8F3DC75FE53B4630283F73EB243F323E8F3DC75FE53B"
    }
  }
#-}

