// The version of this library. The build reads it from here: keep the define on one line, a plain
// number.
#pragma once

#define FA_VERSION 100  // major * 10000 + minor * 100 + patch: 0.1.0
