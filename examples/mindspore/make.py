# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains a small model in MindSpore and writes its checkpoints. Run it in an environment
with MindSpore (made with 2.10):

  python3 make.py FOLDER

"""

import json
import shutil
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn
from mindspore.train import node_strategy_pb2

# Parameter: stage, device matrix, tensor map, step and size of a sharded optimizer.
LAYOUTS = {
    "0.weight": (0, [2], [0, -1], 0, 0),
    "0.bias": (0, [2], [0], 0, 0),
    "2.weight": (1, [2, 1], [-1, 0], 1, -1),
}


def split(value, layout, rank):
    """Returns the slice of a rank of the stage."""
    _, devices, tensor_map, step, size = layout
    coordinates = np.unravel_index(rank, devices)
    for dimension, axis in enumerate(tensor_map):
        if axis >= 0:
            place = len(devices) - 1 - axis
            value = np.split(value, devices[place], dimension)[coordinates[place]]
    if step:
        size = size if size > 0 else int(np.prod(devices)) // step
        value = np.split(value, size, 0)[rank // step % size]
    return value


def layout_of(name):
    for prefix in ("", "moment1.", "moment2."):
        if name.startswith(prefix) and name[len(prefix):] in LAYOUTS:
            return LAYOUTS[name[len(prefix):]]
    return None


def write_strategies(folder, names):
    binary = node_strategy_pb2.ParallelStrategyMap(current_stage=1)
    node = binary.parallel_strategy_item.add(node_name="MatMul-op0")
    node.parallel_strategys.stage = 0
    text = {"current_stage": 1, "parallel_strategy_item": {"MatMul-op1": {"stage": 1, "parallel_strategy": [[1, 1]]}},
            "parallel_layout_item": {}}
    for name in names:
        layout = layout_of(name)
        if not layout:
            continue
        stage, devices, tensor_map, step, size = layout
        if stage == 0:
            item = binary.parallel_layout_item.add(param_name=name).parallel_layouts
            item.dev_matrix.add().dim.extend(devices)
            item.tensor_map.add().dim.extend(tensor_map)
            item.param_split_shape.add()
            item.indices_offset.add()
            item.field, item.opt_weight_shard_step, item.opt_weight_shard_size = 0, step, size
        else:
            text["parallel_layout_item"][name] = {
                "dev_matrix": devices, "tensor_map": tensor_map, "param_split_shape": [], "indices_offset": [],
                "field": 0, "opt_weight_shard_step": step, "opt_weight_shard_size": size}
    (folder / "stage0.ckpt").write_bytes(binary.SerializeToString())
    (folder / "stage1.json").write_text(json.dumps(text))


def stage_of(name):
    return 0 if "0." in name else 1


def write_ranks(folder, values):
    for rank in range(4):
        stage, own = divmod(rank, 2)
        items = []
        for name, value in values.items():
            layout = layout_of(name)
            if name.endswith((".weight", ".bias")) and stage_of(name) != stage:
                continue
            part = split(value, layout, own) if layout else value
            items.append({"name": name, "data": Parameter(Tensor(part), name=name)})
        (folder / f"ranks/rank_{rank}").mkdir(parents=True)
        ms.save_checkpoint(items, str(folder / f"ranks/rank_{rank}/net-1_3.ckpt"), append_dict={"epoch_num": 1, "step_num": 3})


OPTIMIZERS = {
    "momentum": lambda parameters: nn.Momentum(parameters, learning_rate=0.01, momentum=0.9),
    "sgd-momentum": lambda parameters: nn.SGD(parameters, learning_rate=0.01, momentum=0.9),
    "sgd": lambda parameters: nn.SGD(parameters, learning_rate=0.01),
    "adagrad": lambda parameters: nn.Adagrad(parameters, learning_rate=0.01),
    "adam-weight-decay": lambda parameters: nn.AdamWeightDecay(parameters, learning_rate=0.01),
}


def write_optimizers(folder, x, y):
    """Writes a checkpoint of each optimizer after three steps, and the losses of steps 4 to 6."""
    folder.mkdir()
    lines = []
    for name, make in OPTIMIZERS.items():
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 4))
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), make(net.trainable_params()))
        for _ in range(3):
            step(Tensor(x), Tensor(y))
        ms.save_checkpoint(step, str(folder / f"{name}.ckpt"), append_dict={"step_num": 3})
        losses = [float(step(Tensor(x), Tensor(y)).asnumpy()) for _ in range(3)]
        lines += [f"{name}: {loss:.6g}\n" for loss in losses]
    (folder / "losses.txt").write_text("".join(lines))


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ms.set_seed(1)
    random = np.random.default_rng(1)
    x = random.standard_normal((8, 6)).astype(np.float32)
    y = random.standard_normal((8, 4)).astype(np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 4))
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01, eps=1e-8)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    for _ in range(3):
        step(Tensor(x), Tensor(y))
    ms.export(net, Tensor(x), file_name=str(folder / "model"), file_format="ONNX")
    whole = str(folder / "whole.ckpt")
    ms.save_checkpoint(step, whole, append_dict={"epoch_num": 1, "step_num": 3, "note": "small"}, crc_check=True)
    values = {name: value.asnumpy() for name, value in ms.load_checkpoint(whole).items() if hasattr(value, "asnumpy")}
    values = {name: value for name, value in values.items() if name not in ("epoch_num", "step_num")}
    write_ranks(folder, values)
    write_strategies(folder, values)
    losses = [float(step(Tensor(x), Tensor(y)).asnumpy()) for _ in range(3)]
    (folder / "losses.txt").write_text("".join(f"step: {i + 4}, loss is {loss:.6g}\n" for i, loss in enumerate(losses)))
    write_optimizers(folder / "optimizers", x, y)
    for path in folder.rglob("*.ckpt"):
        path.chmod(0o644)


main(Path(sys.argv[1]))
