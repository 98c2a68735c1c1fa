// RUN: pcc-opt %s --split-input-file --lower-to-task --verify-diagnostics

// expected-error @below {{expected a memory plan, run "--schedule-plan-memory" first}}
module {
}
