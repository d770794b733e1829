// The test framework, whichever of its two generations is installed: Catch2 v3 (split headers, a
// library) or v2 (one header).
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
using Catch::Approx;  // global in v2
#else
#include <catch2/catch.hpp>
#endif
