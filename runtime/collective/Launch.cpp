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

/// The first name of a list of Slurm's: "node3" of "node[3-6,9],other".
std::string firstNode(const std::string &list) {
  size_t bracket = list.find_first_of("[,");
  std::string name = list.substr(0, bracket);
  if (bracket == std::string::npos || list[bracket] == ',')
    return name;
  size_t end = list.find_first_of("-,]", bracket);
  return name + list.substr(bracket + 1, end - bracket - 1);
}

/// Where process 0 can be reached.
Status readStore(const Environment &environment, Launch &launch) {
  const char *host = environment("MASTER_ADDR"), *nodes = environment("SLURM_STEP_NODELIST");
  if (host)
    launch.storeHost = host;
  else if (launch.localProcesses == launch.processes)
    launch.storeHost = "127.0.0.1";
  else if (nodes)
    launch.storeHost = firstNode(nodes);
  launch.storePort = 29500;
  if (Status status = readNumber(environment, "MASTER_PORT", launch.storePort); !status.ok())
    return status;
  const char *isTaken = environment("TORCHELASTIC_USE_AGENT_STORE");
  if (isTaken && std::string_view(isTaken) == "True")
    ++launch.storePort;
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
  if (Status status = readStore(environment, launch); !status.ok())
    return status;
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
