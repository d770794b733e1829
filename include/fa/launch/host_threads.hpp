// Threads of the host: OpenMP where the translation unit is compiled with it, else POSIX threads.
// (std::thread and std::atomic would be 50 000 lines of standard library in every including file.)
#pragma once

#include <cstddef>

#if !defined(_OPENMP)
#include <pthread.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif
#endif

#include <fa/core/numeric.hpp>
#include <fa/machine/select.hpp>

#if defined(_OPENMP)
#define FA_HOST_THREADS openmp
#else
#define FA_HOST_THREADS posix
#endif

namespace fa {
inline namespace FA_HOST_ISA {
inline namespace FA_HOST_THREADS {

/// Runs on the CPU. The type differs between translation units compiled for different processors,
/// which keeps their kernels apart in one program.
struct host {
  int threads = 0;  ///< at most this many; 0 or less: as many as there are processors

  /// Calls body(i) once for each 0 <= i < count, from several threads, lower i first; returns when
  /// all are done.
  template <class Body>
  void parallel_for(i64 count, const Body& body) const {
    if (threads == 1 || count <= 1) {
      for (i64 i = 0; i < count; ++i) body(i);
    } else {
      run(count, body);
    }
  }

 private:
  static constexpr i64 most_threads = 1024;

#if defined(_OPENMP)
  template <class Body>
  void run(i64 count, const Body& body) const {
    if (threads <= 0) {
#pragma omp parallel for schedule(dynamic)
      for (i64 i = 0; i < count; ++i) body(i);
    } else {
      const int wanted = static_cast<int>(min_of(min_of<i64>(threads, count), most_threads));
#pragma omp parallel for schedule(dynamic) num_threads(wanted)
      for (i64 i = 0; i < count; ++i) body(i);
    }
  }
#else
  // Some C libraries give threads less than a block needs.
  static constexpr std::size_t stack_bytes = std::size_t{1} << 21;

  template <class Body>
  struct queue {
    const Body& body;
    i64 count;
    i64 next = 0;
    static void* work(void* self) {
      auto& q = *static_cast<queue*>(self);
      for (i64 i; (i = __atomic_fetch_add(&q.next, 1, __ATOMIC_RELAXED)) < q.count;) q.body(i);
      return nullptr;
    }
  };

  template <class Body>
  void run(i64 count, const Body& body) const {
    pthread_t started[most_threads];
    queue<Body> q{body, count};
    const i64 helpers =
        min_of(min_of(threads > 0 ? i64{threads} : processors(), count), most_threads) - 1;
    pthread_attr_t attributes;
    const bool sized = pthread_attr_init(&attributes) == 0 &&
                       pthread_attr_setstacksize(&attributes, stack_bytes) == 0;
    i64 running = 0;
    while (running < helpers && pthread_create(&started[running], sized ? &attributes : nullptr,
                                               &queue<Body>::work, &q) == 0) {
      ++running;
    }
    pthread_attr_destroy(&attributes);
    queue<Body>::work(&q);  // this thread works too; alone if no other could be started
    for (i64 i = 0; i < running; ++i) pthread_join(started[i], nullptr);
  }

  static i64 processors() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? online : 1;
  }
#endif
};

/// Runs on the CPU with threads of the caller: parallel_for(count, body) must call body(i) once for
/// each 0 <= i < count, from any threads, and return when all are done. A thread needs 1.5 MiB of
/// stack.
template <class ParallelFor>
struct host_with {
  ParallelFor parallel_for_each;

  template <class Body>
  void parallel_for(i64 count, const Body& body) const {
    parallel_for_each(count, body);
  }
};
template <class ParallelFor>
host_with(ParallelFor) -> host_with<ParallelFor>;

}  // namespace FA_HOST_THREADS
}  // namespace FA_HOST_ISA
}  // namespace fa

#undef FA_HOST_THREADS
