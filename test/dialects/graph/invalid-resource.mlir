// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// parameter C5, constant C3: a resource holds exactly the elements of its type.

// expected-error @+1 {{'graph.parameter' op expected 12 bytes in resource 'three', got 2}}
graph.parameter @w : tensor<3xf32> init(<file>) {value = dense_resource<three> : tensor<3xf32>}

{-#
  dialect_resources: {
    builtin: {
      three: "0x010000000102"
    }
  }
#-}

// -----

func.func @constant() {
  // expected-error @+1 {{'graph.constant' op expected 3 bytes in resource 'three', got 2}}
  %0 = graph.constant dense_resource<three> : tensor<3xi8>
  return
}

{-#
  dialect_resources: {
    builtin: {
      three: "0x010000000102"
    }
  }
#-}
