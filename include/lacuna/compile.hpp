// compile: Network -> Program -> Session. Compile once, run many batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lacuna/bit_matrix.hpp>
#include <lacuna/network.hpp>
#include <lacuna/optimise.hpp>
#include <lacuna/progress.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna {

namespace engine {
struct Compiled;
struct Workspace;
struct Arena;
}

struct CompileOptions {
  std::string device = "auto";            ///< auto (LACUNA_DEVICE, else cpu), cpu, cuda, cuda:0,1, opencl, opencl:NAME, sim:a100, ...
  std::string isa = {};                   ///< empty: LACUNA_ISA, else the best
  unsigned threads = 0;                   ///< 0: LACUNA_THREADS, else all cores
  std::string optimise = "all";           ///< see select_optimisations
  unsigned panel_lanes = 0;               ///< 0: chosen by measuring
  std::string kernel = "auto";            ///< auto (the fastest measured), table, baked, or dense (networks of tensors; on cuda by cuDNN and cuBLAS)
  std::string tune = "fast";              ///< networks of tensors: how long kernels are timed: off, fast or full; neuron graphs: full tries machine code too
  /// Neuron graphs: f32 (fast) or f64 (bit for bit the plain loop in double). Networks of tensors: f32, or bf16 where a dense layer is faster so. Layers: f32; on GPUs
  /// f16 or bf16 too: values are kept in 16 bits between layers, sums are made in f32.
  std::string precision = "f32";
  Progress progress = {};
  /// Where the network after the passes is kept for the next time; empty: nowhere. It is kept when at most half of the edges are left.
  std::filesystem::path simplified_store = {};
  std::string network_key = {};           ///< tells the network from all others (LoadReport::key); needed for simplified_store
  /// Called after each pass with its name, the network, the seconds it took and whether it changed anything.
  std::function<void(std::string_view pass, const Network& network, double seconds, bool changed)> after_pass = {};
};

/// Outputs of a batch. Inputs whose outputs are all zero are left out: in the challenge that is nearly all of them. Inputs that became
/// equal on their way share a row of `values`.
struct Outputs {
  std::size_t inputs = 0;
  std::size_t width = 0;
  std::vector<std::uint32_t> survivors;  ///< inputs with any nonzero output, ascending
  std::vector<std::uint32_t> rows;       ///< for each survivor its row of `values`
  std::vector<float> values;             ///< rows x width

  /// The outputs of input survivors[k].
  std::span<const float> of(std::size_t k) const { return std::span(values).subspan(rows[k] * width, width); }

  Tensor to_tensor() const;              ///< inputs x width, zeros filled in
};

struct RunReport {
  double seconds = 0;
  std::uint64_t active_edges = 0;     ///< multiply-adds done for inputs that were still in the batch; a counted edge is one
  bool counted_first_layer = false;   ///< the inputs went through it as bits
  std::size_t waves = 0;              ///< how often thin shares were pooled, and the first
  std::size_t different_outputs = 0;  ///< rows of values
  std::uint64_t weight_bytes = 0;           ///< layered networks on GPUs: tables of all layers, of all devices together
  std::uint64_t resident_weight_bytes = 0;  ///< those that stay on the devices; fewer than all: the others were streamed
  std::uint64_t streamed_bytes = 0;         ///< that so travelled to the devices in this run
};

/// How the passes' work was had.
struct SimplifyReport {
  double seconds = 0;           ///< running the passes, or reading what they gave an earlier time
  bool from_store = false;
  std::filesystem::path store;  ///< read or written; empty: none
  std::string note;             ///< why a store was not read or not written, if so
};

/// One operator of a compiled network of tensors.
struct LayerReport {
  std::string name;
  std::string kind;            ///< "conv 3x3", "MaxPool"
  std::string shape;           ///< of its output
  double sparsity = 0;         ///< share of zeros in its weights; 0 without weights
  std::uint64_t edges = 0;     ///< multiply-adds with nonzero weights
  std::uint64_t dense_edges = 0;
  std::string kernel;          ///< what runs it
  std::string precision;       ///< what its elements are while it runs: "f32", "bf16", "int8", "i64"
  double seconds = 0;          ///< as measured when it was chosen; 0: not measured
  double seconds_dense = 0;    ///< of the dense library; 0: not measured
  std::string reason;          ///< why, with the runners-up
};

/// Runs batches, one at a time; it keeps its memory from run to run.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  Outputs run(const SparseMatrix& inputs);
  Outputs run(const BitMatrix& inputs);
  Outputs run(const Tensor& inputs);

  /// A network of tensors: one tensor for each of its inputs, in its order, and back one for each output. Neuron graphs: inputs are f32 or f64, {batch, neurons}
  /// or {steps, batch, neurons}; networks that are not feed forward start from zeros and go on from step to step. Outputs hold what the program computes in.
  std::vector<TypedTensor> run(std::span<const TypedTensor> inputs);

  /// The same, and the seconds each operator took; copies between layouts count for the operator that wanted them.
  std::vector<TypedTensor> run_profiled(std::span<const TypedTensor> inputs, std::vector<double>& seconds);

  /// Neuron graphs that are not feed forward: whether a run goes on where the last one ended, input by input (an agent in its world: one run a step), or
  /// starts from zeros, as it does at first. A change of the batch, and every call, starts from zeros again.
  void keep_state(bool keeps);

  /// Outputs that nobody needs any more: the next run of a layered network on the CPU writes into their memory instead of asking for new.
  void reuse(Outputs outputs) { spare_ = std::move(outputs); }

  const RunReport& report() const { return report_; }  ///< of the last run

 private:
  friend class Program;
  explicit Session(std::shared_ptr<const engine::Compiled> compiled);
  std::shared_ptr<const engine::Compiled> compiled_;
  std::unique_ptr<std::vector<engine::Workspace>> workspaces_;
  std::unique_ptr<engine::Arena> arena_;
  Outputs spare_;
  RunReport report_;
};

class Program {
 public:
  Session open() const;

  std::string print_rows(bool with_weights) const;  ///< the text form of its SparseRows
  std::string print_plan() const;                   ///< what runs each group
  std::string print_kernels() const;                ///< the kernel IR of the groups that are baked
  std::string print_code() const;                   ///< their machine code
  std::string kernel_text(const std::string& language) const;  ///< all kernels of a program for GPUs, in "ptx" or "opencl"
  std::string explain() const;                      ///< the plan with reasons
  std::string device() const;                       ///< as it was asked for: "cpu", "cuda:0,1", "opencl"
  std::string isa() const;                          ///< of the cpu's kernels; empty on GPUs
  unsigned threads() const;
  std::vector<std::string> optimisations() const;
  std::uint64_t edges() const;                      ///< of the network as given, for one input
  std::uint64_t edges_left() const;                 ///< after all optimisations that are made before it runs
  Network network() const;                          ///< after the passes
  SimplifyReport simplified() const;

  /// The same program with the weights, biases and responses of another network of neuron graphs that has the same structure: nothing is planned again.
  /// Throws InputError where the structure differs.
  Program with_weights(const Network& network) const;
  bool has_neuron_graphs() const;

  /// On simulated GPUs: what each counted since the last reset, and the time that its model predicts: a JSON object for each. Elsewhere nothing.
  std::vector<std::string> counters() const;
  void reset_counters() const;

  bool has_tensors() const;                         ///< it was a network of tensors
  std::vector<LayerReport> layers() const;          ///< its operators
  std::size_t arena_bytes() const;                  ///< memory for activations of one session
  std::size_t least_arena_bytes() const;            ///< the most that are alive at once: no plan needs less
  double tolerance() const;                         ///< how far its answers may be from exact ones, as a share of the largest: 1e-4, in bf16 or quantised 5e-2

 private:
  friend Program compile(const Network& network, const CompileOptions& options);
  explicit Program(std::shared_ptr<const engine::Compiled> compiled);
  std::shared_ptr<const engine::Compiled> compiled_;
};

/// Runs the passes, lowers, plans. Throws InputError, Unsupported.
Program compile(const Network& network, const CompileOptions& options = {});

}  // namespace lacuna
