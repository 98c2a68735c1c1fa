// RUN: pcc-opt %s --split-input-file --verify-diagnostics

// C22: passes read the entries without checks.
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [{in = ["x", "w_t"], out = ["y"]}],
    shapes = {x = array<i64: 8, 4>, w = array<i64: 2, 4>, w_t = array<i64: 4, 2>}, views = {w_t = {of = "w", order = array<i64: 1, 0>}},
    configuration = "pcc", stages = 1 : i64, mesh = #dist.mesh<x=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x, _]>}]}} {
}

// -----

// expected-error @below {{expected "dist.file_nodes" to be a dictionary, got 1 : i64}}
module attributes {dist.file_nodes = 1 : i64} {
}

// -----

// expected-error @below {{expected a valid "file" in "dist.file_nodes", got none; import the model again}}
module attributes {dist.file_nodes = {}} {
}

// -----

// expected-error @below {{expected a valid "nodes" in "dist.file_nodes", got [{in = ["x"]}]; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [{in = ["x"]}]}} {
}

// -----

// expected-error @below {{expected a valid "shapes" in "dist.file_nodes", got {x = 1 : i64}; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {x = 1 : i64}}} {
}

// -----

// The order is none of two dimensions.
// expected-error @below {{expected a valid "views" in "dist.file_nodes", got {v = {of = "w", order = array<i64: 1, 1>}}; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {}, views = {v = {of = "w", order = array<i64: 1, 1>}}}} {
}

// -----

// The tensor has another rank.
// expected-error @below {{expected a valid "views" in "dist.file_nodes", got {v = {of = "w", order = array<i64: 1, 0>}}; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {w = array<i64: 4>}, views = {v = {of = "w", order = array<i64: 1, 0>}}}} {
}

// -----

// Two views of each other.
// expected-error @below {{expected a valid "views" in "dist.file_nodes", got {}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {},
    views = {v = {of = "w", order = array<i64: 0>}, w = {of = "v", order = array<i64: 0>}}}} {
}

// -----

// expected-error @below {{expected a valid "configuration" in "dist.file_nodes", got none; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {}, views = {}, shardings = []}} {
}

// -----

// expected-error @below {{expected a valid "stages" in "dist.file_nodes", got 0 : i64; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {}, views = {}, configuration = "c", stages = 0 : i64, shardings = []}} {
}

// -----

// expected-error @below {{expected a valid "mesh" in "dist.file_nodes", got none; import}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {}, views = {}, configuration = "c", stages = 1 : i64, shardings = []}} {
}

// -----

// There is no such node.
// expected-error @below {{expected a valid "shardings" in "dist.file_nodes", got [{}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [], shapes = {}, views = {}, configuration = "c", stages = 1 : i64, mesh = #dist.mesh<x=2>,
    shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[x]>}]}} {
}

// -----

// There is no such axis.
// expected-error @below {{expected a valid "shardings" in "dist.file_nodes", got [{}}
module attributes {dist.file_nodes = {file = "m.onnx", nodes = [{in = ["x"], out = []}], shapes = {}, views = {}, configuration = "c", stages = 1 : i64,
    mesh = #dist.mesh<x=2>, shardings = [{node = 0 : i64, tensor = "x", sharding = #dist.sharding<[y]>}]}} {
}
