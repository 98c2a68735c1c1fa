# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py in jax: the GPT on 1 or 8 devices of the host, data parallel, or all on a GPU."""

import os

import common

options = common.arguments()
if options.gpu:
    os.environ["JAX_PLATFORMS"] = "cuda"  # fail without a GPU: by default jax would take the host
else:
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
    os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax_networks
import models
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()[:options.devices]), ("dp",))
whole, rows = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("dp"))


def make(timed):
    """(a function that does one step, one that waits for it)"""
    network = jax_networks.NETWORKS[timed.model](timed.sizes)
    random = np.random.default_rng(0)
    element = jnp.bfloat16 if timed.type == "bf16" else jnp.float32

    def put(value, where):
        value = jax.device_put(value, where)
        return value.astype(element) if value.dtype == jnp.float32 else value

    parameters = jax.tree.map(lambda value: put(value, whole), network.parameters(random))
    state = [parameters, jax.tree.map(jnp.zeros_like, parameters), None]
    inputs, labels = (put(value, rows) for value in network.batch(random))

    def train(parameters, velocities, inputs, labels):
        value, gradients = jax.value_and_grad(network.loss)(parameters, inputs, labels)
        velocities = jax.tree.map(lambda v, g: models.MOMENTUM * v + g, velocities, gradients)
        return jax.tree.map(lambda p, v: p - models.RATE * v, parameters, velocities), velocities, value

    train = jax.jit(train, donate_argnums=(0, 1))
    precision = "tensorfloat32" if timed.type == "tf32" else None

    def step():
        with jax.default_matmul_precision(precision):
            state[:] = train(state[0], state[1], inputs, labels)

    return step, lambda: jax.block_until_ready(state)


results = []
for timed in common.chosen_models(options):
    if timed.model == "resnet" and not options.gpu:
        continue  # the host's table has only the GPT
    step, wait = make(timed)
    compile_seconds = common.first_call(step, wait)
    results.append({"who": f"jax {jax.__version__}", "model": timed.name, "devices": options.devices,
                    "compile_s": compile_seconds,
                    **common.measure(step, timed.steps_of(options.quick), wait, together=5 if options.gpu else 1)})
common.print_rows(results)
