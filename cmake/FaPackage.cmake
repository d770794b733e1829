# Install rules and the Debian package. rocm-cmake does the version, the export with its config
# file, and the package; without it "cmake --install" still works and lays down the same files.
find_package(ROCM CONFIG QUIET)  # Debian, Ubuntu: apt-get install rocm-cmake
set(ROCM_SYMLINK_LIBS OFF)       # no second, prefix/fa/lib copy of everything
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "Where lib/cmake/fa goes, below the prefix")
include(GNUInstallDirs)

# rocm_install_targets knows no file sets, so the headers go in by CMake's own command.
install(TARGETS fa EXPORT fa-targets FILE_SET HEADERS COMPONENT devel)

if(ROCM_FOUND)
  include(ROCMSetupVersion)
  include(ROCMInstallTargets)
  include(ROCMCreatePackage)

  rocm_setup_version(VERSION ${PROJECT_VERSION} NO_GIT_TAG_VERSION)
  function(fa_export)
    unset(CMAKE_SIZEOF_VOID_P)  # headers serve every word size: keep it out of the version file
    rocm_export_targets(TARGETS fa::fa EXPORT fa-targets NAMESPACE fa:: DEPENDS PACKAGE Threads
                        COMPATIBILITY SameMinorVersion)
  endfunction()
  fa_export()

  if(NOT CPACK_GENERATOR)
    set(CPACK_GENERATOR DEB)
  endif()
  set(ROCM_DEP_ROCMCORE OFF)  # headers need no ROCm on the machine
  set(CPACK_PACKAGE_DESCRIPTION
      "Forward attention kernels assembled at compile time from template arguments, for CPUs "
      "(without any GPU toolchain), AMD GPUs (HIP) and NVIDIA GPUs (nvcc).")
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/FaCPack.cmake)
  rocm_create_package(NAME fa DESCRIPTION "${PROJECT_DESCRIPTION}" MAINTAINER "the fa authors"
                      HEADER_ONLY)
else()
  message(STATUS "fa: rocm-cmake not found: install rules only, no Debian package "
                 "(apt-get install rocm-cmake)")
  include(CMakePackageConfigHelpers)
  set(fa_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fa)
  configure_package_config_file(cmake/fa-config.cmake.in ${PROJECT_BINARY_DIR}/fa-config.cmake
                                INSTALL_DESTINATION ${fa_config_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/fa-config-version.cmake
    COMPATIBILITY SameMinorVersion
                                   ARCH_INDEPENDENT)
  install(EXPORT fa-targets NAMESPACE fa:: DESTINATION ${fa_config_dir} COMPONENT devel)
  install(FILES ${PROJECT_BINARY_DIR}/fa-config.cmake ${PROJECT_BINARY_DIR}/fa-config-version.cmake
          DESTINATION ${fa_config_dir} COMPONENT devel)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/fa COMPONENT devel)
endif()
