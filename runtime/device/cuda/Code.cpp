// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefers machine code to PTX, which the driver compiles at load time. Kernels are looked up once
// by symbol, support functions at each request. Constants are copied once for all ranks of the GPU.

#include "runtime/device/cuda/Code.h"

#include "runtime/abi/files/ExecutableData.h"
#include "runtime/device/cuda/driver/Stream.h"

#include <algorithm>

namespace pcc::runtime::cuda {

Expected<std::shared_ptr<const Code>> Code::load(std::shared_ptr<const Gpu> gpu,
                                                 const abi::Executable &executable, int64_t first,
                                                 int64_t ranks) {
  auto code = std::make_shared<Code>(gpu);
  if (Status status = gpu->enter(); !status.ok())
    return status;
  Status status = code->loadModule(executable.gpu_code());
  if (status.ok())
    status = code->findKernels(executable);
  if (status.ok())
    status = code->copyConstants(executable, abi::constantsOf(executable, first, ranks));
  if (!status.ok())
    return status;
  return std::shared_ptr<const Code>(std::move(code));
}

Code::~Code() {
  if (module && gpu->enter().ok())
    gpu->driver.moduleUnload(module);
}

Status Code::loadModule(const abi::GpuCode &code) {
  if (code.ptx().empty() && code.cubin().empty())
    return {}; // a program with only copies and library calls
  if (!code.cubin().empty() && runsMachineCode(code.chip(), gpu->properties))
    return gpu->driver.check(
        gpu->driver.moduleLoadDataEx(&module, code.cubin().data(), 0, nullptr, nullptr),
        fmt::format("cuModuleLoadDataEx of machine code for {}", code.chip()));
  if (!code.ptx().empty() && runsPtx(code.chip(), gpu->properties))
    return compilePtx(code.ptx());
  return Status::unavailable(fmt::format(
      "the program was compiled for {}, and '{}' has compute capability {}.{}: compile it with "
      "--target=cuda:sm_{}{}",
      code.chip(), gpu->properties.name, gpu->properties.major, gpu->properties.minor,
      gpu->properties.major, gpu->properties.minor));
}

Status Code::compilePtx(const std::string &ptx) {
  char log[4096] = "";
  JitOption options[] = {JitOption::ErrorLog, JitOption::ErrorLogBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Status status = gpu->driver.check(
      gpu->driver.moduleLoadDataEx(&module, ptx.c_str(), std::size(options), options, values),
      "cuModuleLoadDataEx of PTX");
  if (status.ok() || !*log)
    return status;
  return Status(status.kind(), fmt::format("{}: {}", status.message(), log));
}

Status Code::findKernels(const abi::Executable &executable) {
  for (const abi::Kernel &kernel : executable.kernels()) {
    FunctionHandle function = nullptr;
    Result result = gpu->driver.moduleGetFunction(&function, module, kernel.symbol().c_str());
    if (result == Result::NotFound)
      return Status::badInput(
          fmt::format("kernel '{}': the code has no entry '{}'", kernel.name(), kernel.symbol()));
    if (Status status = gpu->driver.check(result, "cuModuleGetFunction"); !status.ok())
      return status;
    kernels.push_back(function);
  }
  return {};
}

/// Copies part by part, so that the host need not hold all constants.
Status Code::copyConstants(const abi::Executable &executable, const abi::DataRange &own) {
  constexpr uint64_t partBytes = uint64_t(16) << 20;
  Expected<std::unique_ptr<Allocation>> space = allocateOn(gpu, abi::constantBytes(executable));
  if (!space)
    return space.status();
  constantSpace = std::move(*space);
  Expected<std::unique_ptr<Stream>> stream = Stream::make(gpu);
  if (!stream)
    return stream.status();
  Expected<abi::DataReader> reader = abi::DataReader::open(executable);
  if (!reader)
    return reader.status();
  std::vector<std::byte> part;
  for (uint64_t done = 0; done < own.bytes(); done += part.size()) {
    part.resize(std::min(partBytes, own.bytes() - done));
    uint64_t at = own.offset() + done;
    if (Status status = reader->readConstants(at, part); !status.ok())
      return status;
    if (Status status = (*stream)->copyIn(pointer(constantSpace->base + at), part); !status.ok())
      return status;
  }
  return (*stream)->synchronize();
}

Expected<FunctionHandle> Code::support(const std::string &symbol) const {
  FunctionHandle function = nullptr;
  Result result =
      module ? gpu->driver.moduleGetFunction(&function, module, symbol.c_str()) : Result::NotFound;
  if (result == Result::NotFound)
    return Status::unavailable(
        fmt::format("the code has no function '{}'; compile the model anew", symbol));
  if (Status status = gpu->driver.check(result, "cuModuleGetFunction"); !status.ok())
    return status;
  return function;
}

} // namespace pcc::runtime::cuda
