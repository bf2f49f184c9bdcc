# The warnings every target of the project compiles with; users of the library are not affected.
# -Wno-restrict: GCC 12 reports std::string concatenation by mistake (GCC bug 105651).
add_library(lacuna_warnings INTERFACE)
target_compile_options(lacuna_warnings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<BOOL:${LACUNA_WARNINGS_AS_ERRORS}>:-Werror>)
