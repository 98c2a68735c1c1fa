// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a checkpoint of MindSpore.
#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readCheckpoint(std::string_view bytes) {
  pcc::fuzz::InputFile file("x.ckpt", bytes);
  (void)pcc::runtime::readMindSpore(file.path(), {});
}

PCC_FUZZ_TARGET(ckpt, readCheckpoint)
