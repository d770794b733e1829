// The switches of a run, handed from the launcher to the stand-in through the environment.
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "schedule.hpp"

namespace amdsim {
namespace {

[[noreturn]] void bad(const char* what, const char* value) {
  std::fprintf(stderr, "amdsim: %s: '%s'\n", what, value);
  std::_Exit(2);
}

void apply_checks(settings& s, std::string list) {
  struct flag {
    const char* name;
    bool settings::* member;
  };
  constexpr flag flags[] = {{"races", &settings::races}, {"undefined", &settings::undefined},
                            {"waits", &settings::waits}, {"global", &settings::global},
                            {"align", &settings::align}, {"barriers", &settings::barriers},
                            {"loops", &settings::loops}};
  for (std::size_t at = 0; at <= list.size();) {
    const auto comma = list.find(',', at);
    std::string word = list.substr(at, comma == std::string::npos ? comma : comma - at);
    at = comma == std::string::npos ? list.size() + 1 : comma + 1;
    if (word.empty()) continue;
    bool on = true, found = false;
    if (word[0] == '-' || word[0] == '+') {
      on = word[0] == '+';
      word.erase(0, 1);
    }
    for (const flag& f : flags)
      if (word == f.name || word == "all" || word == "none") {
        s.*f.member = word == "none" ? false : on;
        found = true;
      }
    if (!found)
      bad("unknown check (known: all none races undefined waits global align barriers loops)",
          word.c_str());
  }
}

settings from_environment() {
  settings s;
  const char* chip_name = std::getenv("AMDSIM_CHIP");
  s.target = find_chip(chip_name ? chip_name : "gfx942");
  if (!s.target) bad("unknown chip", chip_name);
  if (const char* o = std::getenv("AMDSIM_ORDER")) {
    const std::string order = o;
    if (order == "forward") s.wave_order = settings::order::forward;
    else if (order == "reverse") s.wave_order = settings::order::reverse;
    else if (order.rfind("random", 0) == 0) {
      s.wave_order = settings::order::random;
      if (order.size() > 7) s.seed = std::strtoull(order.c_str() + 7, nullptr, 0);
    } else {
      bad("unknown order (forward, reverse, random:SEED)", o);
    }
  }
  if (const char* c = std::getenv("AMDSIM_CHECKS")) apply_checks(s, c);
  if (const char* t = std::getenv("AMDSIM_THREADS"))
    s.threads = static_cast<u32>(std::strtoul(t, nullptr, 10));
  if (s.threads == 0) s.threads = std::thread::hardware_concurrency();
  if (const char* p = std::getenv("AMDSIM_PROFILE")) s.profile = p;
  if (const char* n = std::getenv("AMDSIM_LOOP_LIMIT"))
    s.loop_limit = std::strtoull(n, nullptr, 10);
  s.trace = std::getenv("AMDSIM_TRACE") != nullptr;
  return s;
}

/// At the end of the program: findings make the exit status 3.
void finish() {
  const u64 n = findings();
  if (!n) return;
  std::fflush(nullptr);
  std::fprintf(stderr, "amdsim: %llu finding%s\n", static_cast<unsigned long long>(n),
               n == 1 ? "" : "s");
  std::fflush(stderr);
  ::_exit(3);
}

[[gnu::constructor]] void start() { std::atexit(finish); }

}  // namespace

const settings& process_settings() {
  static const settings s = from_environment();
  return s;
}

}  // namespace amdsim
