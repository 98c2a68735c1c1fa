// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PCC_DIALECTS_TASK_TASKOPS_TD
#define PCC_DIALECTS_TASK_TASKOPS_TD

include "dialects/task/TaskCollectives.td"
include "dialects/task/TaskProgram.td"
include "dialects/task/TaskInstructions.td"

#endif // PCC_DIALECTS_TASK_TASKOPS_TD
