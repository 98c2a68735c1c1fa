// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the environment by a table with one row per launcher, in order of precedence. The first row
// whose process number and process count are both set is used. Of Slurm's node list only the first
// name is read.

#include "runtime/collective/Launch.h"

#include <charconv>
#include <cstring>

namespace pcc::runtime {
namespace {

/// The variables of one convention. The variables about the machine may be missing.
struct Convention {
  const char *launcher;
  const char *process, *processes, *localProcess, *localProcesses;
};

constexpr const char *agentStore = "TORCHELASTIC_USE_AGENT_STORE", *masterHost = "MASTER_ADDR",
                     *masterPort = "MASTER_PORT", *loopback = "127.0.0.1";
constexpr std::string_view ownLauncher = "torchrun";

// Slurm gives the tasks per machine as a list, "4(x2),3". Only its first number is read; machines
// with fewer tasks only get fewer threads. Only srun sets SLURM_PROCID, while SLURM_NTASKS is also
// set in batch scripts.
constexpr Convention conventions[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"},
};

/// Reads the number at the start of a variable.
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

/// Returns the first name of a Slurm node list: "node3" of "node[3-6,9],other".
std::string firstNode(const std::string &list) {
  size_t bracket = list.find_first_of("[,");
  std::string name = list.substr(0, bracket);
  if (bracket == std::string::npos || list[bracket] == ',')
    return name;
  size_t end = list.find_first_of("-,]", bracket);
  return name + list.substr(bracket + 1, end - bracket - 1);
}

/// Returns the host of process 0; empty: unknown.
std::string readStoreHost(const Environment &environment, const Launch &launch) {
  const char *host = environment(masterHost), *nodes = environment("SLURM_STEP_NODELIST");
  if (host)
    return host;
  if (launch.localProcesses == launch.processes)
    return loopback;
  return nodes ? firstNode(nodes) : "";
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
  launch.storeHost = readStoreHost(environment, launch);
  return launch;
}

} // namespace

Expected<Launch> readLaunch(const Environment &environment) {
  for (const Convention &names : conventions)
    if (environment(names.process) && environment(names.processes))
      return readConvention(names, environment);
  return Launch();
}

Expected<int> readStorePort(const Environment &environment) {
  constexpr int ofTorchrun = 29500, last = 65535;
  const char *agent = environment(agentStore);
  int isTaken = agent && std::string_view(agent) == "True" ? 1 : 0;
  const char *text = environment(masterPort);
  if (!text)
    return ofTorchrun + isTaken;
  const char *textEnd = text + std::strlen(text);
  int port = 0;
  auto [end, error] = std::from_chars(text, textEnd, port);
  if (error != std::errc() || end != textEnd || port < 1 || port > last - isTaken)
    return Status::badUsage(fmt::format(
        "the environment's 'MASTER_PORT': expected a port from 1 to {}{}, got '{}'", last - isTaken,
        isTaken ? ", since torchrun has a store at it and ours is at the next one" : "", text));
  return port + isTaken;
}

static const char *ownVariable(const char *name) { return std::getenv(name); }

Expected<Launch> readLaunch() { return readLaunch(ownVariable); }
Expected<int> readStorePort() { return readStorePort(ownVariable); }

std::vector<std::pair<std::string, std::optional<std::string>>>
variablesOfLocalProcess(int process, int processes, int port) {
  std::string number = std::to_string(process), all = std::to_string(processes);
  std::vector<std::pair<std::string, std::optional<std::string>>> variables = {
      {masterHost, loopback}, {masterPort, std::to_string(port)}, {agentStore, std::nullopt}};
  for (const Convention &names : conventions) {
    bool isOwn = names.launcher == ownLauncher;
    for (const char *name : {names.process, names.localProcess})
      variables.emplace_back(name, isOwn ? std::optional(number) : std::nullopt);
    for (const char *name : {names.processes, names.localProcesses})
      variables.emplace_back(name, isOwn ? std::optional(all) : std::nullopt);
  }
  return variables;
}

} // namespace pcc::runtime
