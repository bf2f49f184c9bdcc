"""Peer: python-graphblas (SuiteSparse:GraphBLAS) with the four calls per layer of LAGraph's dnn algorithm.

Y = Y W (plus_times); Y = Y Bias (min_plus, Bias diagonal); keep values above 0; minimum with 32. Timed: the layer loop only.
"""
import os
import time

# Spinning OpenMP threads made this 36 times slower on a busy 2-core machine (radix 1024x120, 300 inputs, 2026-11-16).
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import graphblas as gb  # noqa: E402
import numpy as np  # noqa: E402
from graphblas import binary, dtypes, semiring  # noqa: E402

from peer import CLIP, finish, read_arguments  # noqa: E402

neurons, network, (count, row_start, pixel, value), threads, output_file = read_arguments()
gb.ss.config["nthreads"] = threads


def csr(row_start, column, values, rows):
    return gb.Matrix.ss.import_csr(nrows=rows, ncols=neurons, indptr=row_start.astype(np.uint64),
                                   col_indices=column.astype(np.uint64), values=values.copy(), sorted_cols=True)


def diagonal(bias):
    everyone = np.arange(neurons)
    return gb.Matrix.from_coo(everyone, everyone, bias, dtype=dtypes.FP32, nrows=neurons, ncols=neurons)


def walk(answer, layers):
    for weights, bias in layers:
        answer << answer.mxm(weights, semiring.plus_times[dtypes.FP32])
        answer << answer.mxm(bias, semiring.min_plus[dtypes.FP32])
        answer << answer.select(">", 0)
        answer << answer.apply(binary.min[dtypes.FP32], right=CLIP)
    answer.wait("materialize")
    return answer


layers = [(csr(start, source, weights, neurons).T.new(), diagonal(bias)) for start, source, weights, bias in network]
images = csr(row_start, pixel, value, count)
walk(images[:min(count, 64), :].new(), layers)

start = time.perf_counter()
answer = walk(images, layers)
seconds = time.perf_counter() - start
finish(output_file, answer.to_dense(fill_value=0), seconds, settings="plus_times, min_plus, select, apply")
