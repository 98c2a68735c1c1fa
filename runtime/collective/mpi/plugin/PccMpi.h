/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The functions of MPI that pcc uses, as a table of C functions. The plug-in libpcc-mpi.so
 * provides the table, compiled against the machine's MPI. pcc itself opens the plug-in by name and
 * depends on nothing else of MPI. For another MPI only the plug-in must be recompiled.
 *
 * One thread makes all calls. Functions that return int return 0 or an error code of MPI. Counts
 * are in elements of `width` bytes: 1, 2, 4 or 8.
 */

#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PCC_MPI_VERSION 2

/* A communicator, and a started call. A request ends when `test` finds it done. */
typedef uint64_t PccMpiGroup;
typedef uint64_t PccMpiRequest;

/* Reductions that MPI supports. */
enum { PCC_MPI_SUM, PCC_MPI_MAX, PCC_MPI_MIN, PCC_MPI_PROD };
enum { PCC_MPI_F32, PCC_MPI_I8, PCC_MPI_I32, PCC_MPI_I64, PCC_MPI_BOOL };

typedef struct {
  const void *data;
  const int32_t *counts;  /* by process */
  const int32_t *offsets; /* by process, in elements */
} PccMpiParts;

typedef struct PccMpi {
  int32_t version;

  /* Starts MPI for calls of the calling thread only. Sets `enough` to 0 if MPI provides less. */
  int (*begin)(int32_t *process, int32_t *processes, int32_t *enough);
  int (*end)(void);
  void (*describe)(int code, char *text, int32_t capacity);
  /* Writes one line that identifies the MPI library. */
  void (*identify)(char *text, int32_t capacity);

  PccMpiGroup (*world)(void);
  /* Creates a communicator of processes of the world, in the given order; all of them call it. */
  int (*make)(const int32_t *processes, int32_t count, int32_t tag, PccMpiGroup *group);
  int32_t (*max_tag)(void);

  int (*send)(const void *data, int32_t count, int32_t width, int32_t peer, int32_t tag,
              PccMpiGroup group, PccMpiRequest *request);
  int (*receive)(void *data, int32_t count, int32_t width, int32_t peer, int32_t tag,
                 PccMpiGroup group, PccMpiRequest *request);
  /* Returns whether a message with the tag has arrived, its source, and its bytes. */
  int (*probe)(int32_t tag, PccMpiGroup group, int32_t *found, int32_t *source, int64_t *bytes);

  int (*barrier)(PccMpiGroup group, PccMpiRequest *request);
  int (*broadcast)(void *data, int32_t count, int32_t width, int32_t root, PccMpiGroup group,
                   PccMpiRequest *request);
  /* If `data` is null, the own part is already in place. */
  int (*all_gather)(const void *data, int32_t count, void *target, const int32_t *counts,
                    const int32_t *offsets, int32_t width, PccMpiGroup group,
                    PccMpiRequest *request);
  int (*gather)(const void *data, int32_t count, void *target, const int32_t *counts,
                const int32_t *offsets, int32_t width, int32_t root, PccMpiGroup group,
                PccMpiRequest *request);
  int (*all_to_all)(const PccMpiParts *source, void *target, const int32_t *counts,
                    const int32_t *offsets, int32_t width, PccMpiGroup group,
                    PccMpiRequest *request);
  /* Reduces in place, in an order that MPI chooses. */
  int (*all_reduce)(void *data, int32_t count, int32_t type, int32_t reduction, PccMpiGroup group,
                    PccMpiRequest *request);

  /* Returns whether a request is done, and for a receive the number of bytes. */
  int (*test)(PccMpiRequest *request, int32_t *done, int64_t *bytes);
} PccMpi;

/* The only symbol of the plug-in. */
const PccMpi *pcc_mpi(void);

#ifdef __cplusplus
}
#endif
