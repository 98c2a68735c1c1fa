// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// attention C1
func.func @rank(%q: tensor<4x6x8xf32>, %k: tensor<2x2x10x8xf32>) {
  // expected-error @below {{expected 'query' of rank 4, got 3}}
  %0:2 = graph.attention %q, %k, %k scale = 0.5 : tensor<4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x8xf32>
  return
}

// -----

// attention C2
func.func @elements(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x8xbf16>) {
  // expected-error @below {{expected equal element types, got 'f32' in 'query' and 'bf16' in 'key'}}
  %0:2 = graph.attention %q, %k, %k scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xbf16>, tensor<2x2x10x8xbf16>
  return
}

// -----

// attention C3
func.func @key(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x7xf32>) {
  // expected-error @below {{expected 'key' of shape [2, 2, 10, 8], got [2, 2, 10, 7]}}
  %0:2 = graph.attention %q, %k, %k scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x7xf32>, tensor<2x2x10x7xf32>
  return
}

// -----

// attention C3
func.func @value(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x8xf32>, %v: tensor<2x2x9x8xf32>) {
  // expected-error @below {{expected 'value' of shape [2, 2, 10, 8], got [2, 2, 9, 8]}}
  %0:2 = graph.attention %q, %k, %v scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x9x8xf32>
  return
}

// -----

// attention C4
func.func @heads(%q: tensor<2x4x6x8xf32>, %k: tensor<2x3x10x8xf32>) {
  // expected-error @below {{expected the key's 3 heads to divide the query's 4}}
  %0:2 = graph.attention %q, %k, %k scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x3x10x8xf32>, tensor<2x3x10x8xf32>
  return
}

// -----

// attention C5
func.func @mask(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x8xf32>, %m: tensor<6x10xf32>) {
  // expected-error @below {{expected 'mask' of rank 4 with sizes of 1 or of the scores, got 'tensor<6x10xf32>'}}
  %0:2 = graph.attention %q, %k, %k, %m scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x8xf32>, tensor<6x10xf32>
  return
}

// -----

// attention_gradient C6
func.func @result(%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x10x8xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error @below {{expected 'log_sum' of shape [2, 4, 6], got [2, 4, 5]}}
  %0:3 = graph.attention_gradient %q, %k, %k, %q, %l, %q scale = 0.5 : tensor<2x4x6x8xf32>, tensor<2x2x10x8xf32>, tensor<2x2x10x8xf32>, tensor<2x4x6x8xf32>, tensor<2x4x5xf32>
  return
}

// -----

// rotary_embedding C1
func.func @rotary_rank(%x: tensor<4x6x8xf32>, %c: tensor<6x4xf32>) {
  // expected-error @below {{expected 'input' of rank 4, got 3}}
  %0 = graph.rotary_embedding %x, %c, %c : tensor<4x6x8xf32>, tensor<6x4xf32>
  return
}

// -----

// rotary_embedding C2
func.func @rotary_width(%x: tensor<2x4x6x7xf32>, %c: tensor<6x3xf32>) {
  // expected-error @below {{expected an even width, got 7}}
  %0 = graph.rotary_embedding %x, %c, %c : tensor<2x4x6x7xf32>, tensor<6x3xf32>
  return
}

// -----

// rotary_embedding C3
func.func @rotary_elements(%x: tensor<2x4x6x8xf32>, %c: tensor<6x4xf16>) {
  // expected-error @below {{expected equal element types, got 'f32' in 'input' and 'f16' in 'cosine'}}
  %0 = graph.rotary_embedding %x, %c, %c : tensor<2x4x6x8xf32>, tensor<6x4xf16>
  return
}

// -----

// rotary_embedding C4
func.func @rotary_angles(%x: tensor<2x4x6x8xf32>, %c: tensor<3x6x4xf32>) {
  // expected-error @below {{expected 'cosine' of shape [2, 6, 4], got [3, 6, 4]}}
  %0 = graph.rotary_embedding %x, %c, %c : tensor<2x4x6x8xf32>, tensor<3x6x4xf32>
  return
}
