"""One rival on one case: `peer.py ENGINE NETWORKS.bin INPUTS.bin OUTPUTS.bin THREADS`.

Writes its answers {members, batch, outputs}, says so in a line of JSON, then measures for as many seconds as each line on its input says. An answer that was not
computed, because only a part of the work was done, is NaN; `scaled` then says which part was timed.
"""
import json
import os
import sys
import time

sys.dont_write_bytecode = True
import numpy as np  # noqa: E402

import networks as files  # noqa: E402


class InUnits:
    """A rival whose work is done in equal units, one after the other: where the time is short, some are timed and stand for all."""
    SECONDS_OF_ANSWERS = 20
    next = 0
    scaled = ""

    def make_answers(self, networks, inputs):
        self.answers = np.full((networks.members, len(inputs), networks.outputs), np.nan, np.float32)

    def some(self, start, seconds):
        """Units until the time is over, at least one, at most all. Returns how many, and the milliseconds that all would take."""
        done, began = 0, time.perf_counter()
        while done == 0 or (done < self.units and time.perf_counter() - start < seconds):
            self.run_unit(self.next % self.units)
            self.next += 1
            done += 1
        return done, (time.perf_counter() - began) / done * self.units * 1e3

    def times(self, seconds):
        start = time.perf_counter()
        done, first = self.some(start, seconds)
        self.scaled = f"{done} of {self.units} {self.unit_name}" if done < self.units else ""
        taken = [first]
        while time.perf_counter() - start < seconds:
            done, now = self.some(start, seconds)
            if done == self.units:
                taken.append(now)
        return taken


class NeatPython(InUnits):
    """FeedForwardNetwork as it is, made without its create(), which takes minutes for thousands of edges. One activation after the other, members in turn."""
    SECONDS_OF_ANSWERS = 1
    unit_name = "activations"

    def __init__(self, networks, inputs, threads):
        import neat
        self.began = time.perf_counter()
        self.version = "neat-python " + neat.__version__
        activation = {"relu": neat.activations.relu_activation, "sigmoid": neat.activations.sigmoid_activation}[networks.function]
        self.rows = inputs.astype(float).tolist()
        self.members = []
        for m in range(networks.members):
            begin, sources, weights, biases = networks.member(m)
            keys = files.keys_of(networks, len(biases)).tolist()
            sources, weights, begin = [keys[s] for s in sources.tolist()], weights.astype(float).tolist(), begin.tolist()
            evals = [(key, activation, neat.aggregations.sum_aggregation, bias, 1.0, list(zip(sources[a:b], weights[a:b])))
                     for key, bias, a, b in zip(keys[networks.inputs:], biases.astype(float).tolist(), begin, begin[1:])]
            self.members.append(neat.nn.FeedForwardNetwork(keys[:networks.inputs], list(range(networks.outputs)), evals))
        self.units = networks.members * len(inputs)

    def run_unit(self, unit):
        k, m = divmod(unit, len(self.members))
        self.answers[m, k] = self.members[m].activate(self.rows[k])


class Torch(InUnits):
    """A sparse matrix for each level, all members in one graph; state {nodes, inputs of a panel}; the fastest of several panel widths."""
    unit_name = "panels"

    def __init__(self, networks, inputs, threads):
        import torch
        self.began = time.perf_counter()
        self.torch, self.networks = torch, networks
        torch.set_num_threads(threads)
        self.version = "torch " + torch.__version__
        self.function = {"relu": torch.relu_, "sigmoid": lambda x: x.mul_(5).sigmoid_()}[networks.function]
        self.make_levels()
        self.inputs = torch.from_numpy(np.ascontiguousarray(inputs.T))
        self.batch = len(inputs)
        self.panel = self.batch
        widths = sorted({min(width, self.batch) for width in (16, 64, 256, 1024, 4096) if min(width, self.batch) * self.nodes * 4 <= 2 ** 31})
        self.panel = min(widths, key=self.time_of_panel)
        self.version += f", panels of {self.panel}"
        self.units = -(-self.batch // self.panel)

    def make_levels(self):
        n, torch = self.networks, self.torch
        neurons = len(n.biases)
        self.nodes = n.inputs + neurons
        member_of = np.repeat(np.arange(n.members), np.diff(n.neuron_begin))
        fan = np.diff(n.edge_begin)
        offset = np.repeat(n.neuron_begin[:-1][member_of], fan)
        sources = np.where(n.sources < n.inputs, n.sources, n.sources + offset)  # inputs are shared
        level = [0] * self.nodes
        begin, flat = n.edge_begin.tolist(), sources.tolist()
        for k in range(neurons):
            level[n.inputs + k] = 1 + max([level[s] for s in flat[begin[k]:begin[k + 1]]], default=0)
        level = np.array(level)
        order = np.argsort(level, kind="stable")
        place = np.empty(self.nodes, np.int64)
        place[order] = np.arange(self.nodes)
        bounds = np.searchsorted(level[order], np.arange(level.max() + 2))
        self.levels = []
        for first, last in zip(bounds[1:], bounds[2:]):
            rows = order[first:last] - n.inputs
            lengths = fan[rows]
            starts = np.concatenate([[0], np.cumsum(lengths)])
            picked = np.repeat(n.edge_begin[rows] - starts[:-1], lengths) + np.arange(starts[-1])
            matrix = torch.sparse_csr_tensor(torch.from_numpy(starts), torch.from_numpy(place[sources[picked]]), torch.from_numpy(n.weights[picked]),
                                             size=(len(rows), int(first)))
            self.levels.append((int(first), int(last), matrix, torch.from_numpy(n.biases[rows])[:, None]))
        last_neurons = n.neuron_begin[1:, None] - n.outputs + np.arange(n.outputs)
        self.outputs = torch.from_numpy(place[n.inputs + last_neurons].ravel())

    def run_panel(self, first, last):
        state = self.torch.empty(self.nodes, last - first)
        state[:self.networks.inputs] = self.inputs[:, first:last]
        for begin, end, matrix, bias in self.levels:
            self.torch.mm(matrix, state[:begin], out=state[begin:end])
            self.function(state[begin:end].add_(bias))
        return state[self.outputs]  # {members x outputs, inputs of the panel}

    def time_of_panel(self, width):
        self.run_panel(0, width)
        now = time.perf_counter()
        self.run_panel(0, width)
        return (time.perf_counter() - now) / width

    def run_unit(self, unit):
        first, last = unit * self.panel, min((unit + 1) * self.panel, self.batch)
        with self.torch.inference_mode():
            out = self.run_panel(first, last).numpy()
        self.answers[:, first:last] = out.reshape(self.networks.members, self.networks.outputs, -1).transpose(0, 2, 1)


class TensorNeat(InUnits):
    """DefaultGenome on the CPU: all members transformed at once, as its pipeline does, then activated in groups whose state fits the memory."""
    BYTES_OF_A_GROUP = 2 ** 24  # no slower than larger ones here, and a first answer in time
    unit_name = "groups of networks"

    def __init__(self, networks, inputs, threads):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])  # XLA takes the cores it sees
        import jax
        import tensorneat
        from tensorneat.common import ACT
        from tensorneat.genome import DefaultGenome, DefaultNode
        self.began = time.perf_counter()

        class ActivatedNode(DefaultNode):
            """Outputs have their function too: TensorNEAT leaves it to a transformation at the end, but others may read them."""

            def forward(self, state, attrs, inputs, is_output_node=False, valid_mask=None):
                return super().forward(state, attrs, inputs, False, valid_mask)

        self.version = f"tensorneat {getattr(tensorneat, '__version__', '0.1.0')}, jax {jax.__version__}"
        neurons = int(np.diff(networks.neuron_begin).max())
        max_nodes, max_conns = networks.inputs + neurons, max(int(networks.member(m)[0][-1]) for m in range(networks.members))
        wanted = networks.members * max_nodes ** 2 * 4
        if wanted > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2:
            raise SystemExit(f"left out: its dense {max_nodes} x {max_nodes} tables would take {wanted / 1e9:,.0f} GB")
        genome = DefaultGenome(networks.inputs, networks.outputs, max_nodes, max(max_conns, networks.inputs * networks.outputs),
                               node_gene=ActivatedNode(activation_options=getattr(ACT, networks.function)))
        state = genome.setup()
        nodes, conns = self.genes(networks, max_nodes, genome.max_conns)
        transformed = jax.jit(jax.vmap(genome.transform, in_axes=(None, 0, 0)))(state, nodes, conns)
        self.transformed = jax.block_until_ready(transformed)
        self.group = max(1, min(networks.members, self.BYTES_OF_A_GROUP // (len(inputs) * max_nodes * 4)))
        while networks.members % self.group:
            self.group -= 1
        forward = jax.vmap(jax.vmap(genome.forward, in_axes=(None, None, 0)), in_axes=(None, 0, None))

        def of_group(transformed, at, x):
            some = jax.tree.map(lambda array: jax.lax.dynamic_slice_in_dim(array, at, self.group), transformed)
            return forward(state, some, x)
        self.forward, self.units, self.x = jax.jit(of_group), networks.members // self.group, jax.numpy.asarray(inputs)
        self.forward(self.transformed, 0, self.x).block_until_ready()  # the compiler's time is no part of the answer's

    @staticmethod
    def genes(networks, max_nodes, max_conns):
        """Outputs come right after the inputs. neat-python's sigmoid has slope 5, TensorNEAT's 1: bias and response are multiplied by it."""
        slope = 5.0 if networks.function == "sigmoid" else 1.0
        nodes = np.full((networks.members, max_nodes, 5), np.nan, np.float32)
        conns = np.full((networks.members, max_conns, 3), np.nan, np.float32)
        for m in range(networks.members):
            begin, sources, weights, biases = networks.member(m)
            neurons = len(biases)
            place = np.concatenate([np.arange(networks.inputs), networks.inputs + networks.outputs + np.arange(neurons - networks.outputs),
                                    networks.inputs + np.arange(networks.outputs)])
            nodes[m, :len(place)] = np.column_stack([np.arange(len(place)), np.zeros(len(place)), np.full(len(place), slope), np.zeros((len(place), 2))])
            nodes[m, place[networks.inputs:], 1] = biases * slope
            targets = place[np.repeat(np.arange(neurons) + networks.inputs, np.diff(begin))]
            conns[m, :len(sources)] = np.column_stack([place[sources], targets, weights])
        return nodes, conns

    def run_unit(self, unit):
        at = unit * self.group
        self.answers[at:at + self.group] = np.asarray(self.forward(self.transformed, at, self.x))


def peak_bytes():
    """Not getrusage: its figure may be that of the process that started this one."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


ENGINES = {"neat-python": NeatPython, "torch": Torch, "tensorneat": TensorNeat}


def main():
    engine, network_file, input_file, output_file, threads = sys.argv[1:6]
    start = time.perf_counter()
    networks = files.load(network_file)
    inputs = np.fromfile(input_file, np.float32).reshape(-1, networks.inputs)
    loaded = time.perf_counter()
    try:
        rival = ENGINES[engine](networks, inputs, int(threads))
    except ImportError as error:
        raise SystemExit(f"skipped: {error.name} is not installed") from None
    compiled = time.perf_counter() - rival.began  # after its imports
    rival.make_answers(networks, inputs)
    rival.some(time.perf_counter(), rival.SECONDS_OF_ANSWERS)
    rival.answers.tofile(output_file)
    print(json.dumps({"version": rival.version, "seconds_load": loaded - start, "seconds_compile": compiled}), flush=True)
    for line in sys.stdin:
        times = sorted(rival.times(float(line)))
        print(json.dumps({"ms": times[len(times) // 2], "best_ms": times[0], "peak_bytes": peak_bytes(), "scaled": rival.scaled}), flush=True)


if __name__ == "__main__":
    main()
