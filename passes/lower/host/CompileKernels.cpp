// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the LLVM dialect to a shared object: LLVM's O3 pipeline, code generation, lld.
#include "passes/lower/GenerateCode.h"
#include "passes/lower/TemporaryFile.h"
#include "passes/lower/host/EmitKernels.h"
#include "passes/lower/host/HostTarget.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace pcc::lower {

/// Sets the attributes that every kernel carries. Vectors of 512 bits are preferred: kernels are
/// short and bound by memory or by the exponential, and both get faster.
static void setFunctionAttributes(llvm::Module &module, const HostTarget &host) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("tune-cpu", host.tuneFor);
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// Returns the kernels as optimized LLVM IR.
static llvm::Expected<std::unique_ptr<llvm::Module>>
buildModule(ModuleOp source, llvm::LLVMContext &context, HostTarget &host) {
  auto module = translateKernels(*source.getBody(), context, *host.machine);
  if (!module)
    return module.takeError();
  setFunctionAttributes(**module, host);
  optimize(**module, *host.machine, /*vectorizes=*/true);
  return std::move(*module);
}

/// Returns the linker found when pcc was built, else one on the path.
static llvm::Expected<std::string> findLinker() {
  if (llvm::sys::fs::can_execute(PCC_LLD_PATH))
    return PCC_LLD_PATH;
  for (llvm::StringRef name : {"ld.lld-22", "ld.lld"})
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return llvm::createStringError(
      "expected the linker \"ld.lld-22\" on the path, found none; install lld-22");
}

static llvm::Expected<std::string> linkShared(llvm::StringRef object) {
  llvm::Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  TemporaryFile input, output;
  if (llvm::Error error = input.create("o", object))
    return error;
  if (llvm::Error error = output.create("so"))
    return error;
  llvm::StringRef arguments[] = {
      *linker, "-shared",     "-O0", "--build-id=none", "--hash-style=gnu",
      "-z",    "noexecstack", "-o",  output.path,       input.path};
  std::string message;
  int code = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt, {}, 0, 0, &message);
  if (code != 0)
    return llvm::createStringError("the linker \"" + *linker + "\" failed with code " +
                                   llvm::Twine(code).str() +
                                   (message.empty() ? "" : ": " + message));
  auto buffer = llvm::MemoryBuffer::getFile(output.path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "the linker's output cannot be read");
  return (*buffer)->getBuffer().str();
}

llvm::Expected<KernelObject> compileKernels(ModuleOp module, llvm::StringRef cpu) {
  llvm::Expected<HostTarget> host = makeHostTarget(cpu);
  if (!host)
    return host.takeError();
  llvm::LLVMContext context;
  auto kernels = buildModule(module, context, *host);
  if (!kernels)
    return kernels.takeError();
  KernelObject result;
  result.cpuFeatures = host->features;
  if ((*kernels)->empty())
    return result;
  llvm::Expected<std::string> object =
      emitCode(**kernels, *host->machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> elf = linkShared(*object);
  if (!elf)
    return elf.takeError();
  result.elf = std::move(*elf);
  return result;
}

} // namespace pcc::lower
