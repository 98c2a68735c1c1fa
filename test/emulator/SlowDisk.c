/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A disk that is slow in the first process of a run, by LD_PRELOAD: each fsync, and the first read
 * of each file whose name ends in PCC_TEST_SLOW_FILE, takes PCC_TEST_SLOW_SECONDS longer.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_first_process(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank)
    rank = getenv("RANK");
  return rank && strcmp(rank, "0") == 0;
}

static void dawdle(void) {
  const char *seconds = getenv("PCC_TEST_SLOW_SECONDS");
  if (seconds && is_first_process())
    usleep((useconds_t)(atof(seconds) * 1e6));
}

static int is_slow_file(int file) {
  char link[64], path[4096];
  const char *end = getenv("PCC_TEST_SLOW_FILE");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!end || length < 0 || (size_t)length < strlen(end))
    return 0;
  path[length] = '\0';
  return strcmp(path + length - strlen(end), end) == 0;
}

int fsync(int file) {
  dawdle();
  return (int)syscall(SYS_fsync, file);
}

ssize_t read(int file, void *bytes, size_t count) {
  if (is_slow_file(file) && lseek(file, 0, SEEK_CUR) == 0)
    dawdle();
  return syscall(SYS_read, file, bytes, count);
}
