// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of how many processes this one is, by the environment; where ranks lie on processes.

#include "runtime/collective/Launch.h"
#include "runtime/collective/World.h"

#include <gtest/gtest.h>

#include <map>

namespace pcc::test {
namespace {

using namespace runtime;

Expected<Launch> launchOf(const std::map<std::string, std::string> &variables) {
  return readLaunch([&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
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

void expectStore(const std::map<std::string, std::string> &variables, const std::string &host,
                 int port) {
  Expected<Launch> launch = launchOf(variables);
  ASSERT_TRUE(bool(launch)) << launch.status().message();
  EXPECT_EQ(launch->storeHost, host);
  EXPECT_EQ(launch->storePort, port);
}

// Where process 0 is: said, on the only machine, on the first node; nobody knows.
TEST(Launch, WhereTheStoreIs) {
  std::map<std::string, std::string> torchrun = {{"RANK", "1"},
                                                 {"WORLD_SIZE", "4"},
                                                 {"LOCAL_RANK", "1"},
                                                 {"LOCAL_WORLD_SIZE", "2"},
                                                 {"MASTER_ADDR", "node0"},
                                                 {"MASTER_PORT", "1234"}};
  expectStore(torchrun, "node0", 1234);
  torchrun["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  expectStore(torchrun, "node0", 1235);
  std::map<std::string, std::string> mpirun = {{"OMPI_COMM_WORLD_RANK", "1"},
                                               {"OMPI_COMM_WORLD_SIZE", "4"},
                                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}};
  expectStore(mpirun, "127.0.0.1", 29500);
  mpirun["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  expectStore(mpirun, "", 29500);
  for (const auto &[nodes, first] : std::map<std::string, std::string>{
           {"a", "a"}, {"a7,b8", "a7"}, {"node[003-006,9],x", "node003"}, {"n[5,7]", "n5"}})
    expectStore({{"SLURM_PROCID", "6"},
                 {"SLURM_NTASKS", "7"},
                 {"SLURM_LOCALID", "2"},
                 {"SLURM_STEP_TASKS_PER_NODE", "4,3"},
                 {"SLURM_STEP_NODELIST", nodes}},
                first, 29500);
}

TEST(Launch, Errors) {
  EXPECT_EQ(launchOf({{"RANK", "first"}, {"WORLD_SIZE", "4"}}).status().message(),
            "the environment's 'RANK': expected a number from 0 on, got 'first'");
  EXPECT_EQ(launchOf({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).status().message(),
            "the environment's 'RANK': expected a number below 4, which is 'WORLD_SIZE', got 4");
}

// Every rank is on the process whose block holds it, for all small numbers of both.
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
