// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/runtime/GpuPrograms.h"

#include <fstream>
#include <sstream>

namespace pcc::test {

abi::Executable forGpu(abi::Executable executable) {
  std::ifstream file(PCC_TEST_GPU_KERNELS, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  executable.clear_object();
  executable.mutable_gpu_code()->set_chip("emulator");
  executable.mutable_gpu_code()->set_cubin(bytes.str());
  for (abi::Kernel &kernel : *executable.mutable_kernels())
    kernel.set_threads(256);
  return executable;
}

} // namespace pcc::test
