// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/emulator/GpuModules.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace pcc::runtime::cuda {

ModuleObject::~ModuleObject() {
  if (handle)
    dlclose(handle);
  if (image >= 0)
    close(image);
}

} // namespace pcc::runtime::cuda

namespace pcc::test {

using namespace runtime::cuda;

/// Returns the size of a complete ELF file; 0 if the image is not ELF.
static size_t sizeOfElf(const void *image) {
  // PTX is a string, which may be shorter than an ELF header.
  if (std::strncmp(static_cast<const char *>(image), ELFMAG, SELFMAG) != 0)
    return 0;
  Elf64_Ehdr head;
  std::memcpy(&head, image, sizeof head);
  size_t size = head.e_shoff + size_t(head.e_shnum) * head.e_shentsize;
  for (int i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section,
                static_cast<const char *>(image) + head.e_shoff + size_t(i) * head.e_shentsize,
                sizeof section);
    if (section.sh_type != SHT_NOBITS)
      size = std::max<size_t>(size, section.sh_offset + section.sh_size);
  }
  return size;
}

/// Makes this library's symbols global. Kernels look up the functions of the emulated threads among
/// the global symbols of the process, and a library opened with RTLD_LOCAL is not among them.
static void joinProcess() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&joinProcess), &own))
    dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

std::unique_ptr<ModuleObject> openModule(const void *image) {
  size_t size = sizeOfElf(image);
  if (size == 0)
    return nullptr;
  joinProcess();
  auto module = std::make_unique<ModuleObject>();
  module->image = memfd_create("kernels of the emulated GPU", MFD_CLOEXEC);
  for (size_t done = 0; done < size;) {
    ssize_t written = write(module->image, static_cast<const char *>(image) + done, size - done);
    if (written <= 0)
      return nullptr;
    done += size_t(written);
  }
  std::string path = "/proc/self/fd/" + std::to_string(module->image);
  module->handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module->handle) {
    fprintf(stderr, "emulator: %s\n", dlerror());
    return nullptr;
  }
  return module;
}

FunctionHandle findFunction(ModuleObject &module, const char *name) {
  void *entry = dlsym(module.handle, name);
  void *arguments = dlsym(module.handle, (name + std::string(".arguments")).c_str());
  if (!entry || !arguments)
    return nullptr;
  FunctionObject function = {};
  std::memcpy(&function.entry, &entry, sizeof entry);
  std::memcpy(&function.buffers, arguments, sizeof(int32_t));
  std::memcpy(&function.scalars, static_cast<char *>(arguments) + sizeof(int32_t), sizeof(int32_t));
  module.functions.push_back(function);
  return &module.functions.back();
}

GpuArguments::GpuArguments(const FunctionObject &function, void *const *parameters)
    : buffers(size_t(function.buffers)), scalars(size_t(function.scalars)) {
  for (void *&buffer : buffers)
    std::memcpy(&buffer, *parameters++, sizeof buffer);
  for (int64_t &scalar : scalars)
    std::memcpy(&scalar, *parameters++, sizeof scalar);
}

} // namespace pcc::test
