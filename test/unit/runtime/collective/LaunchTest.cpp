// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Process number and count from environment variables, and the placement of ranks on processes.

#include "runtime/collective/Launch.h"
#include "runtime/collective/World.h"

#include <gtest/gtest.h>

#include <map>

namespace pcc::test {
namespace {

using namespace runtime;

Environment environmentOf(const std::map<std::string, std::string> &variables) {
  return [&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

Expected<Launch> launchOf(const std::map<std::string, std::string> &variables) {
  return readLaunch(environmentOf(variables));
}

void expectLaunch(const Expected<Launch> &launch, const Launch &expected) {
  ASSERT_TRUE(bool(launch)) << launch.status().message();
  EXPECT_EQ(launch->launcher, expected.launcher);
  EXPECT_EQ(launch->process, expected.process);
  EXPECT_EQ(launch->processes, expected.processes);
  EXPECT_EQ(launch->localProcess, expected.localProcess);
  EXPECT_EQ(launch->localProcesses, expected.localProcesses);
}

TEST(Launch, NobodyStartedIt) { expectLaunch(launchOf({}), {}); }

TEST(Launch, OpenMpi) {
  expectLaunch(launchOf({{"OMPI_COMM_WORLD_RANK", "5"},
                         {"OMPI_COMM_WORLD_SIZE", "8"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}}),
               {"mpirun", 5, 8, 1, 4});
}

TEST(Launch, Mpich) {
  expectLaunch(launchOf({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), {"mpirun", 1, 2, 0, 1});
}

TEST(Launch, Torchrun) {
  expectLaunch(launchOf({{"RANK", "3"},
                         {"WORLD_SIZE", "4"},
                         {"LOCAL_RANK", "1"},
                         {"LOCAL_WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "node0"}}),
               {"torchrun", 3, 4, 1, 2});
}

// Whoever is started with the variables of a local process reads them back, whatever was set
// before.
TEST(Launch, VariablesOfLocalProcess) {
  std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_RANK", "5"},
                                                  {"OMPI_COMM_WORLD_SIZE", "8"},
                                                  {"PMI_RANK", "1"},
                                                  {"PMI_SIZE", "2"},
                                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                  {"MASTER_ADDR", "node0"}};
  for (const auto &[name, value] : variablesOfLocalProcess(2, 3, 4567)) {
    variables.erase(name);
    if (value)
      variables[name] = *value;
  }
  Expected<Launch> launch = launchOf(variables);
  expectLaunch(launch, {"torchrun", 2, 3, 2, 3});
  EXPECT_EQ(launch->storeHost, "127.0.0.1");
  EXPECT_EQ(*readStorePort(environmentOf(variables)), 4567);
}

TEST(Launch, Slurm) {
  expectLaunch(launchOf({{"SLURM_PROCID", "6"},
                         {"SLURM_NTASKS", "7"},
                         {"SLURM_LOCALID", "2"},
                         {"SLURM_STEP_TASKS_PER_NODE", "4,3"}}),
               {"srun", 6, 7, 2, 4});
  // A batch script outside srun.
  expectLaunch(launchOf({{"SLURM_NTASKS", "7"}}), {});
}

// mpirun in an allocation of Slurm.
TEST(Launch, MpirunCountsBeforeSlurm) {
  expectLaunch(launchOf({{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"SLURM_PROCID", "0"},
                         {"SLURM_NTASKS", "1"}}),
               {"mpirun", 1, 2, 0, 1});
}

// The host of process 0: given explicitly, the only machine, the first node, or unknown.
TEST(Launch, TheHostOfTheStore) {
  std::map<std::string, std::string> mpirun = {{"OMPI_COMM_WORLD_RANK", "1"},
                                               {"OMPI_COMM_WORLD_SIZE", "4"},
                                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
  EXPECT_EQ(launchOf(mpirun)->storeHost, "127.0.0.1");
  mpirun["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  EXPECT_EQ(launchOf(mpirun)->storeHost, "");
  mpirun["MASTER_ADDR"] = "node0";
  EXPECT_EQ(launchOf(mpirun)->storeHost, "node0");
  // An invalid port is no error if no store is needed.
  mpirun["MASTER_PORT"] = "tcp://10.0.0.1:80";
  EXPECT_TRUE(bool(launchOf(mpirun)));
  for (const auto &[nodes, first] : std::map<std::string, std::string>{
           {"a", "a"}, {"a7,b8", "a7"}, {"node[003-006,9],x", "node003"}, {"n[5,7]", "n5"}})
    EXPECT_EQ(launchOf({{"SLURM_PROCID", "6"},
                        {"SLURM_NTASKS", "7"},
                        {"SLURM_LOCALID", "2"},
                        {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
                        {"SLURM_STEP_NODELIST", nodes}})
                  ->storeHost,
              first);
}

TEST(Launch, ThePortOfTheStore) {
  auto portOf = [](const std::map<std::string, std::string> &variables) {
    return readStorePort(environmentOf(variables));
  };
  std::map<std::string, std::string> agent = {{"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  EXPECT_EQ(*portOf({}), 29500);
  EXPECT_EQ(*portOf(agent), 29501);
  EXPECT_EQ(*portOf({{"MASTER_PORT", "65535"}}), 65535);
  for (std::string text : {"0", "65536", "x", "", "12x", "-1", "99999999999"})
    EXPECT_EQ(portOf({{"MASTER_PORT", text}}).status().message(),
              "the environment's 'MASTER_PORT': expected a port from 1 to 65535, got '" + text +
                  "'");
  agent["MASTER_PORT"] = "65534";
  EXPECT_EQ(*portOf(agent), 65535);
  agent["MASTER_PORT"] = "65535";
  EXPECT_EQ(portOf(agent).status().message(),
            "the environment's 'MASTER_PORT': expected a port from 1 to 65534, since torchrun has "
            "a store at it and ours is at the next one, got '65535'");
}

TEST(Launch, Errors) {
  EXPECT_EQ(launchOf({{"RANK", "first"}, {"WORLD_SIZE", "4"}}).status().message(),
            "the environment's 'RANK': expected a number from 0 on, got 'first'");
  EXPECT_EQ(launchOf({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).status().message(),
            "the environment's 'RANK': expected a number below 4, which is 'WORLD_SIZE', got 4");
}

// Every rank is on the process whose block holds it, for all small numbers of ranks and processes.
TEST(Placement, BlocksOfRanks) {
  for (int processes = 1; processes <= 9; ++processes)
    for (int ranks = 1; ranks <= 20; ++ranks) {
      Placement placement{ranks, processes};
      int all = 0;
      for (int process = 0; process < processes; ++process) {
        for (int i = 0; i < placement.countOf(process); ++i)
          EXPECT_EQ(placement.processOf(placement.firstOf(process) + i), process);
        all += placement.countOf(process);
      }
      EXPECT_EQ(all, ranks);
    }
}

} // namespace
} // namespace pcc::test
