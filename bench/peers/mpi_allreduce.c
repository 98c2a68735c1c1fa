// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures an all-reduce of f32 by MPI's own library: seconds for each given number of bytes, the
// best of five rounds of 20 ms, on the slowest process.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double secondsOf(const float *source, float *target, int count, int repeats) {
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int i = 0; i < repeats; ++i)
    MPI_Allreduce(source, target, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  double own = (MPI_Wtime() - begin) / repeats, slowest;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int a = 1; a < argc; ++a) {
    long bytes = atol(argv[a]);
    int count = (int)(bytes / sizeof(float));
    float *source = calloc(count, sizeof(float)), *target = calloc(count, sizeof(float));
    secondsOf(source, target, count, 1);
    double warm = secondsOf(source, target, count, 1), best = 1e9;
    int repeats = warm > 0.02 ? 1 : warm < 2e-6 ? 10000 : (int)(0.02 / warm);
    for (int round = 0; round < 5; ++round) {
      double seconds = secondsOf(source, target, count, repeats);
      best = seconds < best ? seconds : best;
    }
    if (rank == 0)
      printf("%ld %.9f\n", bytes, best);
    free(source);
    free(target);
  }
  MPI_Finalize();
  return 0;
}
