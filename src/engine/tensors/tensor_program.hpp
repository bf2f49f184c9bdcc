// TensorProgram: a network of tensors as steps over buffers. Made once; every run brings an arena of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

#include "devices/cpu/isa.hpp"
#include "engine/tensors/buffers.hpp"
#include "engine/tensors/output_memory.hpp"
#include "engine/tensors/step.hpp"

namespace lacuna::engine::tensors {

/// Who runs an operator, and where its output stands.
enum class World { plain, planes, dense, dense_bf16 };
constexpr std::size_t world_count = 4;

struct Choice {
  World world = World::plain;
  std::shared_ptr<const dense::DenseConv> dense{};  ///< f32 or bf16, as the world says
  std::shared_ptr<const plan::SparseConv> sparse{};
};

struct TensorProgram {
  struct Port {
    std::string name;
    ElementType type;
    Shape shape;
    Operand memory;
    Array<std::byte> constant;  ///< an output that is one
  };
  struct StepOf {
    StepPointer step;
    std::size_t op;       ///< the operator it is done for
    bool is_copy = false; ///< from one place to another
    bool tells_time = false;  ///< of the operators it is done for, by Frame::seconds
    bool begins_phase = false;  ///< in a program for bands: it reads what others have written in earlier phases
  };

  /// A program that comes first, for one input of the batch or a few at a time; each thread has an arena of its own for it. It may have a front itself.
  struct Front {
    std::shared_ptr<const TensorProgram> program;
    std::uint32_t runs;        ///< for the whole batch
    std::size_t target;        ///< buffer of the outputs: what the steps read
    std::size_t target_step;   ///< bytes from the outputs of a run to those of the next
    std::size_t arena_offset;  ///< of the first thread's arena, and from one to the next
    std::size_t arena_step;
  };

  std::vector<StepOf> steps;
  unsigned chains = 0;               ///< of operators that run strip by strip
  std::size_t chained = 0;           ///< operators in them
  std::size_t after_chains = 0;      ///< the operator after the last of them
  std::optional<Front> front;
  std::vector<std::size_t> offsets;  ///< of the buffers
  std::size_t thread_memory = 0;     ///< offset of what each thread has to itself
  std::size_t thread_pitch = 0;      ///< floats
  std::size_t arena_bytes = 0;
  std::size_t least_bytes = 0;       ///< no placement needs less
  unsigned threads = 1;
  std::vector<Port> inputs;
  std::vector<Port> outputs;

  /// The outputs. Needs: arena_bytes of memory on a multiple of 64; inputs checked by check_inputs. `seconds` (one for each operator, time is added) may be null.
  std::vector<TypedTensor> run(std::byte* arena, std::span<const TypedTensor> tensors, OutputMemory& memory, std::vector<double>* seconds = nullptr) const;

  /// Throws InputError where number, type or shape do not fit.
  void check_inputs(std::span<const TypedTensor> tensors) const;

  Frame frame_in(std::byte* arena) const;

 private:
  void run_front(std::byte* arena, std::span<const std::byte> input, std::byte* output, std::vector<double>* seconds) const;
  void run_steps(Frame& frame, std::vector<double>* seconds) const;
};

/// Throws InputError where number, type or shape of the tensors do not fit the ports.
void check_inputs(std::span<const TensorProgram::Port> ports, std::span<const TypedTensor> tensors);

/// Which buffers may share memory: all that never live at once, or of those only planes of one pitch (Buffers::add), which keeps threads to memory of their own.
enum class Sharing { all, alike };

/// How a program is laid out.
struct Arrangement {
  Sharing sharing = Sharing::all;
  unsigned chains = 0;  ///< the first so many runs of convolutions before pooling go strip by strip (strip_chain.hpp)
  bool takes_planes = false;  ///< the input, or the output, stands on planes instead of row by row: between parts of a network
  bool gives_planes = false;

  bool operator==(const Arrangement&) const = default;
};

struct Bands;

/// Needs: a choice for each operator that can be carried out, but for those that run in bands; `planes` for each value that is wanted on planes.
TensorProgram build_program(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, cpu::Isa isa, unsigned threads, Arrangement arrangement = {},
                            const Bands* bands = nullptr);

}  // namespace lacuna::engine::tensors
