# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of this folder: tiny modules as torch's exporter stores them, in the text form of onnx.proto.

  export.py FOLDER [NAME…]    (torch 2.15, onnx, onnxscript)

NAME.textproto is exported by default, with the exporter's optimizer, NAME-raw.textproto with optimize=False. Only what the
importer reads is kept.
"""

import copy
import sys
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn

KEPT = ("pkg.torch.onnx.fx_node", "pkg.onnxscript.rewriter.rule_name", "pkg.onnxscript.optimizer.folded_from",
        "pkg.torch.export.ExportedProgram.graph_signature")


class Merged(nn.Module):
    """Two norms have equal scales and biases; a zero bias equals the norms'."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.m = nn.Linear(2, 2), nn.LayerNorm(2), nn.LayerNorm(2)
        nn.init.zeros_(self.a.bias)

    def forward(self, x):
        return self.m(torch.relu(self.n(self.a(x))))


class Dropped(nn.Module):
    """A bias is zero."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
        nn.init.zeros_(self.a.bias)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Token(nn.Module):
    """A class token goes before each row."""

    def __init__(self):
        super().__init__()
        self.cls, self.l = nn.Parameter(torch.tensor([[[0.5, 0.25]]])), nn.Linear(2, 2)

    def forward(self, x):
        return self.l(torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1))[:, 0]


class Scale(nn.Module):
    """Two scalars are trained: one by its exponential, and one that begins at one."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.scale, self.one = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return torch.relu(self.l(x) * self.scale.exp() * self.one)


class One(nn.Module):
    """A scalar begins at one, and everything else is left alone."""

    def __init__(self):
        super().__init__()
        self.l, self.one = nn.Linear(2, 2), nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return torch.relu(self.l(x) * self.one)


class Tied(nn.Module):
    """The embedding is the weight of the last layer."""

    def __init__(self):
        super().__init__()
        self.e, self.h = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
        self.h.weight = self.e.weight

    def forward(self, x):
        return self.h(self.e(x))


class Norm(nn.Module):
    """A batch norm that is folded into no convolution."""

    def __init__(self):
        super().__init__()
        self.n, self.l = nn.BatchNorm1d(2), nn.Linear(2, 2)

    def forward(self, x):
        return self.l(torch.relu(self.n(torch.relu(x))))


class Good(nn.Module):
    """A transposed weight, a layer that nothing reads, a buffer, a dropout."""

    def __init__(self):
        super().__init__()
        self.l, self.unused, self.d = nn.Linear(2, 2), nn.Linear(2, 2), nn.Dropout(0.5)
        self.p = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        self.register_buffer("t", torch.tensor([1.0, 2.0]))

    def forward(self, x):
        return self.d(self.l(x * self.t)) @ self.p


class Heads(nn.Module):
    """A table whose first rows are read; a weight that is reshaped and transposed."""

    def __init__(self):
        super().__init__()
        self.q = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        self.pos = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))

    def forward(self, x):
        return (x + self.pos[:2]) @ self.q.reshape(1, 2, 2).transpose(1, 2)


class Buffers(nn.Module):
    """Two equal lists of integers, which are in the state dict."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.register_buffer("first", torch.tensor([1, 0]))
        self.register_buffer("second", torch.tensor([1, 0]))

    def forward(self, x):
        y = torch.where(x.long() == self.first, self.l(x), x)
        return torch.where(y.long() == self.second, y, -y)


class Detached(nn.Module):
    """A gradient flows through one of two readers of a layer."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        hidden = self.a(x)
        return torch.relu(self.b(hidden.detach())) - hidden


class Copied(nn.Module):
    """A layer and its copy: equal weights, and biases of zeros."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        nn.init.zeros_(self.a.bias)
        self.b = copy.deepcopy(self.a)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


class Twins(nn.Module):
    """Two norms of one value have equal scales and biases."""

    def __init__(self):
        super().__init__()
        self.n, self.m, self.a, self.b = nn.LayerNorm(2), nn.LayerNorm(2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return self.a(self.n(x)) + torch.relu(self.b(self.m(x)))


class Transposed(nn.Module):
    """The module transposes a weight itself. A group norm of channels alone."""

    def __init__(self):
        super().__init__()
        self.w, self.n = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [0.5, 0.25]])), nn.GroupNorm(2, 4)

    def forward(self, x):
        return self.n(x @ self.w.T)


class Equal(nn.Module):
    """The module transposes two equal weights itself."""

    def __init__(self):
        super().__init__()
        self.v, self.w = (nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]])) for _ in range(2))

    def forward(self, x):
        return torch.relu(x @ self.v.T) @ self.w.T


class Edges(nn.Module):
    """A buffer of integers says where values are added, two times."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)
        self.register_buffer("target", torch.tensor([2, 0, 2]))

    def add(self, x):
        return torch.zeros_like(x).index_add(1, self.target, x)

    def forward(self, x):
        return self.b(self.add(torch.relu(self.a(self.add(x)))))


class Recurrent(nn.Module):
    """Two layers of an LSTM in both directions, and a GRU."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 1, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(2, 2, batch_first=True)

    def forward(self, x):
        return self.gru(self.lstm(x)[0])[0][:, -1]


class Rnn(nn.Module):
    """Two RNNs, whose first states are zeros. The second one has no biases."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.RNN(2, 2, batch_first=True), nn.RNN(2, 2, batch_first=True, bias=False)

    def forward(self, x):
        return self.b(self.a(x)[0])[0][:, -1]


class Folded(nn.Module):
    """A token before each row, positions of its length, slopes, a scale of the last layer, and matrices of experts."""

    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Parameter(torch.tensor([[[0.5, 0.25]]])), nn.Parameter(torch.randn(1, 2, 2))
        self.slope, self.gamma = nn.PReLU(2, 0.5), nn.Parameter(torch.tensor([0.5, 2.0]))
        self.experts = nn.Parameter(torch.randn(3, 2, 2))

    def forward(self, x):
        y = self.slope(torch.cat([self.token.repeat(x.shape[0], 1, 1), x], 1) + self.position[:, :2])
        chosen = self.experts[(y[:, 1] > 0).long().sum(-1)]
        return (y @ chosen * self.gamma.view(1, 1, 2))[:, 1]


class Part(nn.Module):
    """A weight and a bias that are split, a layer, and a scale that is reshaped."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(4, 2)), nn.Parameter(torch.zeros(4))
        self.l, self.gamma = nn.Linear(2, 2), nn.Parameter(torch.tensor([0.5, 2.0]))

    def forward(self, x):
        (w, v), (b, c) = self.weight.split(2), self.bias.split(2)
        y = torch.relu(nn.functional.linear(x, w, b)) * nn.functional.linear(x, v, c)
        return self.l(y) * self.gamma.view(1, 1, 2)


class Parts(nn.Module):
    """Two parts. All their parameters but the split weights are equal."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Part(), Part()
        self.b.l = copy.deepcopy(self.a.l)

    def forward(self, x):
        return self.b(self.a(x))[:, 0]


class Cross(nn.Module):
    """A weight of which one half multiplies x, the other m."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 2))
        self.l = nn.Linear(2, 2)

    def forward(self, x, m):
        w, v = self.weight.split(2)
        return self.l(nn.functional.linear(x, w) * torch.relu(nn.functional.linear(m, v)))


class Memory(nn.Module):
    """Two equal parts multiply one m."""

    def __init__(self):
        super().__init__()
        self.a = Cross()
        self.b = copy.deepcopy(self.a)

    def forward(self, x):
        return self.b(self.a(-x, x), x)[:, 0]


class Encoder(nn.Module):
    """An embedding that is scaled by one."""

    def __init__(self):
        super().__init__()
        self.embed, self.norm = nn.Embedding(3, 2), nn.LayerNorm(2)

    def forward(self, x):
        return self.norm(self.embed(x) * 1.0)


class Scaled(nn.Module):
    """Three names of one weight, one of a module that is not called, and additions of zero to integers."""

    def __init__(self):
        super().__init__()
        self.shared, self.encoder, self.head = nn.Embedding(3, 2), Encoder(), nn.Linear(2, 3, bias=False)
        self.shared.weight = self.encoder.embed.weight = self.head.weight

    def forward(self, x):
        return self.head(self.encoder(x + 0))


class Queries(nn.Module):
    """A table of queries for each row, which a layer norm reads. A weight that is reshaped, with a bias of zeros."""

    def __init__(self):
        super().__init__()
        self.queries, self.n, self.m = nn.Embedding(3, 2), nn.LayerNorm(2), nn.LayerNorm(2)
        self.weight, self.bias = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.zeros(3))

    def forward(self, x):
        queries = self.n(self.queries.weight.unsqueeze(0).repeat(x.shape[0], 1, 1))
        y = nn.functional.conv1d(x, self.weight.unsqueeze(-1), self.bias)
        return ((queries @ self.m(x).mT).softmax(-1) @ y)[:, 0]


class Ones(nn.Module):
    """A scale of ones, whose view has its own shape."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.scale.view(2)


class Viewed(nn.Module):
    """A scale equals that of a layer norm."""

    def __init__(self):
        super().__init__()
        self.n, self.s = nn.LayerNorm(2), Ones()

    def forward(self, x):
        return self.s(torch.relu(self.n(x)))


class Numbers(nn.Module):
    """A scale and decays are exponentials. Constants of a group norm equal a layer norm's tensors. A weight is computed."""

    def __init__(self):
        super().__init__()
        self.scale, self.decay = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.tensor([-0.5, 0.25]))
        self.n, self.m = nn.GroupNorm(2, 4), nn.LayerNorm(2)
        self.weight, self.bias = nn.Parameter(torch.randn(3, 4, 1)), nn.Parameter(torch.zeros(3))

    def forward(self, x):
        y = nn.functional.conv1d(self.m(self.n(x)), self.weight * x.mean(), self.bias)
        return (torch.exp(-torch.exp(self.decay) * y) * self.scale.exp()).sum(1)


MODELS = {"merged": (Merged, (2, 3, 2)), "dropped": (Dropped, (2, 2)), "token": (Token, (2, 1, 2)), "scale": (Scale, (2, 2)),
          "one": (One, (2, 2)), "tied": (Tied, None), "norm": (Norm, (2, 2)), "good": (Good, (2, 3, 2)), "heads": (Heads, (2, 2, 2)),
          "buffers": (Buffers, (2, 2)), "detached": (Detached, (2, 2)), "copied": (Copied, (2, 2)), "twins": (Twins, (2, 3, 2)),
          "transposed": (Transposed, (2, 2)), "equal": (Equal, (2, 2)), "edges": (Edges, (1, 3, 2)),
          "recurrent": (Recurrent, (2, 3, 2)), "folded": (Folded, (2, 1, 2)),
          "parts": (Parts, (2, 3, 2)), "memory": (Memory, (2, 3, 2)),
          "scaled": (Scaled, None), "numbers": (Numbers, (2, 4, 2)), "rnn": (Rnn, (2, 2, 2)),
          "queries": (Queries, (2, 3, 2)), "viewed": (Viewed, (2, 2))}
RAW = ("merged", "dropped", "token", "scale", "tied", "norm", "buffers", "detached", "copied", "transposed",
       "recurrent", "folded", "parts", "scaled", "numbers", "rnn", "queries")
SCOPED = ("parts", "memory", "scaled", "viewed")  # whose modules are kept, too
BARE = ("recurrent", "rnn")  # without the optimizer only the graph signature is kept, for their many nodes


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def metadata(entries, indent, kept=KEPT):
    return "".join(f"\n{indent}metadata_props {{ key: {quoted(e.key)} value: {quoted(e.value)} }}" for e in entries if e.key in kept)


def tensor(proto):
    field = {onnx.TensorProto.FLOAT: "float_data", onnx.TensorProto.INT64: "int64_data"}[proto.data_type]
    values = ", ".join(f"{value:.6g}" for value in numpy_helper.to_array(proto).flatten().tolist())
    name = f"name: {quoted(proto.name)} " if proto.name else ""
    return f"{name}data_type: {proto.data_type}{''.join(f' dims: {d}' for d in proto.dims)} {field}: [{values}]"


def attribute(proto):
    value = {onnx.AttributeProto.INT: lambda: f"i: {proto.i} type: INT",
             onnx.AttributeProto.FLOAT: lambda: f"f: {proto.f:.9g} type: FLOAT",
             onnx.AttributeProto.STRING: lambda: f's: "{proto.s.decode()}" type: STRING',
             onnx.AttributeProto.INTS: lambda: f"ints: {list(proto.ints)} type: INTS",
             onnx.AttributeProto.TENSOR: lambda: f"type: TENSOR t {{ {tensor(proto.t)} }}"}[proto.type]()
    return f"\n    attribute {{ name: {quoted(proto.name)} {value} }}"


def boundary(value):
    kind = value.type.tensor_type
    dims = " ".join(f"dim {{ dim_value: {d.dim_value} }}" for d in kind.shape.dim)
    return f"name: {quoted(value.name)} type {{ tensor_type {{ elem_type: {kind.elem_type} shape {{ {dims} }} }} }}"


def text(model, kept):
    graph, lines = model.graph, [f"ir_version: {model.ir_version}", f"opset_import {{ version: {model.opset_import[0].version} }}",
                                 "graph {"]
    for node in graph.node:
        names = "".join(f" input: {quoted(i)}" for i in node.input) + "".join(f" output: {quoted(o)}" for o in node.output)
        rest = "".join(map(attribute, node.attribute)) + metadata(node.metadata_props, "    ", kept)
        lines.append(f"  node {{{names} op_type: {quoted(node.op_type)} name: {quoted(node.name)}{rest} }}")
    lines += [f"  initializer {{ {tensor(i)} }}" for i in graph.initializer]
    lines += [f"  input {{ {boundary(v)} }}" for v in graph.input] + [f"  output {{ {boundary(v)} }}" for v in graph.output]
    stored = {i.name for i in graph.initializer}
    unbiased = {n.output[0] for n in graph.node if any("RemoveOptionalBias" in e.value for e in n.metadata_props) and n.input[1] not in stored}
    lines += [f"  value_info {{ {boundary(v)} }}" for v in graph.value_info if v.name in unbiased]
    for value in graph.value_info:
        if entries := metadata(value.metadata_props, "    ", kept):
            lines.append(f"  value_info {{ name: {quoted(value.name)}{entries} }}")
    return "\n".join(lines) + metadata(graph.metadata_props, "  ") + "\n}\n"


def main():
    folder, chosen = Path(sys.argv[1]), sys.argv[2:] or MODELS
    for name, (make, shape) in ((name, MODELS[name]) for name in chosen):
        for optimize in (True, False) if name in RAW else (True,):
            torch.manual_seed(0)
            data = torch.randn(*shape) if shape else torch.tensor([[0, 1], [2, 0]])
            program = torch.onnx.export(make().eval(), (data,), dynamo=True, optimize=optimize, verbose=False)
            file = folder / f"{name}{'' if optimize else '-raw'}.textproto"
            kept = () if name in BARE and not optimize else (*KEPT, *(("pkg.torch.onnx.name_scopes",) if name in SCOPED else ()))
            file.write_text(text(program.model_proto, kept))


if __name__ == "__main__":
    main()
