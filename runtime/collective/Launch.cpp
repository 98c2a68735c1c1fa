// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/collective/Launch.h"

#include <charconv>
#include <cstring>

namespace pcc::runtime {
namespace {

/// The variables of one convention. Those of the machine may be missing.
struct Convention {
  const char *launcher;
  const char *process, *processes, *localProcess, *localProcesses;
};

// Slurm says how many tasks a machine has as a list, "4(x2),3": its first number is read, for
// machines with fewer only get fewer threads by it. SLURM_PROCID is set by srun alone, while
// SLURM_NTASKS is there in a batch script, too.
constexpr Convention conventions[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

/// The number with which a variable begins.
Status readNumber(const Environment &environment, const char *name, int &number) {
  const char *text = environment(name);
  if (!text)
    return {};
  const char *textEnd = text + std::strlen(text);
  auto [end, error] = std::from_chars(text, textEnd, number);
  bool isList = end != textEnd && (*end == '(' || *end == ',');
  if (error != std::errc() || number < 0 || (end != textEnd && !isList))
    return Status::badUsage(
        fmt::format("the environment's '{}': expected a number from 0 on, got '{}'", name, text));
  return {};
}

Expected<Launch> readConvention(const Convention &names, const Environment &environment) {
  Launch launch{.launcher = names.launcher};
  const std::pair<const char *, int *> fields[] = {{names.process, &launch.process},
                                                   {names.processes, &launch.processes},
                                                   {names.localProcess, &launch.localProcess},
                                                   {names.localProcesses, &launch.localProcesses}};
  for (auto [name, field] : fields)
    if (Status status = readNumber(environment, name, *field); !status.ok())
      return status;
  if (launch.process >= launch.processes)
    return Status::badUsage(fmt::format("the environment's '{}': expected a number below {}, "
                                        "which is '{}', got {}",
                                        names.process, launch.processes, names.processes,
                                        launch.process));
  launch.localProcesses = std::max(launch.localProcesses, launch.localProcess + 1);
  return launch;
}

} // namespace

Expected<Launch> readLaunch(const Environment &environment) {
  for (const Convention &names : conventions)
    if (environment(names.process) && environment(names.processes))
      return readConvention(names, environment);
  return Launch();
}

Expected<Launch> readLaunch() {
  return readLaunch([](const char *name) -> const char * { return std::getenv(name); });
}

} // namespace pcc::runtime
