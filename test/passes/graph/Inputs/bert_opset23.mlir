module {
  graph.parameter @word.weight : tensor<128x64xf32> init(<file>) {value = dense_resource<word.weight> : tensor<128x64xf32>}
  graph.parameter @token_type.weight : tensor<2x64xf32> init(<file>) {value = dense_resource<token_type.weight> : tensor<2x64xf32>}
  graph.parameter @ln.weight : tensor<64xf32> init(<file>) {value = dense_resource<ln.weight> : tensor<64xf32>}
  graph.parameter @ln.bias : tensor<64xf32> init(<file>) {value = dense_resource<ln.bias> : tensor<64xf32>}
  graph.parameter @layer.0.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<layer.0.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @layer.0.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<layer.0.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @layer.0.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<layer.0.fc.bias> : tensor<256xf32>}
  graph.parameter @layer.0.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<layer.0.out.bias> : tensor<64xf32>}
  graph.parameter @layer.1.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<layer.1.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @layer.1.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<layer.1.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @layer.1.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<layer.1.fc.bias> : tensor<256xf32>}
  graph.parameter @layer.1.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<layer.1.out.bias> : tensor<64xf32>}
  graph.parameter @pooler.weight : tensor<64x64xf32> init(<file>) {value = dense_resource<pooler.weight> : tensor<64x64xf32>}
  graph.parameter @pooler.bias : tensor<64xf32> init(<file>) {value = dense_resource<pooler.bias> : tensor<64xf32>}
  graph.parameter @classifier.weight : tensor<10x64xf32> init(<file>) {value = dense_resource<classifier.weight> : tensor<10x64xf32>}
  graph.parameter @classifier.bias : tensor<10xf32> init(<file>) {value = dense_resource<classifier.bias> : tensor<10xf32>}
  graph.parameter @embedding_2 : tensor<32x64xf32> init(<file>) {value = dense_resource<embedding_2> : tensor<32x64xf32>}
  graph.parameter @val_11 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_11> : tensor<64x192xf32>}
  graph.parameter @val_41 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_41> : tensor<64x64xf32>}
  graph.parameter @val_45 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_45> : tensor<64x256xf32>}
  graph.parameter @val_47 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_47> : tensor<256x64xf32>}
  graph.parameter @val_51 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_51> : tensor<64x192xf32>}
  graph.parameter @val_76 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_76> : tensor<64x64xf32>}
  graph.parameter @val_80 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_80> : tensor<64x256xf32>}
  graph.parameter @val_82 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_82> : tensor<256x64xf32>}
  func.func @forward(%arg0: tensor<8x32xi64> {graph.role = #graph.role<input "x">}, %arg1: tensor<8x32xi64> {graph.role = #graph.role<input "y">}, %arg2: tensor<128x64xf32> {graph.role = #graph.role<parameter "word.weight">}, %arg3: tensor<2x64xf32> {graph.role = #graph.role<parameter "token_type.weight">}, %arg4: tensor<64xf32> {graph.role = #graph.role<parameter "ln.weight">}, %arg5: tensor<64xf32> {graph.role = #graph.role<parameter "ln.bias">}, %arg6: tensor<192xf32> {graph.role = #graph.role<parameter "layer.0.attn.qkv.bias">}, %arg7: tensor<64xf32> {graph.role = #graph.role<parameter "layer.0.attn.proj.bias">}, %arg8: tensor<256xf32> {graph.role = #graph.role<parameter "layer.0.fc.bias">}, %arg9: tensor<64xf32> {graph.role = #graph.role<parameter "layer.0.out.bias">}, %arg10: tensor<192xf32> {graph.role = #graph.role<parameter "layer.1.attn.qkv.bias">}, %arg11: tensor<64xf32> {graph.role = #graph.role<parameter "layer.1.attn.proj.bias">}, %arg12: tensor<256xf32> {graph.role = #graph.role<parameter "layer.1.fc.bias">}, %arg13: tensor<64xf32> {graph.role = #graph.role<parameter "layer.1.out.bias">}, %arg14: tensor<64x64xf32> {graph.role = #graph.role<parameter "pooler.weight">}, %arg15: tensor<64xf32> {graph.role = #graph.role<parameter "pooler.bias">}, %arg16: tensor<10x64xf32> {graph.role = #graph.role<parameter "classifier.weight">}, %arg17: tensor<10xf32> {graph.role = #graph.role<parameter "classifier.bias">}, %arg18: tensor<32x64xf32> {graph.role = #graph.role<parameter "embedding_2">}, %arg19: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_11">}, %arg20: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_41">}, %arg21: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_45">}, %arg22: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_47">}, %arg23: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_51">}, %arg24: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_76">}, %arg25: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_80">}, %arg26: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_82">}) -> (tensor<8x10xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.constant dense<0> : tensor<8x32xi64>
    %1 = graph.compare  lt %arg0, %0 : tensor<8x32xi64>
    %2 = graph.constant dense<128> : tensor<8x32xi64>
    %3 = graph.add %arg0, %2 : tensor<8x32xi64>
    %4 = graph.select %1, %3, %arg0 : tensor<8x32xi64>
    %5 = graph.gather %arg2, %4 axis = 0 : tensor<128x64xf32>, tensor<8x32xi64>
    %6 = graph.constant dense<0> : tensor<8x32xi64>
    %7 = graph.compare  lt %arg1, %6 : tensor<8x32xi64>
    %8 = graph.constant dense<2> : tensor<8x32xi64>
    %9 = graph.add %arg1, %8 : tensor<8x32xi64>
    %10 = graph.select %7, %9, %arg1 : tensor<8x32xi64>
    %11 = graph.gather %arg3, %10 axis = 0 : tensor<2x64xf32>, tensor<8x32xi64>
    %12 = graph.add %5, %11 : tensor<8x32x64xf32>
    %13 = graph.broadcast %arg18, [1, 2] : tensor<32x64xf32> to tensor<8x32x64xf32>
    %14 = graph.add %12, %13 : tensor<8x32x64xf32>
    %15 = graph.layer_norm %14, %arg4, %arg5 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %16 = graph.layer_norm %15, %arg4, %arg5 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %17 = graph.reshape %16 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %18 = graph.matmul %17, %arg19 : tensor<256x64xf32>, tensor<64x192xf32>
    %19 = graph.reshape %18 : tensor<256x192xf32> to tensor<8x32x192xf32>
    %20 = graph.broadcast %arg6, [2] : tensor<192xf32> to tensor<8x32x192xf32>
    %21 = graph.add %19, %20 : tensor<8x32x192xf32>
    %22:3 = graph.split %21 axis = 2 : tensor<8x32x192xf32> to tensor<8x32x64xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>
    %23 = graph.reshape %22#0 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %24 = graph.transpose %23, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %25 = graph.reshape %22#1 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %26 = graph.reshape %22#2 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %27 = graph.transpose %26, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %28 = graph.transpose %25, [0, 2, 3, 1] : tensor<8x32x4x16xf32>
    %29 = graph.matmul %24, %28 : tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>
    %30 = graph.constant dense<4.000000e+00> : tensor<8x4x32x32xf32>
    %31 = graph.div %29, %30 : tensor<8x4x32x32xf32>
    %32 = graph.softmax %31 axis = 3 : tensor<8x4x32x32xf32>
    %33 = graph.matmul %32, %27 : tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>
    %34 = graph.transpose %33, [0, 2, 1, 3] : tensor<8x4x32x16xf32>
    %35 = graph.reshape %34 : tensor<8x32x4x16xf32> to tensor<8x32x64xf32>
    %36 = graph.reshape %35 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %37 = graph.matmul %36, %arg20 : tensor<256x64xf32>, tensor<64x64xf32>
    %38 = graph.reshape %37 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %39 = graph.broadcast %arg7, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %40 = graph.add %38, %39 : tensor<8x32x64xf32>
    %41 = graph.add %15, %40 : tensor<8x32x64xf32>
    %42 = graph.layer_norm %41, %arg4, %arg5 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %43 = graph.reshape %42 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %44 = graph.matmul %43, %arg21 : tensor<256x64xf32>, tensor<64x256xf32>
    %45 = graph.reshape %44 : tensor<256x256xf32> to tensor<8x32x256xf32>
    %46 = graph.broadcast %arg8, [2] : tensor<256xf32> to tensor<8x32x256xf32>
    %47 = graph.add %45, %46 : tensor<8x32x256xf32>
    %48 = graph.gelu %47 : tensor<8x32x256xf32>
    %49 = graph.reshape %48 : tensor<8x32x256xf32> to tensor<256x256xf32>
    %50 = graph.matmul %49, %arg22 : tensor<256x256xf32>, tensor<256x64xf32>
    %51 = graph.reshape %50 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %52 = graph.broadcast %arg9, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %53 = graph.add %51, %52 : tensor<8x32x64xf32>
    %54 = graph.add %41, %53 : tensor<8x32x64xf32>
    %55 = graph.layer_norm %54, %arg4, %arg5 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %56 = graph.reshape %55 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %57 = graph.matmul %56, %arg23 : tensor<256x64xf32>, tensor<64x192xf32>
    %58 = graph.reshape %57 : tensor<256x192xf32> to tensor<8x32x192xf32>
    %59 = graph.broadcast %arg10, [2] : tensor<192xf32> to tensor<8x32x192xf32>
    %60 = graph.add %58, %59 : tensor<8x32x192xf32>
    %61:3 = graph.split %60 axis = 2 : tensor<8x32x192xf32> to tensor<8x32x64xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>
    %62 = graph.reshape %61#0 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %63 = graph.transpose %62, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %64 = graph.reshape %61#1 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %65 = graph.reshape %61#2 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %66 = graph.transpose %65, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %67 = graph.transpose %64, [0, 2, 3, 1] : tensor<8x32x4x16xf32>
    %68 = graph.matmul %63, %67 : tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>
    %69 = graph.constant dense<4.000000e+00> : tensor<8x4x32x32xf32>
    %70 = graph.div %68, %69 : tensor<8x4x32x32xf32>
    %71 = graph.softmax %70 axis = 3 : tensor<8x4x32x32xf32>
    %72 = graph.matmul %71, %66 : tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>
    %73 = graph.transpose %72, [0, 2, 1, 3] : tensor<8x4x32x16xf32>
    %74 = graph.reshape %73 : tensor<8x32x4x16xf32> to tensor<8x32x64xf32>
    %75 = graph.reshape %74 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %76 = graph.matmul %75, %arg24 : tensor<256x64xf32>, tensor<64x64xf32>
    %77 = graph.reshape %76 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %78 = graph.broadcast %arg11, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %79 = graph.add %77, %78 : tensor<8x32x64xf32>
    %80 = graph.add %54, %79 : tensor<8x32x64xf32>
    %81 = graph.layer_norm %80, %arg4, %arg5 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %82 = graph.reshape %81 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %83 = graph.matmul %82, %arg25 : tensor<256x64xf32>, tensor<64x256xf32>
    %84 = graph.reshape %83 : tensor<256x256xf32> to tensor<8x32x256xf32>
    %85 = graph.broadcast %arg12, [2] : tensor<256xf32> to tensor<8x32x256xf32>
    %86 = graph.add %84, %85 : tensor<8x32x256xf32>
    %87 = graph.gelu %86 : tensor<8x32x256xf32>
    %88 = graph.reshape %87 : tensor<8x32x256xf32> to tensor<256x256xf32>
    %89 = graph.matmul %88, %arg26 : tensor<256x256xf32>, tensor<256x64xf32>
    %90 = graph.reshape %89 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %91 = graph.broadcast %arg13, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %92 = graph.add %90, %91 : tensor<8x32x64xf32>
    %93 = graph.add %80, %92 : tensor<8x32x64xf32>
    %94 = graph.constant dense<0> : tensor<i64>
    %95 = graph.gather %93, %94 axis = 1 : tensor<8x32x64xf32>, tensor<i64>
    %96 = graph.matmul %95, %arg14 {transpose_rhs} : tensor<8x64xf32>, tensor<64x64xf32>
    %97 = graph.broadcast %arg15, [1] : tensor<64xf32> to tensor<8x64xf32>
    %98 = graph.add %96, %97 : tensor<8x64xf32>
    %99 = graph.tanh %98 : tensor<8x64xf32>
    %100 = graph.matmul %99, %arg16 {transpose_rhs} : tensor<8x64xf32>, tensor<10x64xf32>
    %101 = graph.broadcast %arg17, [1] : tensor<10xf32> to tensor<8x10xf32>
    %102 = graph.add %100, %101 : tensor<8x10xf32>
    return %102 : tensor<8x10xf32>
  }
}

