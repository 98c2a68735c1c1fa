# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step in torch on one device: eager, and compiled whole by torch.compile."""

import common
import torch
import torch_steps

options = common.arguments()


def make(batch, compiled):
    """A function that does one step."""
    torch.manual_seed(0)
    layers = []
    for m, n in zip(common.SIZES, common.SIZES[1:]):
        layers += [torch.nn.Linear(m, n), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    images, labels = torch.rand(batch, 784), torch.randint(0, 10, (batch,))
    if compiled:
        return torch_steps.compiled_step(model, images, labels, common.RATE)
    return torch_steps.eager_step(model, images, labels, torch.optim.SGD(model.parameters(), lr=common.RATE))


results = []
for compiled in (False, True):
    for batch in common.BATCHES:
        step = make(batch, compiled)
        compile_seconds = common.first_call(step)
        name = f"torch {torch.__version__.split('+')[0]}" + (" compiled" if compiled else "")
        results.append({"who": name, "devices": 1, "batch": batch, "compile_s": compile_seconds,
                        **common.measure(step, common.steps_of(batch, options.quick))})
common.print_rows(results)
