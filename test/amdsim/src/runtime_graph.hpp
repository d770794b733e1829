// Streams, captures and graphs of the HIP stand-in.
#pragma once
#include <set>
#include <thread>

#include "runtime.hpp"

namespace amdsim::runtime {

struct graph;

/// One piece of work in a graph, after the nodes that it waits for.
struct node {
  graph* owner = nullptr;
  work what;
  std::vector<node*> after;
};

struct graph {
  std::vector<std::unique_ptr<node>> nodes;  ///< in the order of their making
  node* add(work w, std::vector<node*> after);
};

/// A graph made ready to run: its work in an order that respects all dependencies.
struct graph_exec {
  std::vector<work> steps;
  std::vector<const node*> origins;  ///< the node that each step came from, for updates
};

/// A capture in progress: what streams that take part are given becomes a graph.
struct capture {
  std::shared_ptr<graph> to;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  u64 id = 0;
  bool spoiled = false;  ///< by a call that may not be made meanwhile
};

struct stream {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<capture> recording;  ///< null: work is done at once
  bool origin = false;                 ///< the capture began here
  std::vector<node*> tail;             ///< what the next node waits for
};

/// The stream behind a handle; null for the default stream. `valid`: whether there
/// is such a stream.
stream* find_stream(hipStream_t s, bool& valid);
/// All streams that take part in the capture leave it.
void end_capture(const std::shared_ptr<capture>& c);
/// A graph that handles may name from now on, and until it is dropped. The handle is its address.
std::shared_ptr<graph> new_graph();
void drop(const graph* g);

}  // namespace amdsim::runtime
