// RUN: pcc-opt %s --autodiff-freeze-parameters='names=^embed' | FileCheck %s
// RUN: not pcc-opt %s --autodiff-freeze-parameters='names=^head' 2>&1 | FileCheck %s --check-prefix=NONE

// The expression is found at the start of two names. Running statistics were never trained.
// CHECK: graph.parameter @embed.weight : {{.*}} {trainable = false}
// CHECK: graph.parameter @embed_scale : {{.*}} {trainable = false}
// CHECK: graph.parameter @reembed : tensor<2xf32> init(<zeros>){{$}}
// CHECK: graph.parameter @mean : {{.*}} {trainable = false}
// NONE: error: expected a trainable parameter whose name matches '^head', got none; the first one is 'embed.weight'
graph.parameter @embed.weight : tensor<2xf32> init(<zeros>)
graph.parameter @embed_scale : tensor<2xf32> init(<zeros>)
graph.parameter @reembed : tensor<2xf32> init(<zeros>)
graph.parameter @mean : tensor<2xf32> init(<zeros>) {trainable = false}
