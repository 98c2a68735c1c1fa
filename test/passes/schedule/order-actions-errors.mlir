// RUN: pcc-opt %s --split-input-file --schedule-order-actions=schedule=1f1b --verify-diagnostics

// A stage without any action in a step.

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
    }
  }
  // expected-error @below {{expected a step in each stage}}
  module @stage1 attributes {pipe.stage = 1 : i64} {
  }
}

// -----

// Stages with different microbatches.

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    pipe.step @train micro_batches = 1 copies = 2 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 0 copy = 1
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    // expected-error @below {{expected 1 microbatches of 2 copies as in the first stage, got 2 of 1}}
    pipe.step @train micro_batches = 2 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @forward_train microbatch = 1 copy = 0
    }
  }
}

// -----

// An action that runs once but does not follow the microbatches.

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @prepare() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      // expected-error @below {{expected "prepare", which runs once, behind the actions of microbatches}}
      pipe.action @prepare
      pipe.action @forward_train microbatch = 0 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
  }
}

// -----

// A missing section, and a section that schedules do not support.

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    // expected-error @below {{expected an action of section "backward" for each microbatch, as in the first stage}}
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
    }
  }
}

// -----

module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    func.func private @check() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
      // expected-error @below {{expected a section that a schedule knows, such as "forward_train", got "check"}}
      pipe.action @check microbatch = 0 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train() { return }
    func.func private @backward() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train microbatch = 0 copy = 0
      pipe.action @backward microbatch = 0 copy = 0
    }
  }
}

// -----

// Looped chunks, for which 1F1B has no order.

// expected-error @below {{schedule "1f1b": expected one chunk per device, got 2}}
module {
  module @stage0 attributes {pipe.stage = 0 : i64} {
    func.func private @forward_train.0() { return }
    func.func private @forward_train.1() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train.0 microbatch = 0 copy = 0
      pipe.action @forward_train.1 microbatch = 0 copy = 0
    }
  }
  module @stage1 attributes {pipe.stage = 1 : i64} {
    func.func private @forward_train.0() { return }
    func.func private @forward_train.1() { return }
    pipe.step @train micro_batches = 1 copies = 1 micro_reduction = sum {
      pipe.action @forward_train.0 microbatch = 0 copy = 0
      pipe.action @forward_train.1 microbatch = 0 copy = 0
    }
  }
}

// -----

// Missing stages.

module {
  // expected-error @below {{expected stages numbered 0 to 0, each once, got "pipe.stage = 1"}}
  module @stage1 attributes {pipe.stage = 1 : i64} {
  }
}
