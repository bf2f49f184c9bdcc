# The warnings every target of the project compiles with; users of the library are not affected.
# GCC 12 misreads std::string concatenation (GCC bugs 105651, 105329), and says so once its header is precompiled.
add_library(lacuna_warnings INTERFACE)
target_compile_options(lacuna_warnings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>" $<$<BOOL:${LACUNA_WARNINGS_AS_ERRORS}>:-Werror>)
