// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the plug-in relative to /proc/self/exe, or by the loader's search path. The plug-in exports
// one function, which returns a versioned table of all others.

#include "runtime/collective/mpi/MpiLibrary.h"

#include "runtime/base/SharedLibrary.h"

#include <filesystem>

namespace pcc::runtime::mpi {

Expected<const PccMpi *> openLibrary() {
  constexpr const char *name = "libpcc-mpi.so";
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::string beside = program.parent_path().parent_path() / "lib" / name;
  const char *names[] = {beside.c_str(), name};
  auto library = SharedLibrary::open(
      names, "the communicator 'mpi' needs it: 'apt-get install libopenmpi-dev openmpi-bin', then "
             "build pcc");
  if (!library)
    return library.status();
  const PccMpi *(*table)() = nullptr;
  const Symbol symbols[] = {symbol("pcc_mpi", table)};
  if (Status status = library->resolve(symbols); !status.ok())
    return status;
  if (int version = table()->version; version != PCC_MPI_VERSION)
    return Status::unavailable(fmt::format("'{}': expected version {}, got {}; build it anew", name,
                                           PCC_MPI_VERSION, version));
  std::move(*library).leaveOpen(); // MPI is never unloaded
  return table();
}

Status statusOf(const PccMpi &library, int code) {
  if (code == 0)
    return {};
  char text[512];
  library.describe(code, text, sizeof text);
  return Status::failed(fmt::format("MPI: {}", text));
}

} // namespace pcc::runtime::mpi
