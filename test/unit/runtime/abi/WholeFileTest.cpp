// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/abi/files/WholeFile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <pthread.h>
#include <sys/stat.h>
#include <thread>

namespace pcc::abi {
namespace {

/// Interrupts the calls in which `thread` waits, every 10 ms for 200 ms.
void interrupt(std::thread &thread) {
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    pthread_kill(thread.native_handle(), SIGUSR1);
  }
}

// A reader of a pipe waits in open until there is a writer, then in read until there are bytes.
TEST(WholeFile, SignalsDoNotEndAnOpenOrARead) {
  struct sigaction action = {}, before;
  action.sa_handler = [](int) {}; // without SA_RESTART, so that calls end with EINTR
  sigaction(SIGUSR1, &action, &before);
  std::string path = (std::filesystem::path(testing::TempDir()) / "pipe").string();
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Expected<std::string> content = Status::failed("not read");
  std::thread reader([&] { content = readFile(path); });
  interrupt(reader);
  std::FILE *writer = std::fopen(path.c_str(), "w");
  ASSERT_NE(writer, nullptr);
  interrupt(reader);
  std::fputs("all of it", writer);
  std::fclose(writer);
  reader.join();
  sigaction(SIGUSR1, &before, nullptr);
  std::filesystem::remove(path);
  ASSERT_TRUE(content) << content.status().describe();
  EXPECT_EQ(*content, "all of it");
}

// A writer that replaced /dev/null by a file would break the machine.
TEST(WholeFile, DevicesAndPipesStayWhatTheyAre) {
  std::string path = (std::filesystem::path(testing::TempDir()) / "output_pipe").string();
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Expected<std::string> content = Status::failed("not read");
  std::thread reader([&] { content = readFile(path); });
  Status status = writeFile(path, "through the pipe");
  reader.join();
  EXPECT_TRUE(status.ok()) << status.describe();
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  ASSERT_TRUE(content) << content.status().describe();
  EXPECT_EQ(*content, "through the pipe");
  std::filesystem::remove(path);
}

TEST(WholeFile, TheFileOfALinkIsReplaced) {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pcc_link_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "target");
  std::filesystem::create_symlink("target/file", folder / "link");
  ASSERT_TRUE(writeFile(folder / "target" / "file", "old").ok());
  ASSERT_TRUE(writeFile(folder / "link", "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(*readFile(folder / "target" / "file"), "new");
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace pcc::abi
