# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step in torch's DistributedDataParallel over gloo, 8 processes of one thread."""

import os
import tempfile

import common
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS = 8


def worker(rank, quick, store, queue):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=RANKS)
    results = []
    for batch in common.BATCHES:
        torch.manual_seed(0)
        layers = []
        for m, n in zip(common.SIZES, common.SIZES[1:]):
            layers += [torch.nn.Linear(m, n), torch.nn.ReLU()]
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers[:-1]))
        optimizer = torch.optim.SGD(model.parameters(), lr=common.RATE)
        images = torch.rand(batch // RANKS, 784)
        labels = torch.randint(0, 10, (batch // RANKS,))

        def step():
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()

        compile_seconds = common.first_call(step)
        results.append({"who": f"torch {torch.__version__.split('+')[0]} ddp gloo", "devices": RANKS,
                        "batch": batch, "compile_s": compile_seconds, **common.measure(step, common.steps_of(batch, quick))})
    if rank == 0:
        queue.put(results)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    options = common.arguments()
    context = mp.get_context("spawn")
    queue = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        processes = [context.Process(target=worker, args=(rank, options.quick, store, queue)) for rank in range(RANKS)]
        for process in processes:
            process.start()
        results = queue.get()
        for process in processes:
            process.join()
    common.print_rows(results)
