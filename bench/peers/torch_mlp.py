# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step in torch on one device: eager, and compiled by torch.compile."""

import common
import torch

options = common.arguments()


def make(batch, compiled):
    """A function that does one step."""
    torch.manual_seed(0)
    layers = []
    for m, n in zip(common.SIZES, common.SIZES[1:]):
        layers += [torch.nn.Linear(m, n), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    optimizer = torch.optim.SGD(model.parameters(), lr=common.RATE)
    images, labels = torch.rand(batch, 784), torch.randint(0, 10, (batch,))

    network = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(network(images), labels).backward()
        optimizer.step()

    return step


results = []
for compiled in (False, True):
    for batch in common.BATCHES:
        step = make(batch, compiled)
        compile_seconds = common.first_call(step)
        name = f"torch {torch.__version__.split('+')[0]}" + (" compiled" if compiled else "")
        results.append({"who": name, "devices": 1, "batch": batch, "compile_s": compile_seconds,
                        **common.measure(step, common.steps_of(batch, options.quick))})
common.print_rows(results)
