#pragma once
// A program's own threads, which it lends to the attention library too: see
// fa::host_with in model.hpp.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace encoder {

class thread_pool {
 public:
  /// `threads` threads in all, the caller's among them; 0: as many as the machine has.
  explicit thread_pool(unsigned threads = 0) {
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 1; i < threads; ++i)
      workers_.emplace_back([this](std::stop_token stop) { work(stop); });
  }

  unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls body(i) for 0 <= i < count, in any order and on any thread, and returns when all are
  /// done. `body` must not throw; one caller at a time.
  template <class Body>
  void operator()(std::int64_t count, const Body& body) {
    if (count <= 1 || workers_.empty()) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = [&body, count, this] {
        for (std::int64_t i; (i = next_.fetch_add(1)) < count;) body(i);
      };
      next_ = 0;
      busy_ = workers_.size();
      ++round_;
    }
    start_.notify_all();
    task_();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work(std::stop_token stop) {
    std::uint64_t seen = 0;
    while (true) {
      {
        std::unique_lock lock(mutex_);
        if (!start_.wait(lock, stop, [&] { return round_ != seen; })) return;
        seen = round_;
      }
      task_();  // nobody writes it before busy_ is back at 0
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any start_;
  std::condition_variable done_;
  std::function<void()> task_;
  std::atomic<std::int64_t> next_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t round_ = 0;
  std::vector<std::jthread> workers_;  // last: they stop before what they use goes away
};

}  // namespace encoder
