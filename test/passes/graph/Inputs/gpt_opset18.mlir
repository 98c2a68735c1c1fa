module {
  graph.parameter @wte.weight : tensor<128x64xf32> init(<file>) {value = dense_resource<wte.weight> : tensor<128x64xf32>}
  graph.parameter @h.0.ln1.weight : tensor<64xf32> init(<file>) {value = dense_resource<h.0.ln1.weight> : tensor<64xf32>}
  graph.parameter @h.0.ln1.bias : tensor<64xf32> init(<file>) {value = dense_resource<h.0.ln1.bias> : tensor<64xf32>}
  graph.parameter @h.0.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<h.0.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @h.0.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<h.0.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @h.0.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<h.0.fc.bias> : tensor<256xf32>}
  graph.parameter @h.0.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<h.0.out.bias> : tensor<64xf32>}
  graph.parameter @h.1.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<h.1.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @h.1.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<h.1.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @h.1.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<h.1.fc.bias> : tensor<256xf32>}
  graph.parameter @h.1.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<h.1.out.bias> : tensor<64xf32>}
  graph.parameter @embedding_1 : tensor<32x64xf32> init(<file>) {value = dense_resource<embedding_1> : tensor<32x64xf32>}
  graph.parameter @val_8 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_8> : tensor<64x192xf32>}
  graph.parameter @val_40 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_40> : tensor<64x64xf32>}
  graph.parameter @val_44 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_44> : tensor<64x256xf32>}
  graph.parameter @val_50 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_50> : tensor<256x64xf32>}
  graph.parameter @val_54 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_54> : tensor<64x192xf32>}
  graph.parameter @val_80 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_80> : tensor<64x64xf32>}
  graph.parameter @val_84 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_84> : tensor<64x256xf32>}
  graph.parameter @val_87 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_87> : tensor<256x64xf32>}
  graph.parameter @val_91 : tensor<64x128xf32> init(<file>) {value = dense_resource<val_91> : tensor<64x128xf32>}
  func.func @forward(%arg0: tensor<8x32xi64> {graph.role = #graph.role<input "x">}, %arg1: tensor<128x64xf32> {graph.role = #graph.role<parameter "wte.weight">}, %arg2: tensor<64xf32> {graph.role = #graph.role<parameter "h.0.ln1.weight">}, %arg3: tensor<64xf32> {graph.role = #graph.role<parameter "h.0.ln1.bias">}, %arg4: tensor<192xf32> {graph.role = #graph.role<parameter "h.0.attn.qkv.bias">}, %arg5: tensor<64xf32> {graph.role = #graph.role<parameter "h.0.attn.proj.bias">}, %arg6: tensor<256xf32> {graph.role = #graph.role<parameter "h.0.fc.bias">}, %arg7: tensor<64xf32> {graph.role = #graph.role<parameter "h.0.out.bias">}, %arg8: tensor<192xf32> {graph.role = #graph.role<parameter "h.1.attn.qkv.bias">}, %arg9: tensor<64xf32> {graph.role = #graph.role<parameter "h.1.attn.proj.bias">}, %arg10: tensor<256xf32> {graph.role = #graph.role<parameter "h.1.fc.bias">}, %arg11: tensor<64xf32> {graph.role = #graph.role<parameter "h.1.out.bias">}, %arg12: tensor<32x64xf32> {graph.role = #graph.role<parameter "embedding_1">}, %arg13: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_8">}, %arg14: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_40">}, %arg15: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_44">}, %arg16: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_50">}, %arg17: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_54">}, %arg18: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_80">}, %arg19: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_84">}, %arg20: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_87">}, %arg21: tensor<64x128xf32> {graph.role = #graph.role<parameter "val_91">}) -> (tensor<8x32x128xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.constant dense<0> : tensor<8x32xi64>
    %1 = graph.compare  lt %arg0, %0 : tensor<8x32xi64>
    %2 = graph.constant dense<128> : tensor<8x32xi64>
    %3 = graph.add %arg0, %2 : tensor<8x32xi64>
    %4 = graph.select %1, %3, %arg0 : tensor<8x32xi64>
    %5 = graph.gather %arg1, %4 axis = 0 : tensor<128x64xf32>, tensor<8x32xi64>
    %6 = graph.broadcast %arg12, [1, 2] : tensor<32x64xf32> to tensor<8x32x64xf32>
    %7 = graph.add %5, %6 : tensor<8x32x64xf32>
    %8 = graph.layer_norm %7, %arg2, %arg3 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %9 = graph.reshape %8 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %10 = graph.matmul %9, %arg13 : tensor<256x64xf32>, tensor<64x192xf32>
    %11 = graph.reshape %10 : tensor<256x192xf32> to tensor<8x32x192xf32>
    %12 = graph.broadcast %arg4, [2] : tensor<192xf32> to tensor<8x32x192xf32>
    %13 = graph.add %11, %12 : tensor<8x32x192xf32>
    %14:3 = graph.split %13 axis = 2 : tensor<8x32x192xf32> to tensor<8x32x64xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>
    %15 = graph.reshape %14#0 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %16 = graph.transpose %15, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %17 = graph.reshape %14#1 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %18 = graph.reshape %14#2 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %19 = graph.transpose %18, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %20 = graph.transpose %17, [0, 2, 3, 1] : tensor<8x32x4x16xf32>
    %21 = graph.matmul %16, %20 : tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>
    %22 = graph.constant dense<4.000000e+00> : tensor<8x4x32x32xf32>
    %23 = graph.div %21, %22 : tensor<8x4x32x32xf32>
    %24 = graph.constant dense<"0xFEFFFFFFFCFFFFFFF8FFFFFFF0FFFFFFE0FFFFFFC0FFFFFF80FFFFFF00FFFFFF00FEFFFF00FCFFFF00F8FFFF00F0FFFF00E0FFFF00C0FFFF0080FFFF0000FFFF0000FEFF0000FCFF0000F8FF0000F0FF0000E0FF0000C0FF000080FF000000FF000000FE000000FC000000F8000000F0000000E0000000C00000008000000000"> : tensor<1x1x32x32xi1>
    %25 = graph.broadcast %24, [0, 1, 2, 3] : tensor<1x1x32x32xi1> to tensor<8x4x32x32xi1>
    %26 = graph.constant dense<0xFF800000> : tensor<8x4x32x32xf32>
    %27 = graph.select %25, %26, %23 : tensor<8x4x32x32xf32>
    %28 = graph.softmax %27 axis = 3 : tensor<8x4x32x32xf32>
    %29 = graph.matmul %28, %19 : tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>
    %30 = graph.transpose %29, [0, 2, 1, 3] : tensor<8x4x32x16xf32>
    %31 = graph.reshape %30 : tensor<8x32x4x16xf32> to tensor<8x32x64xf32>
    %32 = graph.reshape %31 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %33 = graph.matmul %32, %arg14 : tensor<256x64xf32>, tensor<64x64xf32>
    %34 = graph.reshape %33 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %35 = graph.broadcast %arg5, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %36 = graph.add %34, %35 : tensor<8x32x64xf32>
    %37 = graph.add %7, %36 : tensor<8x32x64xf32>
    %38 = graph.layer_norm %37, %arg2, %arg3 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %39 = graph.reshape %38 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %40 = graph.matmul %39, %arg15 : tensor<256x64xf32>, tensor<64x256xf32>
    %41 = graph.reshape %40 : tensor<256x256xf32> to tensor<8x32x256xf32>
    %42 = graph.broadcast %arg6, [2] : tensor<256xf32> to tensor<8x32x256xf32>
    %43 = graph.add %41, %42 : tensor<8x32x256xf32>
    %44 = graph.constant dense<5.000000e-01> : tensor<8x32x256xf32>
    %45 = graph.mul %43, %44 : tensor<8x32x256xf32>
    %46 = graph.constant dense<3.000000e+00> : tensor<8x32x256xf32>
    %47 = graph.pow %43, %46 : tensor<8x32x256xf32>
    %48 = graph.constant dense<4.471500e-02> : tensor<8x32x256xf32>
    %49 = graph.mul %47, %48 : tensor<8x32x256xf32>
    %50 = graph.add %43, %49 : tensor<8x32x256xf32>
    %51 = graph.constant dense<0.797884583> : tensor<8x32x256xf32>
    %52 = graph.mul %50, %51 : tensor<8x32x256xf32>
    %53 = graph.tanh %52 : tensor<8x32x256xf32>
    %54 = graph.constant dense<1.000000e+00> : tensor<8x32x256xf32>
    %55 = graph.add %53, %54 : tensor<8x32x256xf32>
    %56 = graph.mul %45, %55 : tensor<8x32x256xf32>
    %57 = graph.reshape %56 : tensor<8x32x256xf32> to tensor<256x256xf32>
    %58 = graph.matmul %57, %arg16 : tensor<256x256xf32>, tensor<256x64xf32>
    %59 = graph.reshape %58 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %60 = graph.broadcast %arg7, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %61 = graph.add %59, %60 : tensor<8x32x64xf32>
    %62 = graph.add %37, %61 : tensor<8x32x64xf32>
    %63 = graph.layer_norm %62, %arg2, %arg3 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %64 = graph.reshape %63 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %65 = graph.matmul %64, %arg17 : tensor<256x64xf32>, tensor<64x192xf32>
    %66 = graph.reshape %65 : tensor<256x192xf32> to tensor<8x32x192xf32>
    %67 = graph.broadcast %arg8, [2] : tensor<192xf32> to tensor<8x32x192xf32>
    %68 = graph.add %66, %67 : tensor<8x32x192xf32>
    %69:3 = graph.split %68 axis = 2 : tensor<8x32x192xf32> to tensor<8x32x64xf32>, tensor<8x32x64xf32>, tensor<8x32x64xf32>
    %70 = graph.reshape %69#0 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %71 = graph.transpose %70, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %72 = graph.reshape %69#1 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %73 = graph.reshape %69#2 : tensor<8x32x64xf32> to tensor<8x32x4x16xf32>
    %74 = graph.transpose %73, [0, 2, 1, 3] : tensor<8x32x4x16xf32>
    %75 = graph.transpose %72, [0, 2, 3, 1] : tensor<8x32x4x16xf32>
    %76 = graph.matmul %71, %75 : tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>
    %77 = graph.constant dense<4.000000e+00> : tensor<8x4x32x32xf32>
    %78 = graph.div %76, %77 : tensor<8x4x32x32xf32>
    %79 = graph.constant dense<"0xFEFFFFFFFCFFFFFFF8FFFFFFF0FFFFFFE0FFFFFFC0FFFFFF80FFFFFF00FFFFFF00FEFFFF00FCFFFF00F8FFFF00F0FFFF00E0FFFF00C0FFFF0080FFFF0000FFFF0000FEFF0000FCFF0000F8FF0000F0FF0000E0FF0000C0FF000080FF000000FF000000FE000000FC000000F8000000F0000000E0000000C00000008000000000"> : tensor<1x1x32x32xi1>
    %80 = graph.broadcast %79, [0, 1, 2, 3] : tensor<1x1x32x32xi1> to tensor<8x4x32x32xi1>
    %81 = graph.constant dense<0xFF800000> : tensor<8x4x32x32xf32>
    %82 = graph.select %80, %81, %78 : tensor<8x4x32x32xf32>
    %83 = graph.softmax %82 axis = 3 : tensor<8x4x32x32xf32>
    %84 = graph.matmul %83, %74 : tensor<8x4x32x32xf32>, tensor<8x4x32x16xf32>
    %85 = graph.transpose %84, [0, 2, 1, 3] : tensor<8x4x32x16xf32>
    %86 = graph.reshape %85 : tensor<8x32x4x16xf32> to tensor<8x32x64xf32>
    %87 = graph.reshape %86 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %88 = graph.matmul %87, %arg18 : tensor<256x64xf32>, tensor<64x64xf32>
    %89 = graph.reshape %88 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %90 = graph.broadcast %arg9, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %91 = graph.add %89, %90 : tensor<8x32x64xf32>
    %92 = graph.add %62, %91 : tensor<8x32x64xf32>
    %93 = graph.layer_norm %92, %arg2, %arg3 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %94 = graph.reshape %93 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %95 = graph.matmul %94, %arg19 : tensor<256x64xf32>, tensor<64x256xf32>
    %96 = graph.reshape %95 : tensor<256x256xf32> to tensor<8x32x256xf32>
    %97 = graph.broadcast %arg10, [2] : tensor<256xf32> to tensor<8x32x256xf32>
    %98 = graph.add %96, %97 : tensor<8x32x256xf32>
    %99 = graph.constant dense<5.000000e-01> : tensor<8x32x256xf32>
    %100 = graph.mul %98, %99 : tensor<8x32x256xf32>
    %101 = graph.constant dense<3.000000e+00> : tensor<8x32x256xf32>
    %102 = graph.pow %98, %101 : tensor<8x32x256xf32>
    %103 = graph.constant dense<4.471500e-02> : tensor<8x32x256xf32>
    %104 = graph.mul %102, %103 : tensor<8x32x256xf32>
    %105 = graph.add %98, %104 : tensor<8x32x256xf32>
    %106 = graph.constant dense<0.797884583> : tensor<8x32x256xf32>
    %107 = graph.mul %105, %106 : tensor<8x32x256xf32>
    %108 = graph.tanh %107 : tensor<8x32x256xf32>
    %109 = graph.constant dense<1.000000e+00> : tensor<8x32x256xf32>
    %110 = graph.add %108, %109 : tensor<8x32x256xf32>
    %111 = graph.mul %100, %110 : tensor<8x32x256xf32>
    %112 = graph.reshape %111 : tensor<8x32x256xf32> to tensor<256x256xf32>
    %113 = graph.matmul %112, %arg20 : tensor<256x256xf32>, tensor<256x64xf32>
    %114 = graph.reshape %113 : tensor<256x64xf32> to tensor<8x32x64xf32>
    %115 = graph.broadcast %arg11, [2] : tensor<64xf32> to tensor<8x32x64xf32>
    %116 = graph.add %114, %115 : tensor<8x32x64xf32>
    %117 = graph.add %92, %116 : tensor<8x32x64xf32>
    %118 = graph.layer_norm %117, %arg2, %arg3 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x32x64xf32>, tensor<64xf32>, tensor<64xf32>
    %119 = graph.reshape %118 : tensor<8x32x64xf32> to tensor<256x64xf32>
    %120 = graph.matmul %119, %arg21 : tensor<256x64xf32>, tensor<64x128xf32>
    %121 = graph.reshape %120 : tensor<256x128xf32> to tensor<8x32x128xf32>
    return %121 : tensor<8x32x128xf32>
  }
}

