// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates to LLVM IR, links libdevice if it is called, optimizes without vector loops and emits
// PTX. Runs `ptxas` as a process on temporary files. Kernels for the emulator are compiled for the
// CPU instead.
#include "passes/lower/gpu/CompilePtx.h"

#include "passes/lower/GenerateCode.h"
#include "passes/lower/TemporaryFile.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;

namespace pcc::lower {

llvm::Expected<GpuTarget> findGpuTarget(llvm::StringRef chip) {
  // LLVM refuses older PTX for these chips; older drivers refuse newer PTX.
  static constexpr struct {
    llvm::StringLiteral chip, features;
  } known[] = {{"sm_80", "+ptx80"}, {"sm_90", "+ptx80"}, {"sm_100", "+ptx86"}};
  if (chip == emulatorChip)
    return GpuTarget{chip.str(), ""};
  for (const auto &target : known)
    if (target.chip == chip)
      return GpuTarget{chip.str(), target.features.str()};
  return llvm::createStringError("expected a GPU of sm_80, sm_90 or sm_100, got \"" + chip + "\"");
}

/// Returns the folder of the CUDA toolkit: the one found when pcc was built, else that of the
/// assembler on the path; empty if none.
static std::string findToolkit() {
  llvm::StringRef built = PCC_CUDA_PATH;
  if (!built.empty() && llvm::sys::fs::can_execute(built + "/bin/ptxas"))
    return built.str();
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
  if (!found)
    return "";
  llvm::SmallString<128> path;
  if (llvm::sys::fs::real_path(*found, path))
    path = *found;
  return llvm::sys::path::parent_path(llvm::sys::path::parent_path(path)).str();
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const GpuTarget &target) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return llvm::createStringError("this LLVM has no code for GPUs: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.chip, target.ptxFeatures, options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Links libdevice if a kernel calls it.
static llvm::Error linkLibdevice(llvm::Module &module) {
  auto isMissing = [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  };
  auto missing = llvm::find_if(module, isMissing);
  if (missing == module.end())
    return llvm::Error::success();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library = llvm::parseIRFile(
      findToolkit() + "/nvvm/libdevice/libdevice.10.bc", diagnostic, module.getContext());
  if (!library)
    return llvm::createStringError("a kernel calls \"" + missing->getName() +
                                   "\": expected the CUDA toolkit with \"ptxas\" on the path, for "
                                   "its nvvm/libdevice/libdevice.10.bc");
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  auto hide = [](llvm::Module &whole, const llvm::StringSet<> &names) {
    llvm::internalizeModule(whole, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(library), llvm::Linker::Flags::LinkOnlyNeeded,
                                hide))
    return llvm::createStringError("libdevice could not be linked to the kernels");
  return llvm::Error::success();
}

/// Returns the architecture for which the kernels were emitted.
static StringRef chipOf(gpu::GPUModuleOp kernels) {
  ArrayAttr targets = kernels.getTargetsAttr();
  auto target = targets ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0]) : NVVM::NVVMTargetAttr();
  return target ? target.getChip() : "none";
}

llvm::Expected<std::string> compilePtx(gpu::GPUModuleOp kernels) {
  llvm::Expected<GpuTarget> target = findGpuTarget(chipOf(kernels));
  if (!target)
    return target.takeError();
  auto machine = makeMachine(*target);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto module = translateKernels(*kernels.getBody(), context, **machine);
  if (!module)
    return module.takeError();
  if (llvm::Error error = linkLibdevice(**module))
    return error;
  // Threads are the vectors of a GPU.
  optimize(**module, **machine, /*vectorizes=*/false);
  return emitCode(**module, **machine, llvm::CodeGenFileType::AssemblyFile);
}

llvm::Expected<std::string> assembleCubin(llvm::StringRef ptx, llvm::StringRef gpu) {
  std::string toolkit = findToolkit(), assembler = toolkit + "/bin/ptxas";
  if (toolkit.empty())
    return "";
  TemporaryFile input, output, messages;
  if (llvm::Error error = input.create("ptx", ptx))
    return error;
  if (llvm::Error error = output.create("cubin"))
    return error;
  if (llvm::Error error = messages.create("txt"))
    return error;
  std::string chip = ("--gpu-name=" + gpu).str();
  llvm::StringRef arguments[] = {assembler, chip, "-o", output.path, input.path};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, messages.path.str(),
                                                messages.path.str()};
  int code = llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt, redirects);
  auto text = llvm::MemoryBuffer::getFile(messages.path);
  if (code != 0)
    return llvm::createStringError("\"" + assembler + "\" failed with code " +
                                   llvm::Twine(code).str() + ": " +
                                   (text ? (*text)->getBuffer() : ""));
  auto cubin = llvm::MemoryBuffer::getFile(output.path);
  if (!cubin)
    return llvm::createStringError(cubin.getError(), "the assembler's output cannot be read");
  return (*cubin)->getBuffer().str();
}

/// Returns the threads per block, by kernel.
static llvm::StringMap<int> threadsOf(Block &functions) {
  llvm::StringMap<int> threads;
  for (auto kernel : functions.getOps<LLVM::LLVMFuncOp>())
    if (auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(gridAttrName))
      threads[kernel.getName()] = int(grid[1]);
  return threads;
}

bool hasGpuKernels(ModuleOp module) {
  return !module.getOps<gpu::GPUModuleOp>().empty() || !threadsOf(*module.getBody()).empty();
}

static llvm::Expected<KernelObject> compileForEmulator(ModuleOp module) {
  llvm::Expected<KernelObject> object = compileKernels(module);
  if (!object)
    return object.takeError();
  return KernelObject{
      {},
      {},
      GpuObject{emulatorChip.str(), "", std::move(object->elf), threadsOf(*module.getBody())}};
}

llvm::Expected<KernelObject> compileGpuKernels(ModuleOp module) {
  auto gpuModules = module.getOps<gpu::GPUModuleOp>();
  if (gpuModules.empty())
    return compileForEmulator(module);
  gpu::GPUModuleOp kernels = *gpuModules.begin();
  llvm::Expected<std::string> ptx = compilePtx(kernels);
  if (!ptx)
    return ptx.takeError();
  llvm::Expected<std::string> cubin = assembleCubin(*ptx, chipOf(kernels));
  if (!cubin)
    return cubin.takeError();
  return KernelObject{{},
                      {},
                      GpuObject{chipOf(kernels).str(), std::move(*ptx), std::move(*cubin),
                                threadsOf(*kernels.getBody())}};
}

} // namespace pcc::lower
