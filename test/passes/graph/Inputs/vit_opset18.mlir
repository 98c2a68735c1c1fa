module {
  graph.parameter @cls : tensor<1x1x64xf32> init(<file>) {value = dense_resource<cls> : tensor<1x1x64xf32>}
  graph.parameter @pos : tensor<1x17x64xf32> init(<file>) {value = dense_resource<pos> : tensor<1x17x64xf32>}
  graph.parameter @patch.weight : tensor<64x3x8x8xf32> init(<file>) {value = dense_resource<patch.weight> : tensor<64x3x8x8xf32>}
  graph.parameter @patch.bias : tensor<64xf32> init(<file>) {value = dense_resource<patch.bias> : tensor<64xf32>}
  graph.parameter @blocks.0.ln1.weight : tensor<64xf32> init(<file>) {value = dense_resource<blocks.0.ln1.weight> : tensor<64xf32>}
  graph.parameter @blocks.0.ln1.bias : tensor<64xf32> init(<file>) {value = dense_resource<blocks.0.ln1.bias> : tensor<64xf32>}
  graph.parameter @blocks.0.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<blocks.0.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @blocks.0.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<blocks.0.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @blocks.0.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<blocks.0.fc.bias> : tensor<256xf32>}
  graph.parameter @blocks.0.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<blocks.0.out.bias> : tensor<64xf32>}
  graph.parameter @blocks.1.attn.qkv.bias : tensor<192xf32> init(<file>) {value = dense_resource<blocks.1.attn.qkv.bias> : tensor<192xf32>}
  graph.parameter @blocks.1.attn.proj.bias : tensor<64xf32> init(<file>) {value = dense_resource<blocks.1.attn.proj.bias> : tensor<64xf32>}
  graph.parameter @blocks.1.fc.bias : tensor<256xf32> init(<file>) {value = dense_resource<blocks.1.fc.bias> : tensor<256xf32>}
  graph.parameter @blocks.1.out.bias : tensor<64xf32> init(<file>) {value = dense_resource<blocks.1.out.bias> : tensor<64xf32>}
  graph.parameter @head.weight : tensor<10x64xf32> init(<file>) {value = dense_resource<head.weight> : tensor<10x64xf32>}
  graph.parameter @head.bias : tensor<10xf32> init(<file>) {value = dense_resource<head.bias> : tensor<10xf32>}
  graph.parameter @val_13 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_13> : tensor<64x192xf32>}
  graph.parameter @val_43 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_43> : tensor<64x64xf32>}
  graph.parameter @val_47 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_47> : tensor<64x256xf32>}
  graph.parameter @val_56 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_56> : tensor<256x64xf32>}
  graph.parameter @val_60 : tensor<64x192xf32> init(<file>) {value = dense_resource<val_60> : tensor<64x192xf32>}
  graph.parameter @val_85 : tensor<64x64xf32> init(<file>) {value = dense_resource<val_85> : tensor<64x64xf32>}
  graph.parameter @val_89 : tensor<64x256xf32> init(<file>) {value = dense_resource<val_89> : tensor<64x256xf32>}
  graph.parameter @val_98 : tensor<256x64xf32> init(<file>) {value = dense_resource<val_98> : tensor<256x64xf32>}
  func.func @forward(%arg0: tensor<8x3x32x32xf32> {graph.role = #graph.role<input "x">}, %arg1: tensor<1x1x64xf32> {graph.role = #graph.role<parameter "cls">}, %arg2: tensor<1x17x64xf32> {graph.role = #graph.role<parameter "pos">}, %arg3: tensor<64x3x8x8xf32> {graph.role = #graph.role<parameter "patch.weight">}, %arg4: tensor<64xf32> {graph.role = #graph.role<parameter "patch.bias">}, %arg5: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.0.ln1.weight">}, %arg6: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.0.ln1.bias">}, %arg7: tensor<192xf32> {graph.role = #graph.role<parameter "blocks.0.attn.qkv.bias">}, %arg8: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.0.attn.proj.bias">}, %arg9: tensor<256xf32> {graph.role = #graph.role<parameter "blocks.0.fc.bias">}, %arg10: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.0.out.bias">}, %arg11: tensor<192xf32> {graph.role = #graph.role<parameter "blocks.1.attn.qkv.bias">}, %arg12: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.1.attn.proj.bias">}, %arg13: tensor<256xf32> {graph.role = #graph.role<parameter "blocks.1.fc.bias">}, %arg14: tensor<64xf32> {graph.role = #graph.role<parameter "blocks.1.out.bias">}, %arg15: tensor<10x64xf32> {graph.role = #graph.role<parameter "head.weight">}, %arg16: tensor<10xf32> {graph.role = #graph.role<parameter "head.bias">}, %arg17: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_13">}, %arg18: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_43">}, %arg19: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_47">}, %arg20: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_56">}, %arg21: tensor<64x192xf32> {graph.role = #graph.role<parameter "val_60">}, %arg22: tensor<64x64xf32> {graph.role = #graph.role<parameter "val_85">}, %arg23: tensor<64x256xf32> {graph.role = #graph.role<parameter "val_89">}, %arg24: tensor<256x64xf32> {graph.role = #graph.role<parameter "val_98">}) -> (tensor<8x10xf32> {graph.role = #graph.role<output "logits">}) {
    %0 = graph.conv2d %arg0, %arg3 {strides = array<i64: 8, 8>} : tensor<8x3x32x32xf32>, tensor<64x3x8x8xf32>
    %1 = graph.reshape %arg4 : tensor<64xf32> to tensor<64x1x1xf32>
    %2 = graph.broadcast %1, [1, 2, 3] : tensor<64x1x1xf32> to tensor<8x64x4x4xf32>
    %3 = graph.add %0, %2 : tensor<8x64x4x4xf32>
    %4 = graph.reshape %3 : tensor<8x64x4x4xf32> to tensor<8x64x16xf32>
    %5 = graph.transpose %4, [0, 2, 1] : tensor<8x64x16xf32>
    %6 = graph.broadcast %arg1, [0, 1, 2] : tensor<1x1x64xf32> to tensor<8x1x64xf32>
    %7 = graph.concat %6, %5 axis = 1 : tensor<8x1x64xf32>, tensor<8x16x64xf32>
    %8 = graph.broadcast %arg2, [0, 1, 2] : tensor<1x17x64xf32> to tensor<8x17x64xf32>
    %9 = graph.add %7, %8 : tensor<8x17x64xf32>
    %10 = graph.layer_norm %9, %arg5, %arg6 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x17x64xf32>, tensor<64xf32>, tensor<64xf32>
    %11 = graph.reshape %10 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %12 = graph.matmul %11, %arg17 : tensor<136x64xf32>, tensor<64x192xf32>
    %13 = graph.reshape %12 : tensor<136x192xf32> to tensor<8x17x192xf32>
    %14 = graph.broadcast %arg7, [2] : tensor<192xf32> to tensor<8x17x192xf32>
    %15 = graph.add %13, %14 : tensor<8x17x192xf32>
    %16:3 = graph.split %15 axis = 2 : tensor<8x17x192xf32> to tensor<8x17x64xf32>, tensor<8x17x64xf32>, tensor<8x17x64xf32>
    %17 = graph.reshape %16#0 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %18 = graph.transpose %17, [0, 2, 1, 3] : tensor<8x17x4x16xf32>
    %19 = graph.reshape %16#1 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %20 = graph.reshape %16#2 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %21 = graph.transpose %20, [0, 2, 1, 3] : tensor<8x17x4x16xf32>
    %22 = graph.transpose %19, [0, 2, 3, 1] : tensor<8x17x4x16xf32>
    %23 = graph.matmul %18, %22 : tensor<8x4x17x16xf32>, tensor<8x4x16x17xf32>
    %24 = graph.constant dense<4.000000e+00> : tensor<8x4x17x17xf32>
    %25 = graph.div %23, %24 : tensor<8x4x17x17xf32>
    %26 = graph.softmax %25 axis = 3 : tensor<8x4x17x17xf32>
    %27 = graph.matmul %26, %21 : tensor<8x4x17x17xf32>, tensor<8x4x17x16xf32>
    %28 = graph.transpose %27, [0, 2, 1, 3] : tensor<8x4x17x16xf32>
    %29 = graph.reshape %28 : tensor<8x17x4x16xf32> to tensor<8x17x64xf32>
    %30 = graph.reshape %29 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %31 = graph.matmul %30, %arg18 : tensor<136x64xf32>, tensor<64x64xf32>
    %32 = graph.reshape %31 : tensor<136x64xf32> to tensor<8x17x64xf32>
    %33 = graph.broadcast %arg8, [2] : tensor<64xf32> to tensor<8x17x64xf32>
    %34 = graph.add %32, %33 : tensor<8x17x64xf32>
    %35 = graph.add %9, %34 : tensor<8x17x64xf32>
    %36 = graph.layer_norm %35, %arg5, %arg6 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x17x64xf32>, tensor<64xf32>, tensor<64xf32>
    %37 = graph.reshape %36 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %38 = graph.matmul %37, %arg19 : tensor<136x64xf32>, tensor<64x256xf32>
    %39 = graph.reshape %38 : tensor<136x256xf32> to tensor<8x17x256xf32>
    %40 = graph.broadcast %arg9, [2] : tensor<256xf32> to tensor<8x17x256xf32>
    %41 = graph.add %39, %40 : tensor<8x17x256xf32>
    %42 = graph.constant dense<1.41421354> : tensor<8x17x256xf32>
    %43 = graph.div %41, %42 : tensor<8x17x256xf32>
    %44 = graph.erf %43 : tensor<8x17x256xf32>
    %45 = graph.constant dense<1.000000e+00> : tensor<8x17x256xf32>
    %46 = graph.add %44, %45 : tensor<8x17x256xf32>
    %47 = graph.constant dense<5.000000e-01> : tensor<8x17x256xf32>
    %48 = graph.mul %47, %46 : tensor<8x17x256xf32>
    %49 = graph.mul %41, %48 : tensor<8x17x256xf32>
    %50 = graph.reshape %49 : tensor<8x17x256xf32> to tensor<136x256xf32>
    %51 = graph.matmul %50, %arg20 : tensor<136x256xf32>, tensor<256x64xf32>
    %52 = graph.reshape %51 : tensor<136x64xf32> to tensor<8x17x64xf32>
    %53 = graph.broadcast %arg10, [2] : tensor<64xf32> to tensor<8x17x64xf32>
    %54 = graph.add %52, %53 : tensor<8x17x64xf32>
    %55 = graph.add %35, %54 : tensor<8x17x64xf32>
    %56 = graph.layer_norm %55, %arg5, %arg6 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x17x64xf32>, tensor<64xf32>, tensor<64xf32>
    %57 = graph.reshape %56 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %58 = graph.matmul %57, %arg21 : tensor<136x64xf32>, tensor<64x192xf32>
    %59 = graph.reshape %58 : tensor<136x192xf32> to tensor<8x17x192xf32>
    %60 = graph.broadcast %arg11, [2] : tensor<192xf32> to tensor<8x17x192xf32>
    %61 = graph.add %59, %60 : tensor<8x17x192xf32>
    %62:3 = graph.split %61 axis = 2 : tensor<8x17x192xf32> to tensor<8x17x64xf32>, tensor<8x17x64xf32>, tensor<8x17x64xf32>
    %63 = graph.reshape %62#0 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %64 = graph.transpose %63, [0, 2, 1, 3] : tensor<8x17x4x16xf32>
    %65 = graph.reshape %62#1 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %66 = graph.reshape %62#2 : tensor<8x17x64xf32> to tensor<8x17x4x16xf32>
    %67 = graph.transpose %66, [0, 2, 1, 3] : tensor<8x17x4x16xf32>
    %68 = graph.transpose %65, [0, 2, 3, 1] : tensor<8x17x4x16xf32>
    %69 = graph.matmul %64, %68 : tensor<8x4x17x16xf32>, tensor<8x4x16x17xf32>
    %70 = graph.constant dense<4.000000e+00> : tensor<8x4x17x17xf32>
    %71 = graph.div %69, %70 : tensor<8x4x17x17xf32>
    %72 = graph.softmax %71 axis = 3 : tensor<8x4x17x17xf32>
    %73 = graph.matmul %72, %67 : tensor<8x4x17x17xf32>, tensor<8x4x17x16xf32>
    %74 = graph.transpose %73, [0, 2, 1, 3] : tensor<8x4x17x16xf32>
    %75 = graph.reshape %74 : tensor<8x17x4x16xf32> to tensor<8x17x64xf32>
    %76 = graph.reshape %75 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %77 = graph.matmul %76, %arg22 : tensor<136x64xf32>, tensor<64x64xf32>
    %78 = graph.reshape %77 : tensor<136x64xf32> to tensor<8x17x64xf32>
    %79 = graph.broadcast %arg12, [2] : tensor<64xf32> to tensor<8x17x64xf32>
    %80 = graph.add %78, %79 : tensor<8x17x64xf32>
    %81 = graph.add %55, %80 : tensor<8x17x64xf32>
    %82 = graph.layer_norm %81, %arg5, %arg6 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x17x64xf32>, tensor<64xf32>, tensor<64xf32>
    %83 = graph.reshape %82 : tensor<8x17x64xf32> to tensor<136x64xf32>
    %84 = graph.matmul %83, %arg23 : tensor<136x64xf32>, tensor<64x256xf32>
    %85 = graph.reshape %84 : tensor<136x256xf32> to tensor<8x17x256xf32>
    %86 = graph.broadcast %arg13, [2] : tensor<256xf32> to tensor<8x17x256xf32>
    %87 = graph.add %85, %86 : tensor<8x17x256xf32>
    %88 = graph.constant dense<1.41421354> : tensor<8x17x256xf32>
    %89 = graph.div %87, %88 : tensor<8x17x256xf32>
    %90 = graph.erf %89 : tensor<8x17x256xf32>
    %91 = graph.constant dense<1.000000e+00> : tensor<8x17x256xf32>
    %92 = graph.add %90, %91 : tensor<8x17x256xf32>
    %93 = graph.constant dense<5.000000e-01> : tensor<8x17x256xf32>
    %94 = graph.mul %93, %92 : tensor<8x17x256xf32>
    %95 = graph.mul %87, %94 : tensor<8x17x256xf32>
    %96 = graph.reshape %95 : tensor<8x17x256xf32> to tensor<136x256xf32>
    %97 = graph.matmul %96, %arg24 : tensor<136x256xf32>, tensor<256x64xf32>
    %98 = graph.reshape %97 : tensor<136x64xf32> to tensor<8x17x64xf32>
    %99 = graph.broadcast %arg14, [2] : tensor<64xf32> to tensor<8x17x64xf32>
    %100 = graph.add %98, %99 : tensor<8x17x64xf32>
    %101 = graph.add %81, %100 : tensor<8x17x64xf32>
    %102 = graph.layer_norm %101, %arg5, %arg6 axis = 2 epsilon = 9.9999997473787516E-6 : tensor<8x17x64xf32>, tensor<64xf32>, tensor<64xf32>
    %103 = graph.constant dense<0> : tensor<i64>
    %104 = graph.gather %102, %103 axis = 1 : tensor<8x17x64xf32>, tensor<i64>
    %105 = graph.matmul %104, %arg15 {transpose_rhs} : tensor<8x64xf32>, tensor<10x64xf32>
    %106 = graph.broadcast %arg16, [1] : tensor<10xf32> to tensor<8x10xf32>
    %107 = graph.add %105, %106 : tensor<8x10xf32>
    return %107 : tensor<8x10xf32>
  }
}

