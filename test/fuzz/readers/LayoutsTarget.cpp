// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a strategy file of MindSpore in both of its formats, and places slices by it.
#include "runtime/checkpoint/mindspore/MindSporeCheckpoint.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/Target.h"

static void readStrategy(std::string_view bytes) {
  pcc::fuzz::InputFile file(bytes.starts_with("{") ? "x.json" : "x.ckpt", bytes);
  auto stages = pcc::runtime::readLayouts({&file.path(), 1});
  if (!stages)
    return;
  for (const pcc::runtime::StageLayouts &layouts : *stages)
    for (const auto &[name, layout] : layouts)
      for (int64_t rank = 0; rank < std::min<int64_t>(layout.ranks(), 64); ++rank)
        (void)pcc::runtime::placeSlice(
            layout, std::vector<int64_t>(layout.tensorMap.size(), int64_t(1) << 38), rank);
}

PCC_FUZZ_TARGET(layouts, readStrategy)
