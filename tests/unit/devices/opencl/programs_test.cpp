// Programs are compiled once: in memory by text, on disk as the driver's binary.
#include <fstream>

#include "base/hash.hpp"
#include "devices/opencl/device.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"
#include "unit/devices/opencl/opencl_test.hpp"

namespace lacuna::tests {
namespace {

class OpenClPrograms : public OpenClTest {
 protected:
  /// A device that knows nothing yet.
  std::shared_ptr<opencl::OpenClDevice> fresh_device(opencl::Binaries binaries = opencl::Binaries::keep) const {
    const auto library = opencl::Library::open();
    return std::make_shared<opencl::OpenClDevice>(std::make_shared<const opencl::Context>(library, opencl::choose_device(*library, "")), binaries);
  }

  /// Loads and runs the kernel on the device; how many texts it had to compile in its life.
  std::size_t compiled_by_running(opencl::OpenClDevice& on, float factor) const {
    const gpu::KernelInfo info{"scale", 64, 0};
    const gpu::KernelPointer scale = on.load(scale_text, std::span(&info, 1)).front();
    std::vector<float> values{factor};
    const gpu::BufferPointer buffer = on.allocate(4);
    on.write(buffer, 0, std::as_bytes(std::span(values)));
    on.launch({scale, 1, 1, {buffer, 1u, 2.0f}});
    on.read(buffer, 0, std::as_writable_bytes(std::span(values)));
    EXPECT_EQ(values.front(), 2 * factor);
    return on.programs().compiled();
  }

  std::filesystem::path only_file() const { return std::filesystem::directory_iterator(folder.path())->path(); }

  TempFolder folder;
};

TEST_F(OpenClPrograms, ATextIsCompiledOnce) {
  const auto own = fresh_device();
  EXPECT_EQ(compiled_by_running(*own, 1), 1u);
  EXPECT_EQ(compiled_by_running(*own, 2), 1u);
}

TEST_F(OpenClPrograms, BinariesAreKeptOnDisk) {
  const Variable cache("LACUNA_CACHE", folder.path().string());
  EXPECT_EQ(compiled_by_running(*fresh_device(), 1), 1u);
  EXPECT_EQ(only_file().extension(), ".opencl");
  EXPECT_EQ(compiled_by_running(*fresh_device(), 2), 0u);
}

TEST_F(OpenClPrograms, PoclKeepsItsOwnBinaries) {
  if (opencl::choose_device(*opencl::Library::open(), "").platform != "Portable Computing Language") GTEST_SKIP() << "the first device is not PoCL's";
  const Variable cache("LACUNA_CACHE", folder.path().string());
  EXPECT_EQ(compiled_by_running(*fresh_device(opencl::Binaries::keep_but_for_pocl), 1), 1u);
  EXPECT_EQ(folder.listing(), "");
}

TEST_F(OpenClPrograms, ADamagedBinaryIsIgnoredAndReplaced) {
  const Variable cache("LACUNA_CACHE", folder.path().string());
  EXPECT_EQ(compiled_by_running(*fresh_device(), 1), 1u);
  const std::string good = read_file(only_file());
  for (const std::string& bad : {good.substr(0, good.size() / 2), std::string("x") + good.substr(1), std::string()}) {
    std::ofstream(only_file(), std::ios::binary) << bad;
    EXPECT_EQ(compiled_by_running(*fresh_device(), 2), 1u);
    EXPECT_EQ(compiled_by_running(*fresh_device(), 3), 0u);
  }
}

TEST_F(OpenClPrograms, ABinaryThatTheDriverRefusesIsReplaced) {
  const Variable cache("LACUNA_CACHE", folder.path().string());
  EXPECT_EQ(compiled_by_running(*fresh_device(), 1), 1u);
  const std::string nonsense(200, 'n');
  std::ofstream(only_file(), std::ios::binary) << base::hash_text(nonsense) << nonsense;
  EXPECT_EQ(compiled_by_running(*fresh_device(), 2), 1u);
}

TEST_F(OpenClPrograms, ACacheThatCannotBeWrittenIsNoError) {
  const Variable cache("LACUNA_CACHE", "/proc/nowhere");
  EXPECT_EQ(compiled_by_running(*fresh_device(), 1), 1u);
}

}  // namespace
}  // namespace lacuna::tests
