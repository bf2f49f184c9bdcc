"""Random populations made by neat-python itself: genomes that were mutated many times, and the networks it makes of them."""
import random
from types import SimpleNamespace

import neat
from neat.innovation import InnovationTracker

from plain_network import ACTIVATIONS, AGGREGATIONS

NETWORKS = {"feedforward": neat.nn.FeedForwardNetwork, "recurrent": neat.nn.RecurrentNetwork, "ctrnn": neat.ctrnn.CTRNN}
WIRINGS = ["unconnected", "fs_neat_nohidden", "fs_neat_hidden", "full_nodirect", "full_direct", "partial_direct 0.5", "partial_nodirect 0.5"]


def number(name, mean, spread, least, most, rate=0.5):
    return {f"{name}_init_mean": mean, f"{name}_init_stdev": spread, f"{name}_init_type": "gaussian", f"{name}_replace_rate": 0.1, f"{name}_mutate_rate": rate,
            f"{name}_mutate_power": spread, f"{name}_max_value": most, f"{name}_min_value": least}


def choice(name, default, options):
    return {f"{name}_default": default, f"{name}_mutate_rate": 0.2, f"{name}_options": " ".join(options)}


def random_config(kind):
    """Weights and biases stay small: squares of squares would leave the range in which Python answers at all."""
    settings = {"num_inputs": random.randint(1, 8), "num_outputs": random.randint(1, 5), "num_hidden": random.randint(0, 6), "feed_forward": kind == "feedforward",
                "compatibility_disjoint_coefficient": 1.0, "compatibility_weight_coefficient": 0.5, "conn_add_prob": 0.7, "conn_delete_prob": 0.15,
                "node_add_prob": 0.4, "node_delete_prob": 0.1, "single_structural_mutation": False, "structural_mutation_surer": "default",
                "initial_connection": random.choice(WIRINGS), "enabled_default": True, "enabled_mutate_rate": 0.05, "enabled_rate_to_true_add": 0.0,
                "enabled_rate_to_false_add": 0.0, **number("weight", 0.0, 0.8, -2.5, 2.5), **number("bias", 0.0, 0.6, -2.0, 2.0),
                **number("response", 1.0, 0.3, -2.0, 2.0), **number("time_constant", 0.5, 0.3, 0.02, 2.0), **choice("activation", "random", ACTIVATIONS),
                **choice("aggregation", "random", AGGREGATIONS)}
    genome_config = neat.DefaultGenome.parse_config({key: str(value) for key, value in settings.items()} |
                                                    {"node_gene_type": neat.genes.DefaultNodeGene, "connection_gene_type": neat.genes.DefaultConnectionGene})
    genome_config.innovation_tracker = InnovationTracker()
    return SimpleNamespace(genome_config=genome_config)


def random_population(kind, size, mutations):
    """Networks of neat-python, with the same inputs and outputs: `size` genomes, mutated up to `mutations` times."""
    config = random_config(kind)
    for key in range(size):
        genome = neat.DefaultGenome(key)
        genome.configure_new(config.genome_config)
        for _ in range(random.randint(0, mutations)):
            genome.mutate(config.genome_config)
        yield NETWORKS[kind].create(genome, config)
