// amdsim: runs a HIP program with the stand-in runtime in place of AMD's.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "chip.hpp"

namespace {

constexpr const char* usage =
    "usage: amdsim [options] PROGRAM [ARGS]\n"
    "  --chip NAME          the chip to simulate (default gfx942)\n"
    "  --checks LIST        all, none, or names: races undefined waits global align barriers "
    "loops; -NAME takes one out (default none)\n"
    "  --order ORDER        order in which waves run between barriers: forward, reverse, "
    "random:SEED\n"
    "  --threads N          host threads over workgroups; 0: all (default 1)\n"
    "  --profile FILE       append a JSON line per launch\n"
    "  --loop-limit N       instructions between barriers after which a wave counts as lost\n"
    "  --trace              a line per launch\n"
    "  --chips              list the chips\n";

/// Directory of this program.
std::string here() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return ".";
  path[n] = 0;
  std::string s = path;
  return s.substr(0, s.rfind('/'));
}

void prepend(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);
  setenv(name, (old && *old ? value + separator + old : value).c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  int i = 1;
  const auto value = [&]() -> const char* {
    if (i + 1 >= argc) {
      std::fprintf(stderr, "amdsim: %s needs a value\n%s", argv[i], usage);
      std::exit(2);
    }
    return argv[++i];
  };
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const std::string a = argv[i];
    if (a == "--chip") {
      const char* name = value();
      if (!amdsim::find_chip(name)) {
        std::fprintf(stderr, "amdsim: unknown chip '%s'; known: %s\n", name, amdsim::chip_names());
        return 2;
      }
      setenv("AMDSIM_CHIP", name, 1);
    } else if (a == "--checks") {
      setenv("AMDSIM_CHECKS", value(), 1);
    } else if (a == "--order") {
      setenv("AMDSIM_ORDER", value(), 1);
    } else if (a == "--threads") {
      setenv("AMDSIM_THREADS", value(), 1);
    } else if (a == "--profile") {
      setenv("AMDSIM_PROFILE", value(), 1);
    } else if (a == "--loop-limit") {
      setenv("AMDSIM_LOOP_LIMIT", value(), 1);
    } else if (a == "--trace") {
      setenv("AMDSIM_TRACE", "1", 1);
    } else if (a == "--chips") {
      std::printf("%s\n", amdsim::chip_names());
      return 0;
    } else if (a == "--help" || a == "-h") {
      std::printf("%s", usage);
      return 0;
    } else {
      std::fprintf(stderr, "amdsim: unknown option '%s'\n%s", a.c_str(), usage);
      return 2;
    }
  }
  if (i >= argc) {
    std::fprintf(stderr, "%s", usage);
    return 2;
  }
  // The stand-in carries the runtime's library name, so the program's own dependency on it is
  // satisfied by the preloaded one.
  const std::string lib = here() + "/hip";
  prepend("LD_PRELOAD", lib + "/libamdhip64.so.5", ':');
  prepend("LD_LIBRARY_PATH", lib, ':');
  execvp(argv[i], argv + i);
  std::fprintf(stderr, "amdsim: cannot run %s: %s\n", argv[i], std::strerror(errno));
  return 127;
}
