// Small networks in the formats of neuroevolution, written by hand.
#pragma once

#include <string>
#include <string_view>

namespace lacuna::tests {

/// A node of neat-python's JSON.
inline std::string json_node(int id, std::string_view type, std::string_view activation = "tanh", std::string_view aggregation = "sum", std::string_view more = "") {
  return "{\"id\": " + std::to_string(id) + ", \"type\": \"" + std::string(type) + "\", \"activation\": {\"name\": \"" + std::string(activation) +
         "\", \"custom\": false}, \"aggregation\": {\"name\": \"" + std::string(aggregation) + "\", \"custom\": false}, \"bias\": 0.5, \"response\": 2.0" +
         std::string(more) + "}";
}

inline std::string json_edge(int from, int to, std::string_view weight, std::string_view enabled = "true") {
  return "{\"from\": " + std::to_string(from) + ", \"to\": " + std::to_string(to) + ", \"weight\": " + std::string(weight) + ", \"enabled\": " + std::string(enabled) + "}";
}

/// Inputs -1 and -2, output 0.
inline std::string json_network(std::string_view type, const std::string& nodes, const std::string& edges, std::string_view outputs = "0") {
  return "{\"format_version\": \"1.0\", \"network_type\": \"" + std::string(type) +
         "\", \"metadata\": {\"fitness\": 3.5, \"note\": null},\n"
         "\"topology\": {\"num_inputs\": 2, \"num_outputs\": 1, \"input_keys\": [-1, -2], \"output_keys\": [" +
         std::string(outputs) + "]},\n\"nodes\": [" + nodes + "],\n\"connections\": [" + edges + "]}\n";
}

inline constexpr std::string_view sharpneat_network =
    "\xef\xbb\xbf# Input and output node counts.\n"
    "2 1\n\n"
    "# Cyclic/acyclic indicator.\n"
    "acyclic\n\n"
    "# Connections.\n"
    "0 9 0.25\n"
    "1\t9\t-1e-3\n"
    "# between\n"
    "9 2 3\n"
    "0 2 0.5\n\n"
    "# Activation functions (functionId functionCode).\n"
    "0 ReLU\n"
    "1 Logistic\n\n"
    "# Per node activation function (nodeId, functionId).\n"
    "9 1\n";

inline constexpr std::string_view stanley_genome =
    "/* a comment */\n"
    "genomestart 7\n"
    "trait 1 0.1 0 0 0 0 0 0 0\n"
    "node 1 0 1 3\n"
    "node 2 0 1 1\n"
    "node 3 0 1 1\n"
    "node 4 0 0 2\n"
    "node 5 0 0 0\n"
    "gene 1 1 4 0.5 0 1 0 1\n"
    "gene 1 2 5 -1.5 0 2 0 1\n"
    "gene 1 5 4 2 0 3 0 1\n"
    "gene 1 3 4 9 0 4 0 0\n"
    "genomeend 7\n";

inline constexpr std::string_view goneat_genome =
    "genome:\n"
    "  id: 3\n"
    "  traits:\n"
    "    - {id: 1, params: [0.1, 0, 0, 0, 0, 0, 0, 0]}\n"
    "  nodes:\n"
    "    - {id: 1, trait_id: 0, type: BIAS, activation: NullActivation}\n"
    "    - {id: 2, trait_id: 0, type: INPT, activation: NullActivation}\n"
    "    - {id: 3, trait_id: 0, type: INPT, activation: NullActivation}\n"
    "    - {id: 4, trait_id: 0, type: OUTP, activation: TanhActivation}\n"
    "    - {id: 5, trait_id: 0, type: HIDN, activation: LinearActivation}\n"
    "    - {id: 6, trait_id: 0, type: HIDN, activation: NullActivation}\n"
    "  genes:\n"
    "    - {src_id: 2, tgt_id: 5, weight: 0.5, trait_id: 1, innov_num: 1, mut_num: 0, recurrent: false, enabled: true}\n"
    "    - {src_id: 1, tgt_id: 4, weight: 2, trait_id: 1, innov_num: 2, mut_num: 0, recurrent: false, enabled: true}\n"
    "    - {src_id: 6, tgt_id: 4, weight: -1, trait_id: 1, innov_num: 3, mut_num: 0, recurrent: false, enabled: true}\n"
    "    - {src_id: 3, tgt_id: 6, weight: 4, trait_id: 1, innov_num: 4, mut_num: 0, recurrent: false, enabled: true}\n"
    "  modules:\n"
    "    - id: 7\n"
    "      trait_id: 0\n"
    "      activation: MultiplyModuleActivation\n"
    "      innov_num: 5\n"
    "      mut_num: 0\n"
    "      enabled: true\n"
    "      inputs: [{id: 5, order: 0}, {id: 3, order: 1}]\n"
    "      outputs: [{id: 6, order: 0}]\n";

inline constexpr std::string_view multineat_network =
    "NNstart\n"
    "2 1\n"
    "neuron 1 0 0 0 0 0 0\n"
    "neuron 2 0 0 0 0 0 0\n"
    "neuron 4 4.9 0.25 1 0.75 1 1\n"
    "neuron 3 2 0.5 1 0 9 0.5\n"
    "connection 0 3 0.5 0 0 0\n"
    "connection 3 2 -2 0 0 0\n"
    "connection 1 2 1 0 0 0\n"
    "NNend\n\n";

inline constexpr std::string_view edge_lines =
    "# a small network\n"
    "@inputs a b\n"
    "@outputs y\n"
    "@neurons activation=relu\n"
    "@node h activation=tanh aggregation=max bias=-0.5 response=2\n"
    "a h 0.25\n"
    "b h -1  # a comment\n"
    "h y 3\n"
    "\"b\" y 1e-3\n";

inline constexpr std::string_view graphml =
    "<?xml version=\"1.0\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "  <key id=\"d0\" for=\"node\" attr.name=\"activation\" attr.type=\"string\"/>\n"
    "  <key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
    "  <key id=\"d2\" for=\"node\" attr.name=\"colour\" attr.type=\"string\"/>\n"
    "  <graph edgedefault=\"directed\">\n"
    "    <node id=\"a\"/>\n"
    "    <node id=\"b\"/>\n"
    "    <node id=\"y\"><data key=\"d0\">sigmoid</data><data key=\"d2\">red</data></node>\n"
    "    <edge source=\"a\" target=\"y\"><data key=\"d1\">0.5</data></edge>\n"
    "    <edge source=\"b\" target=\"y\"/>\n"
    "  </graph>\n"
    "</graphml>\n";

}  // namespace lacuna::tests
