# The warnings every target of the project compiles with; users of the library are not affected.
add_library(lacuna_warnings INTERFACE)
target_compile_options(lacuna_warnings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion
  $<$<BOOL:${LACUNA_WARNINGS_AS_ERRORS}>:-Werror>)
