// RUN: not pcc-opt %s --strategy-shard-optimizer=level=0 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not pcc-opt %s --strategy-shard-optimizer=threshold=-1 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: pcc-opt %s --strategy-shard-optimizer=level=3

// There are three levels.
// LEVEL: error: expected 'level' in 1 to 3, got 0

// THRESHOLD: error: expected 'threshold' not to be negative, got -1

// Where there is no mesh there is nobody to share with.
module {
}
