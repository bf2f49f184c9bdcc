"""NumPy's .npy files without NumPy."""
import ast
import struct

KINDS = {"<f4": "f", "<f8": "d", "<i4": "i", "|u1": "B"}


def write(file, rows, kind="<f4"):
    """Numbers (one dimension) or equally long lists of numbers (two)."""
    flat = [value for row in rows for value in row] if isinstance(rows[0], (list, tuple)) else list(rows)
    shape = (len(rows), len(rows[0])) if isinstance(rows[0], (list, tuple)) else (len(rows),)
    head = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(flat)}{KINDS[kind]}", *flat))
    return file


def read(file):
    """Two dimensions -> lists of rows."""
    data = file.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    head = ast.literal_eval(data[10 : 10 + length].decode())
    assert head["descr"] == "<f4" and not head["fortran_order"], head
    rows, columns = head["shape"]
    values = struct.unpack(f"<{rows * columns}f", data[10 + length :])
    return [list(values[row * columns : (row + 1) * columns]) for row in range(rows)]
