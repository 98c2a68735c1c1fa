// RUN: pcc-opt %s --split-input-file --verify-diagnostics --autodiff-check-parameters

// expected-error@below {{expected every parameter of the module as it is in the file, got 2 that the exporter changed: 'b.bias' is merged into 'a.bias'; 'c.scale' is removed; export with 'optimize=False' to train the model}}
module attributes {graph.altered_parameters = ["'b.bias' is merged into 'a.bias'", "'c.scale' is removed"]} {
}

// -----

// The first four of many are named.
// expected-error@below {{got 6 that the exporter changed: 1; 2; 3; 4; and 2 more; export with}}
module attributes {graph.altered_parameters = ["1", "2", "3", "4", "5", "6"]} {
}

// -----

// A file that lists no altered parameters may be trained.
module attributes {graph.altered_parameters = []} {
}

// -----

module {
}

// -----

// expected-error @below {{expected 'graph.altered_parameters' to be a list of texts, got [1]}}
module attributes {graph.altered_parameters = [1]} {
}
