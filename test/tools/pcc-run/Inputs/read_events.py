# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the event files of a folder as TensorBoard does, with the standard library only: read_events.py FOLDER [LINES.jsonl]

Checks the framing and the checksums of each record. Prints the tags and the steps that are left: an event of a session's
start drops those of its step and later ones. With LINES.jsonl, the values must be those of that file of --metrics-file.
If the virtual environment of test/models/compare-models (PCC_MODELS_VENV) has TensorBoard, its reader must find the same.
"""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
TENSORBOARD = """
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
events.Reload()
print({(event.step, tag): event.value for tag in events.Tags()["scalars"] for event in events.Scalars(tag)})
"""


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    """Yields the events of a file."""
    place = 0
    while place < len(data):
        length, check = struct.unpack_from("<QI", data, place)
        assert check == masked(data[place:place + 8]), f"byte {place}: wrong checksum of the length"
        event = data[place + 12:place + 12 + length]
        (check,) = struct.unpack_from("<I", data, place + 12 + length)
        assert check == masked(event), f"byte {place}: wrong checksum of the event"
        yield event
        place += 16 + length


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def fields(data):
    """Yields (number, value) of each field of a protobuf message."""
    place = 0
    while place < len(data):
        key, place = varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, place = varint(data, place)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            (value,) = struct.unpack_from("<d" if kind == 1 else "<f", data, place)
            place += size
        else:
            assert kind == 2, f"wire type {kind}"
            size, place = varint(data, place)
            value, place = data[place:place + size], place + size
        yield number, value


def read(folder):
    """Returns {(step, tag): value} of all files."""
    values, times = {}, []
    for path in sorted(Path(folder).glob("*tfevents*")):
        for index, record in enumerate(records(path.read_bytes())):
            event = dict(fields(record))
            times.append(event[1])
            step = event.get(2, 0)
            if index == 0:
                assert event[3] == b"brain.Event:2", event
            if 7 in event and dict(fields(event[7])).get(1) == 1:
                values = {key: value for key, value in values.items() if key[0] < step}
            for number, value in fields(event.get(5, b"")):
                assert number == 1, number
                own = dict(fields(value))
                values[step, own[1].decode()] = own[2]
    assert times == sorted(times) and times[0] > 1.6e9, times
    return values


def compare(values, path):
    """Compares with a file of --metrics-file."""
    wanted = {}
    for line in Path(path).read_text().splitlines():
        record = json.loads(line)
        for key, value in record.items():
            if key not in ("step", "epoch", "time"):
                tag = key.replace("eval_", "eval/") if key.startswith("eval_") else "train/" + key
                wanted[record["step"], tag] = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    assert {**wanted, **values} == wanted == values or repr(wanted) == repr(values), (wanted, values)


def compare_with_tensorboard(values, folder):
    """Compares with TensorBoard's reader. Returns False if there is none."""
    python = ROOT / os.environ.get("PCC_MODELS_VENV", ".venv-models") / "bin/python"
    if not python.exists() or subprocess.run([python, "-c", "import tensorboard"], capture_output=True, check=False).returncode:
        return False
    run = subprocess.run([python, "-c", TENSORBOARD, folder], capture_output=True, text=True, check=True)
    found = eval(run.stdout, {"nan": float("nan"), "inf": float("inf")})
    assert sorted(map(repr, found.items())) == sorted(map(repr, values.items())), (found, values)
    return True


def main():
    folder, *lines = sys.argv[1:]
    assert crc32c(b"123456789") == 0xE3069283
    values = read(folder)
    steps = sorted({step for step, _ in values})
    print("tags:", *dict.fromkeys(tag for _, tag in values))
    print(f"steps {steps[0]} to {steps[-1]}, {len(steps)} steps")
    if lines:
        compare(values, lines[0])
        print("values as in the lines")
    print("TensorBoard:", "the same" if compare_with_tensorboard(values, folder) else "not here")


main()
