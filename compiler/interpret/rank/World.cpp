// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pipe::listPrograms checks the numbering of stages; this file adds the check of their meshes.
#include "compiler/interpret/rank/World.h"

#include "dialects/dist/Dist.h"
#include "dialects/pipe/Stages.h"

using namespace mlir;

namespace pcc::interpret {

FailureOr<llvm::SmallVector<ModuleOp>> findPrograms(ModuleOp module) {
  FailureOr<llvm::SmallVector<ModuleOp>> programs = pipe::listPrograms(module);
  if (failed(programs))
    return failure();
  dist::Mesh first = dist::getMesh(programs->front());
  for (ModuleOp program : *programs)
    if (dist::Mesh mesh = dist::getMesh(program); mesh != first)
      return emitError(program.getLoc()) << "expected the mesh of stage 0, \"" << first.str()
                                         << "\", got \"" << mesh.str() << "\"";
  return programs;
}

} // namespace pcc::interpret
