# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The step in jax on 1 or 8 host devices, data parallel; every step is waited for."""

import functools
import os

import common

options = common.arguments()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

mesh = Mesh(np.array(jax.devices()), ("dp",))
whole, rows = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("dp"))


def loss(parameters, images, labels):
    x = images
    for i, (weight, bias) in enumerate(parameters):
        x = x @ weight + bias
        x = jax.nn.relu(x) if i + 1 < len(parameters) else x
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()


@functools.partial(jax.jit, donate_argnums=0)
def train(parameters, images, labels):
    value, gradients = jax.value_and_grad(loss)(parameters, images, labels)
    return jax.tree.map(lambda p, g: p - common.RATE * g, parameters, gradients), value


def make(batch):
    """The state of a run, and a function that does one step of it."""
    random = np.random.default_rng(0)
    parameters = [(random.normal(0, 0.05, (m, n)).astype(np.float32), np.zeros(n, np.float32))
                  for m, n in zip(common.SIZES, common.SIZES[1:])]
    state = {"parameters": jax.device_put(parameters, whole)}
    images = jax.device_put(random.random((batch, 784), np.float32), rows)
    labels = jax.device_put(random.integers(0, 10, batch).astype(np.int32), rows)

    def step():
        state["parameters"], value = train(state["parameters"], images, labels)
        jax.block_until_ready((state["parameters"], value))

    return step


results = []
for batch in common.BATCHES:
    step = make(batch)
    compile_seconds = common.first_call(step)
    results.append({"who": f"jax {jax.__version__}", "devices": options.devices, "batch": batch,
                    "compile_s": compile_seconds, **common.measure(step, common.steps_of(batch, options.quick))})
common.print_rows(results)
