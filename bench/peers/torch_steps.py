# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps in torch: eager, or as one function that torch.compile takes whole."""

import torch
import torch.nn.functional as F


def eager_step(network, inputs, labels, optimizer):
    """Returns a function that does one step."""

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(network(inputs).float(), labels).backward()
        optimizer.step()

    return step


def compiled_step(network, inputs, labels, rate, momentum=0.0):
    """Returns a function that does one step, compiled without a break: forward and backward pass and the update. Running
    statistics of batch norms are left out, as in jax."""
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.track_running_stats = False
            module.running_mean = module.running_var = module.num_batches_tracked = None
    parameters, buffers = dict(network.named_parameters()), dict(network.named_buffers())
    velocities = {name: torch.zeros_like(parameter) for name, parameter in parameters.items()} if momentum else {}

    def loss(values):
        return F.cross_entropy(torch.func.functional_call(network, (values, buffers), (inputs,)).float(), labels)

    def step():
        with torch.no_grad():
            for name, gradient in torch.func.grad(loss)(parameters).items():
                update = velocities[name].mul_(momentum).add_(gradient) if momentum else gradient
                parameters[name].sub_(update, alpha=rate)

    return torch.compile(step, fullgraph=True)
