# Read by cpack after everything rocm-cmake has set, to say what it cannot be told.
set(CPACK_PACKAGE_VENDOR "the fa authors")
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)  # headers
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "")  # no maintainer scripts: there is nothing to run
