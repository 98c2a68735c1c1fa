// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/supervise/ProcessGroup.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pcc::test {
namespace {

using runtime::StuckLauncher;

constexpr int64_t second = 1000000000;

/// A process with a child that has ended, and one that lives if `keepsOne`. It waits for neither.
class Parent {
public:
  explicit Parent(bool keepsOne) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    pid = fork();
    if (pid == 0)
      run(keepsOne, ready[1]);
    close(ready[1]);
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
  }
  ~Parent() {
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  pid_t pid;

private:
  [[noreturn]] static void run(bool keepsOne, int ready) {
    setpgid(0, 0);
    pid_t ended = fork();
    if (ended == 0)
      _exit(1);
    siginfo_t info;
    waitid(P_PID, id_t(ended), &info, WEXITED | WNOWAIT); // it stays, in state Z
    if (keepsOne && fork() == 0)
      while (true)
        pause();
    (void)!write(ready, "r", 1);
    while (true)
      pause();
  }
};

TEST(StuckLauncher, HasOnlyChildrenThatHaveEnded) {
  Parent stuck(/*keepsOne=*/false), working(/*keepsOne=*/true);
  StuckLauncher launcher("/usr/bin/mpirun"), other("mpiexec");
  EXPECT_TRUE(launcher.isLauncher());
  EXPECT_FALSE(launcher.isStuck(stuck.pid, 5 * second));
  EXPECT_FALSE(launcher.isStuck(stuck.pid, 14 * second));
  EXPECT_TRUE(launcher.isStuck(stuck.pid, 15 * second));
  EXPECT_FALSE(launcher.isStuck(stuck.pid, 16 * second)); // counts anew
  EXPECT_FALSE(other.isStuck(working.pid, 0));
  EXPECT_FALSE(other.isStuck(working.pid, 100 * second));
  EXPECT_FALSE(other.isStuck(getpid(), 100 * second)); // its children live
}

TEST(StuckLauncher, OtherProgramsMayLeaveEndedChildren) {
  Parent parent(/*keepsOne=*/false);
  StuckLauncher launcher("python3");
  EXPECT_FALSE(launcher.isLauncher());
  EXPECT_FALSE(launcher.isStuck(parent.pid, 0));
  EXPECT_FALSE(launcher.isStuck(parent.pid, 100 * second));
}

} // namespace
} // namespace pcc::test
