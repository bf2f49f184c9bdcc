// Opening GPUs by name, and drivers that are missing, too old or do not start.
#include "devices/gpu/open.hpp"

#include <algorithm>
#include <filesystem>

#include "support/environment.hpp"
#include "support/simulated_driver.hpp"
#include "support/temp_folder.hpp"

namespace lacuna {
namespace {

using tests::message_of;
using tests::Variable;

class OpenGpus : public tests::SimulatedDriver {
 protected:
  /// The simulated driver as a file of its own: opened apart from all others.
  std::string copy_of_driver() {
    const std::filesystem::path copy = folder_.path() / "libcuda.so.1";
    std::filesystem::copy_file(cuda::find_simulated_library(), copy);
    return copy.string();
  }

 private:
  tests::TempFolder folder_;
};

TEST_F(OpenGpus, WithoutADriverOneSentenceSaysHowToGetIt) {
  const Variable library("LACUNA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("cuda"); }),
            "cuda: no driver (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory): install NVIDIA's driver, or name its library with "
            "LACUNA_CUDA_LIBRARY; --device sim:a100 runs the same kernels simulated");
}

TEST_F(OpenGpus, ADriverWithoutAnEntryPointIsTooOld) {
  const std::string driver = copy_of_driver();
  const Variable library("LACUNA_CUDA_LIBRARY", driver), missing("LACUNA_SIM_MISSING", "cuNobody,cuGraphInstantiateWithFlags");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("cuda"); }),
            "cuda: " + driver + " has no cuGraphInstantiateWithFlags, which drivers have since CUDA 11.4: the driver is too old; install NVIDIA driver 470 (CUDA 11.4) or later");
}

TEST_F(OpenGpus, ADriverOfAnOldVersionIsTooOld) {
  const std::string driver = copy_of_driver();
  const Variable library("LACUNA_CUDA_LIBRARY", driver), version("LACUNA_SIM_DRIVER_VERSION", "10020");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("cuda:1"); }),
            "cuda: the driver (" + driver + ") knows CUDA 10.2, and 11.4 is needed: install NVIDIA driver 470 or later");
}

TEST_F(OpenGpus, ADriverThatDoesNotStartSaysWhy) {
  const std::string driver = copy_of_driver();
  const Variable library("LACUNA_CUDA_LIBRARY", driver), failure("LACUNA_SIM_FAIL", "cuInit:0:803");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("cuda"); }),
            "cuda: cuInit gives CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803: system has unsupported display driver / cuda driver combination): the driver's library and its kernel "
            "module differ; restart the machine after an update of the driver");
}

TEST_F(OpenGpus, ALibraryThatIsNoDriverIsRefused) {
  const Variable library("LACUNA_CUDA_LIBRARY", "libm.so.6");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("cuda"); }).rfind("cuda: libm.so.6 has no cuInit, which drivers have since CUDA 2.0", 0), 0u);
}

TEST_F(OpenGpus, CudaTakesNumbers) {
  const Variable library("LACUNA_CUDA_LIBRARY", copy_of_driver()), model("LACUNA_SIM_MODEL", "rtx3090"), count("LACUNA_SIM_DEVICES", "3");
  EXPECT_EQ(gpu::open_devices("cuda").size(), 1u);
  EXPECT_EQ(gpu::open_devices("cuda:2,0").size(), 2u);
  EXPECT_EQ(gpu::open_devices("cuda:1").at(0)->limits().name, "NVIDIA GeForce RTX 3090 (simulated)");
  EXPECT_EQ(message_of<Unsupported>([] { gpu::open_devices("cuda:0,3"); }), "cuda:0,3: \"3\" is not the number of a GPU; there are 0 to 2 (cuda:0,1 takes two)");
  for (const char* wrong : {"cuda:x", "cuda:0,", "cuda:,0", "cuda:-1", "cuda:1x", "cuda:99999999999"}) EXPECT_THROW(gpu::open_devices(wrong), Unsupported) << wrong;
}

TEST_F(OpenGpus, SimulatedGpusHaveAModelAndANumber) {
  EXPECT_EQ(gpu::open_devices("sim:rtx3090").size(), 1u);
  EXPECT_EQ(gpu::open_devices("sim:rtx3090:3").size(), 3u);
  EXPECT_EQ(message_of<Unsupported>([] { gpu::open_devices("sim:k80"); }), "sim:k80: no simulated GPU is called \"k80\"; there are v100, a100, h100, rtx3090");
  EXPECT_EQ(message_of<Unsupported>([] { gpu::open_devices("sim:a100:0"); }), "sim:a100:0: after the model stands how many GPUs, 1 to 64, as in sim:a100:2");
  for (const char* wrong : {"sim", "sim:", "sim:a100:", "sim:a100:x", "sim:a100:65", "sim:a100:-1"}) EXPECT_THROW(gpu::open_devices(wrong), Unsupported) << wrong;
}

TEST_F(OpenGpus, OtherModelsDoNotGetInTheWay) {
  const std::vector<gpu::DevicePointer> first = gpu::open_devices("sim:v100:2"), other = gpu::open_devices("sim:h100"), more = gpu::open_devices("sim:v100:4");
  for (const gpu::DevicePointer& device : first) EXPECT_EQ(device->limits().multiprocessors, 80u);
  EXPECT_EQ(other[0]->limits().multiprocessors, 132u);
  for (const gpu::DevicePointer& device : more) EXPECT_EQ(device->limits().multiprocessors, 80u);
}

TEST_F(OpenGpus, WithoutTheSimulatorItSaysWhatToDo) {
  const Variable library("LACUNA_SIM_LIBRARY", "libm.so.6");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_devices("sim:a100"); }).rfind("sim: libm.so.6 does not work: cuda: libm.so.6 has no cuInit", 0), 0u);
}

TEST_F(OpenGpus, UnknownNamesAreAnErrorThatListsTheKnownOnes) {
  const std::string message = message_of<Unsupported>([] { gpu::open_devices("vulkan:0"); });
  EXPECT_EQ(message.rfind("no kind of device is called \"vulkan:0\"; devices are named like cpu, cuda, cuda:0,1, opencl, opencl:NAME, sim:a100, sim:v100:2", 0), 0u) << message;
  EXPECT_FALSE(gpu::is_gpu_name("vulkan:0"));
  EXPECT_FALSE(gpu::is_gpu_name("cpu"));
  EXPECT_TRUE(gpu::is_gpu_name("cuda:0,1"));
  EXPECT_TRUE(gpu::is_gpu_name("sim:a100"));
}

TEST_F(OpenGpus, TheListTellsWhatIsThereAndWhatIsMissing) {
  const Variable driver("LACUNA_CUDA_LIBRARY", "/nonexistent/libcuda.so.1");
  const std::vector<gpu::Listed> listed = gpu::list_devices();
  const auto find = [&](const std::string& name) {
    const auto found = std::find_if(listed.begin(), listed.end(), [&](const gpu::Listed& one) { return one.name == name; });
    return found == listed.end() ? gpu::Listed{} : *found;
  };
  EXPECT_EQ(find("cuda").missing.rfind("cuda: no driver", 0), 0u);
  EXPECT_EQ(find("sim:h100").limits.multiprocessors, 132u);
  EXPECT_EQ(find("sim:h100").missing, "");
  EXPECT_TRUE(find("sim:v100").limits.is_simulated);
}

}  // namespace
}  // namespace lacuna
