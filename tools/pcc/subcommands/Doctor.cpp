// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pcc doctor: lists the components that pcc can use, whether they are on this machine, and how to
// install the missing ones.

#include "runtime/base/CpuFeatures.h"
#include "runtime/collective/mpi/MpiLibrary.h"
#include "runtime/collective/nccl/Nccl.h"
#include "runtime/device/cuda/driver/Driver.h"
#include "runtime/device/cuda/library/CublasLt.h"
#include "runtime/device/cuda/library/Cudnn.h"
#include "runtime/device/host/HostDevice.h"
#include "tools/pcc/report/Output.h"
#include "tools/pcc/subcommands/Subcommand.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <optional>
#include <thread>

using namespace pcc::cli;
namespace cl = llvm::cl;

namespace {

/// A component that may be installed.
struct Finding {
  const char *name;
  bool required;
  std::optional<std::string> detail; ///< absent: not installed
  const char *cure;                  ///< how to install it
};

/// Column of the details, after the columns of name and state.
constexpr int nameWidth = 14, stateWidth = 9, detailColumn = nameWidth + stateWidth;

std::optional<std::string> probeProgram(llvm::ArrayRef<const char *> names) {
  for (const char *name : names) {
    auto path = llvm::sys::findProgramByName(name);
    if (path)
      return *path;
  }
  return std::nullopt;
}

std::string describeCpu() {
  std::string features;
  std::set<std::string> flags = pcc::runtime::cpuFlags();
  for (const char *feature : {"avx2", "fma", "avx512f", "avx512bw", "avx512vnni", "avx512bf16",
                              "amx-tile", "neon", "sve"})
    if (pcc::runtime::hasCpuFeature(flags, feature))
      features += std::string(" ") + feature;
  return llvm::formatv("{0}, {1} cores,{2}", llvm::sys::getHostCPUName(),
                       std::thread::hardware_concurrency(),
                       features.empty() ? " no vectors" : features);
}

std::optional<std::string> probeOneDnn() {
  auto version = pcc::runtime::oneDnnVersion();
  return version ? std::optional(*version) : std::nullopt;
}

/// Identifies the MPI that the plug-in was built for.
std::optional<std::string> probeMpi() {
  auto library = pcc::runtime::mpi::openLibrary();
  if (!library)
    return std::nullopt;
  char text[256];
  (*library)->identify(text, sizeof text);
  return text;
}

/// Returns the version of the driver, then a line for each GPU.
std::optional<std::string> probeCuda() {
  auto lines = pcc::runtime::cuda::describeDriver();
  if (!lines)
    return std::nullopt;
  return llvm::join(*lines, "\n" + std::string(detailColumn, ' '));
}

/// Returns the version of cuBLASLt, the matmul library.
std::optional<std::string> probeCublasLt() {
  auto version = pcc::runtime::cuda::lt::describe();
  return version ? std::optional(*version) : std::nullopt;
}

/// Returns the version of cuDNN, the library of convolutions and attention.
std::optional<std::string> probeCudnn() {
  auto version = pcc::runtime::cuda::dnn::cudnnVersion();
  return version ? std::optional(*version) : std::nullopt;
}

std::optional<std::string> probeNccl() {
  auto version = pcc::runtime::nccl::describeNccl();
  return version ? std::optional(*version) : std::nullopt;
}

llvm::SmallVector<Finding> findAll() {
  return {
      {"cpu", true, describeCpu(), ""},
      {"llvm", true, LLVM_VERSION_STRING, ""},
      {"linker", true, probeProgram({"ld.lld-22", "ld.lld"}), "apt-get install lld-22"},
      {"onednn", true, probeOneDnn(), "apt-get install libdnnl2"},
      {"cuda driver", false, probeCuda(), "install NVIDIA's driver; needs a GPU"},
      {"cuda toolkit", false, probeProgram({"ptxas", "/usr/local/cuda/bin/ptxas"}),
       "install NVIDIA's CUDA toolkit"},
      {"cublaslt", false, probeCublasLt(), "install NVIDIA's CUDA toolkit"},
      {"cudnn", false, probeCudnn(), "install NVIDIA's cuDNN 9"},
      {"nccl", false, probeNccl(), "install NVIDIA's libnccl2"},
      {"mpi", false, probeMpi(),
       "apt-get install openmpi-bin libopenmpi-dev, then build pcc: docs/mpi.md"},
  };
}

class DoctorSubcommand : public Subcommand {
public:
  DoctorSubcommand()
      : Subcommand("doctor", "lists the installed components, and how to install the missing ones"),
        format(command) {}

  ExitCode run() override {
    llvm::SmallVector<Finding> findings = findAll();
    format.isJson() ? printJson(toJson(findings)) : print(findings);
    bool complete = llvm::all_of(
        findings, [](const Finding &f) { return !f.required || f.detail.has_value(); });
    return complete ? Success : Unavailable;
  }

private:
  static void print(llvm::ArrayRef<Finding> findings) {
    for (const Finding &f : findings)
      llvm::outs() << llvm::left_justify(f.name, nameWidth)
                   << llvm::left_justify(f.detail ? "found" : "missing", stateWidth)
                   << (f.detail ? *f.detail : f.cure) << "\n";
  }

  static llvm::json::Value toJson(llvm::ArrayRef<Finding> findings) {
    llvm::json::Array rows;
    for (const Finding &f : findings)
      rows.push_back(llvm::json::Object{{"name", f.name},
                                        {"required", f.required},
                                        {"here", f.detail.has_value()},
                                        {"detail", f.detail.value_or("")},
                                        {"cure", f.cure}});
    return rows;
  }

  FormatFlag format;
};

} // namespace

std::unique_ptr<Subcommand> pcc::cli::makeDoctorSubcommand() {
  return std::make_unique<DoctorSubcommand>();
}
