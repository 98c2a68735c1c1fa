// RUN: not pcc-opt %s --strategy-shard-optimizer=level=0 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not pcc-opt %s --strategy-shard-optimizer=threshold=-1 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: pcc-opt %s --strategy-shard-optimizer=level=3

// Valid levels are three.
// LEVEL: error: expected 'level' in 1 to 3, got 0

// THRESHOLD: error: expected 'threshold' not to be negative, got -1

// Without a mesh there are no ranks to share with.
module {
}
