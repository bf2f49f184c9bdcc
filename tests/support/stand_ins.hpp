// For tests with libraries that stand in for NVIDIA's on the simulated driver: they are named in the environment, and everything that was made in them must be given back.
#pragma once

#include "base/dynamic_library.hpp"
#include "support/environment.hpp"
#include "support/simulated_driver.hpp"

namespace lacuna::tests {

class StandIns : public SimulatedDriver {
 protected:
  void TearDown() override {
    SimulatedDriver::TearDown();
    for (const char* file : {LACUNA_STANDIN_CUSPARSE, LACUNA_STANDIN_CUBLAS, LACUNA_STANDIN_CUDNN}) {
      int (*count)() = nullptr;
      base::DynamicLibrary(std::vector<std::string>{file}).find("lacuna_computes_on_simulated_memory", count);
      ASSERT_NE(count, nullptr) << file;
      EXPECT_EQ(count(), 0) << "handles and descriptors left in " << file;
    }
  }

 private:
  const Variable driver_{"LACUNA_STANDIN_DRIVER", cuda::find_simulated_library().string()}, cusparse_{"LACUNA_CUSPARSE_LIBRARY", LACUNA_STANDIN_CUSPARSE},
      cublas_{"LACUNA_CUBLAS_LIBRARY", LACUNA_STANDIN_CUBLAS}, cudnn_{"LACUNA_CUDNN_LIBRARY", LACUNA_STANDIN_CUDNN};
};

}  // namespace lacuna::tests
