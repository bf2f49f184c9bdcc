# What `cmake --install` puts in place: library, headers, program, and two ways to find them: find_package(lacuna), pkg-config.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/lacuna)

install(TARGETS lacuna EXPORT lacunaTargets)
install(TARGETS lacuna_simcuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/lacuna DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(LACUNA_BUILD_TOOLS)
  file(RELATIVE_PATH library_from_program ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(lacuna_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_program}")  # matters only for a shared library
  install(TARGETS lacuna_cli)
endif()

# A shared library brings its dependencies along; users of a static one have to find them again.
get_target_property(library_type lacuna TYPE)
if(library_type STREQUAL "SHARED_LIBRARY")
  set(lacuna_is_static OFF)
  set(pkg_config_requires "")
  set(pkg_config_libs "")
else()
  set(lacuna_is_static ON)
  set(pkg_config_requires "fmt >= 9, zlib, libhwy >= 1.0.3, libzstd, pugixml, yaml-cpp")
  # libarchive by its name: its .pc file asks for what it links itself, whose development files nobody needs here.
  set(pkg_config_libs "-ldnnl -larchive ${OpenMP_CXX_FLAGS} ${CMAKE_THREAD_LIBS_INIT}")
endif()

install(EXPORT lacunaTargets NAMESPACE lacuna:: DESTINATION ${package_folder})
configure_package_config_file(cmake/lacunaConfig.cmake.in ${PROJECT_BINARY_DIR}/lacunaConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0, a new minor version may break users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lacunaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lacunaConfig.cmake ${PROJECT_BINARY_DIR}/lacunaConfigVersion.cmake DESTINATION ${package_folder})

# Paths relative to the .pc file, so that `cmake --install --prefix` and moving the tree both work.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
file(RELATIVE_PATH libdir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH includedir_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/lacuna.pc.in ${PROJECT_BINARY_DIR}/lacuna.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lacuna.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
