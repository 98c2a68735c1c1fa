/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Implements the table of PccMpi.h with the MPI that this file is compiled against. */

#include "runtime/collective/mpi/plugin/PccMpi.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(MPI_Comm) <= sizeof(PccMpiGroup), "a communicator does not fit its handle");
_Static_assert(sizeof(MPI_Request) <= sizeof(PccMpiRequest), "a request does not fit its handle");

static MPI_Comm comm_of(PccMpiGroup group) {
  MPI_Comm comm;
  memcpy(&comm, &group, sizeof comm);
  return comm;
}

static PccMpiGroup group_of(MPI_Comm comm) {
  PccMpiGroup group = 0;
  memcpy(&group, &comm, sizeof comm);
  return group;
}

static int started(int code, MPI_Request from, PccMpiRequest *request) {
  *request = 0;
  memcpy(request, &from, sizeof from);
  return code;
}

static MPI_Datatype unit(int32_t width) {
  switch (width) {
  case 2:
    return MPI_UINT16_T;
  case 4:
    return MPI_UINT32_T;
  case 8:
    return MPI_UINT64_T;
  default:
    return MPI_BYTE;
  }
}

/* Makes communicators return error codes; by default MPI would end the process. */
static int begin(int32_t *process, int32_t *processes, int32_t *enough) {
  int level = MPI_THREAD_SINGLE, rank = 0, size = 0;
  int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_size(MPI_COMM_WORLD, &size);
  *process = rank;
  *processes = size;
  *enough = level >= MPI_THREAD_FUNNELED;
  return code;
}

static int end(void) { return MPI_Finalize(); }

static void describe(int code, char *text, int32_t capacity) {
  char whole[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, whole, &length);
  snprintf(text, (size_t)capacity, "%s", whole);
}

static void identify(char *text, int32_t capacity) {
  char whole[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  MPI_Get_library_version(whole, &length);
  whole[strcspn(whole, ",\n")] = '\0';
  snprintf(text, (size_t)capacity, "%s", whole);
}

static PccMpiGroup world(void) { return group_of(MPI_COMM_WORLD); }

static int make(const int32_t *processes, int32_t count, int32_t tag, PccMpiGroup *group) {
  MPI_Group all, some;
  MPI_Comm comm = MPI_COMM_NULL;
  int code = MPI_Comm_group(MPI_COMM_WORLD, &all);
  if (code != MPI_SUCCESS)
    return code;
  code = MPI_Group_incl(all, count, processes, &some);
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(MPI_COMM_WORLD, some, tag, &comm);
    MPI_Group_free(&some);
  }
  MPI_Group_free(&all);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  *group = group_of(comm);
  return code;
}

static int32_t max_tag(void) {
  int *value = NULL, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  return found ? *value : 32767; /* the minimum that the standard guarantees */
}

static int send(const void *data, int32_t count, int32_t width, int32_t peer, int32_t tag,
                PccMpiGroup group, PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Isend(data, count, unit(width), peer, tag, comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int receive(void *data, int32_t count, int32_t width, int32_t peer, int32_t tag,
                   PccMpiGroup group, PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Irecv(data, count, unit(width), peer, tag, comm_of(group), &started_request);
  return started(code, started_request, request);
}

/* Reads the bytes of a message. MPI_Get_count would count them in an int, which ends at 2 GiB. */
static int bytes_of(const MPI_Status *status, int64_t *bytes) {
  MPI_Count count = 0;
  int code = MPI_Get_elements_x(status, MPI_BYTE, &count);
  *bytes = count;
  return code;
}

static int probe(int32_t tag, PccMpiGroup group, int32_t *found, int32_t *source, int64_t *bytes) {
  MPI_Status status;
  int flag = 0;
  *bytes = 0;
  int code = MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_of(group), &flag, &status);
  if (code == MPI_SUCCESS && flag) {
    code = bytes_of(&status, bytes);
    *source = status.MPI_SOURCE;
  }
  *found = flag;
  return code;
}

static int barrier(PccMpiGroup group, PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Ibarrier(comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int broadcast(void *data, int32_t count, int32_t width, int32_t root, PccMpiGroup group,
                     PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Ibcast(data, count, unit(width), root, comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int all_gather(const void *data, int32_t count, void *target, const int32_t *counts,
                      const int32_t *offsets, int32_t width, PccMpiGroup group,
                      PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Iallgatherv(data ? data : MPI_IN_PLACE, count, unit(width), target, counts,
                             offsets, unit(width), comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int gather(const void *data, int32_t count, void *target, const int32_t *counts,
                  const int32_t *offsets, int32_t width, int32_t root, PccMpiGroup group,
                  PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Igatherv(data, count, unit(width), target, counts, offsets, unit(width), root,
                          comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int all_to_all(const PccMpiParts *source, void *target, const int32_t *counts,
                      const int32_t *offsets, int32_t width, PccMpiGroup group,
                      PccMpiRequest *request) {
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code = MPI_Ialltoallv(source->data, source->counts, source->offsets, unit(width), target,
                            counts, offsets, unit(width), comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int all_reduce(void *data, int32_t count, int32_t type, int32_t reduction, PccMpiGroup group,
                      PccMpiRequest *request) {
  const MPI_Datatype types[] = {MPI_FLOAT, MPI_INT8_T, MPI_INT32_T, MPI_INT64_T, MPI_C_BOOL};
  const MPI_Op numbers[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
  const MPI_Op truths[] = {MPI_LOR, MPI_LOR, MPI_LAND, MPI_LAND};
  MPI_Op op = type == PCC_MPI_BOOL ? truths[reduction] : numbers[reduction];
  MPI_Request started_request = MPI_REQUEST_NULL;
  int code =
      MPI_Iallreduce(MPI_IN_PLACE, data, count, types[type], op, comm_of(group), &started_request);
  return started(code, started_request, request);
}

static int test(PccMpiRequest *request, int32_t *done, int64_t *bytes) {
  MPI_Request tested;
  MPI_Status status;
  int flag = 0;
  *bytes = 0;
  memcpy(&tested, request, sizeof tested);
  int code = MPI_Test(&tested, &flag, &status);
  if (code == MPI_SUCCESS && flag)
    code = bytes_of(&status, bytes);
  *done = flag;
  return started(code, tested, request);
}

const PccMpi *pcc_mpi(void) {
  static const PccMpi table = {
      .version = PCC_MPI_VERSION,
      .begin = begin,
      .end = end,
      .describe = describe,
      .identify = identify,
      .world = world,
      .make = make,
      .max_tag = max_tag,
      .send = send,
      .receive = receive,
      .probe = probe,
      .barrier = barrier,
      .broadcast = broadcast,
      .all_gather = all_gather,
      .gather = gather,
      .all_to_all = all_to_all,
      .all_reduce = all_reduce,
      .test = test,
  };
  return &table;
}
