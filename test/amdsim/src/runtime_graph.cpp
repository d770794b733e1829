// The HIP stand-in: graphs, made by capture or node by node, and their execution. A running graph
// does its work in an order that respects the dependencies, one piece after the other.
#include "runtime_graph.hpp"

#include <algorithm>
#include <cstdio>

namespace amdsim::runtime {
namespace {

std::map<const void*, std::shared_ptr<graph>> graphs;
std::map<const void*, std::shared_ptr<graph_exec>> execs;

template <class Map>
typename Map::mapped_type find(const Map& m, const void* handle) {
  const auto it = m.find(handle);
  return it == m.end() ? nullptr : it->second;
}
std::shared_ptr<graph> find_graph(hipGraph_t g) { return find(graphs, g); }
std::shared_ptr<graph_exec> find_exec(hipGraphExec_t g) { return find(execs, g); }

/// The node, if some graph has it.
node* find_node(hipGraphNode_t handle) {
  for (const auto& [at, g] : graphs)
    for (const auto& n : g->nodes)
      if (reinterpret_cast<hipGraphNode_t>(n.get()) == handle) return n.get();
  return nullptr;
}
hipGraphNode_t handle_of(const node* n) {
  return reinterpret_cast<hipGraphNode_t>(const_cast<node*>(n));
}

/// Nodes of one graph by their handles; false if one is not there.
bool find_nodes(const graph& g, const hipGraphNode_t* handles, size_t count,
                std::vector<node*>& out) {
  if (count && !handles) return false;
  for (size_t i = 0; i < count; ++i) {
    node* n = find_node(handles[i]);
    if (!n || n->owner != &g) return false;
    out.push_back(n);
  }
  return true;
}

hipError_t add_node(hipGraphNode_t* out, hipGraph_t to, const hipGraphNode_t* after, size_t count,
                    work w) {
  std::lock_guard guard(lock());
  const auto g = find_graph(to);
  std::vector<node*> before;
  if (!out || !g || !find_nodes(*g, after, count, before)) return fail(hipErrorInvalidValue);
  *out = handle_of(g->add(std::move(w), std::move(before)));
  return hipSuccess;
}

/// The work of a kernel node; `func` is a host stub or a function handle.
hipError_t kernel_work(const hipKernelNodeParams* p, work& out) {
  if (!p || !p->func) return hipErrorInvalidValue;
  function* f = find_function(p->func);
  if (!f) f = find_function(static_cast<hipFunction_t>(p->func));
  if (!f) return hipErrorInvalidDeviceFunction;
  launch_request r{p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams, nullptr, 0, false};
  prepared_launch l;
  if (const hipError_t e = unpack(p->extra, r); e != hipSuccess) return e;
  if (const hipError_t e = prepare(*f, r, l); e != hipSuccess) return e;
  out = work_of(std::move(l));
  return hipSuccess;
}

/// Order of a graph's nodes that respects dependencies; shorter than the graph if they
/// go round in a circle.
std::vector<const node*> in_order(const graph& g) {
  std::vector<const node*> out;
  std::set<const node*> done;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& n : g.nodes) {
      if (done.count(n.get())) continue;
      if (!std::all_of(n->after.begin(), n->after.end(),
                       [&](const node* b) { return done.count(b) != 0; }))
        continue;
      done.insert(n.get());
      out.push_back(n.get());
      moved = true;
    }
  }
  return out;
}

hipError_t instantiate(const graph& g, std::shared_ptr<graph_exec>& out) {
  const std::vector<const node*> order = in_order(g);
  if (order.size() != g.nodes.size()) return hipErrorInvalidValue;
  out = std::make_shared<graph_exec>();
  for (const node* n : order) {
    out->steps.push_back(n->what);
    out->origins.push_back(n);
  }
  return hipSuccess;
}

hipError_t run_all(const graph_exec& x) {
  for (const work& w : x.steps)
    if (w.run)
      if (const hipError_t e = w.run(); e != hipSuccess) return e;
  return hipSuccess;
}

/// A whole graph as one piece of work: as it is now, whatever becomes of the graph.
work child_work(std::shared_ptr<const graph_exec> x) {
  return {hipGraphNodeTypeGraph, [x] { return run_all(*x); }, nullptr};
}

/// Lists of nodes are asked for twice: how many, and then which.
template <class List>
hipError_t hand_out(const List& list, hipGraphNode_t* nodes, size_t* count) {
  if (!count) return fail(hipErrorInvalidValue);
  if (!nodes) {
    *count = list.size();
    return hipSuccess;
  }
  size_t n = 0;
  for (const node* x : list) {
    if (n == *count) break;
    nodes[n++] = handle_of(x);
  }
  std::fill(nodes + n, nodes + *count, nullptr);
  *count = n;
  return hipSuccess;
}

}  // namespace

node* graph::add(work w, std::vector<node*> after) {
  nodes.push_back(std::make_unique<node>(node{this, std::move(w), std::move(after)}));
  return nodes.back().get();
}

std::shared_ptr<graph> new_graph() {
  auto g = std::make_shared<graph>();
  graphs[g.get()] = g;
  return g;
}
void drop(const graph* g) { graphs.erase(g); }

}  // namespace amdsim::runtime

using namespace amdsim;
using namespace amdsim::runtime;

// ---- graphs and their nodes

AMDSIM_API hipError_t hipGraphCreate(hipGraph_t* g, unsigned flags) {
  std::lock_guard guard(lock());
  if (!g || flags) return fail(hipErrorInvalidValue);
  *g = reinterpret_cast<hipGraph_t>(new_graph().get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphDestroy(hipGraph_t g) {
  std::lock_guard guard(lock());
  return graphs.erase(g) ? hipSuccess : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipGraphClone(hipGraph_t* out, hipGraph_t from) {
  std::lock_guard guard(lock());
  const auto g = find_graph(from);
  if (!out || !g) return fail(hipErrorInvalidValue);
  const auto copy = new_graph();
  std::map<const node*, node*> twin;
  for (const auto& n : g->nodes) twin[n.get()] = copy->add(n->what, {});
  for (const auto& n : g->nodes)
    for (const node* b : n->after) twin[n.get()]->after.push_back(twin[b]);
  *out = reinterpret_cast<hipGraph_t>(copy.get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphAddKernelNode(hipGraphNode_t* out, hipGraph_t g,
                                            const hipGraphNode_t* after, size_t count,
                                            const hipKernelNodeParams* p) {
  std::lock_guard guard(lock());
  work w;
  if (const hipError_t e = kernel_work(p, w); e != hipSuccess) return fail(e);
  return add_node(out, g, after, count, std::move(w));
}
AMDSIM_API hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* out, hipGraph_t g,
                                              const hipGraphNode_t* after, size_t count, void* to,
                                              const void* from, size_t n, hipMemcpyKind k) {
  if (!to || !from) return fail(hipErrorInvalidValue);
  return add_node(out, g, after, count, memcpy_work(to, from, n, k));
}
AMDSIM_API hipError_t hipGraphAddMemsetNode(hipGraphNode_t* out, hipGraph_t g,
                                            const hipGraphNode_t* after, size_t count,
                                            const hipMemsetParams* p) {
  if (!p || !p->dst) return fail(hipErrorInvalidValue);
  if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
    return fail(hipErrorInvalidValue);
  return add_node(out, g, after, count, memset_work(*p));
}
AMDSIM_API hipError_t hipGraphAddHostNode(hipGraphNode_t* out, hipGraph_t g,
                                          const hipGraphNode_t* after, size_t count,
                                          const hipHostNodeParams* p) {
  if (!p || !p->fn) return fail(hipErrorInvalidValue);
  const hipHostNodeParams call = *p;
  return add_node(
      out, g, after, count,
      {hipGraphNodeTypeHost, [call] { return call.fn(call.userData), hipSuccess; }, nullptr});
}
AMDSIM_API hipError_t hipGraphAddEmptyNode(hipGraphNode_t* out, hipGraph_t g,
                                           const hipGraphNode_t* after, size_t count) {
  return add_node(out, g, after, count, {});
}
AMDSIM_API hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* out, hipGraph_t g,
                                                const hipGraphNode_t* after, size_t count,
                                                hipGraph_t child) {
  std::lock_guard guard(lock());
  const auto c = find_graph(child);
  std::shared_ptr<graph_exec> x;
  if (!c) return fail(hipErrorInvalidValue);
  if (const hipError_t e = instantiate(*c, x); e != hipSuccess) return fail(e);
  return add_node(out, g, after, count, child_work(x));
}
AMDSIM_API hipError_t hipGraphAddDependencies(hipGraph_t to, const hipGraphNode_t* from,
                                              const hipGraphNode_t* next, size_t n) {
  std::lock_guard guard(lock());
  const auto g = find_graph(to);
  std::vector<node*> first, second;
  if (!g || !find_nodes(*g, from, n, first) || !find_nodes(*g, next, n, second))
    return fail(hipErrorInvalidValue);
  for (size_t i = 0; i < n; ++i) {
    auto& after = second[i]->after;
    if (first[i] == second[i] || std::find(after.begin(), after.end(), first[i]) != after.end())
      return fail(hipErrorInvalidValue);
    after.push_back(first[i]);
  }
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphRemoveDependencies(hipGraph_t of, const hipGraphNode_t* from,
                                                 const hipGraphNode_t* next, size_t n) {
  std::lock_guard guard(lock());
  const auto g = find_graph(of);
  std::vector<node*> first, second;
  if (!g || !find_nodes(*g, from, n, first) || !find_nodes(*g, next, n, second))
    return fail(hipErrorInvalidValue);
  for (size_t i = 0; i < n; ++i) {
    auto& after = second[i]->after;
    const auto it = std::find(after.begin(), after.end(), first[i]);
    if (it == after.end()) return fail(hipErrorInvalidValue);
    after.erase(it);
  }
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  std::lock_guard guard(lock());
  node* gone = find_node(handle);
  if (!gone) return fail(hipErrorInvalidValue);
  auto& nodes = gone->owner->nodes;
  for (const auto& n : nodes)
    n->after.erase(std::remove(n->after.begin(), n->after.end(), gone), n->after.end());
  nodes.erase(
      std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return n.get() == gone; }));
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphGetNodes(hipGraph_t of, hipGraphNode_t* nodes, size_t* count) {
  std::lock_guard guard(lock());
  const auto g = find_graph(of);
  if (!g) return fail(hipErrorInvalidValue);
  std::vector<const node*> list;
  for (const auto& n : g->nodes) list.push_back(n.get());
  return hand_out(list, nodes, count);
}
AMDSIM_API hipError_t hipGraphGetRootNodes(hipGraph_t of, hipGraphNode_t* nodes, size_t* count) {
  std::lock_guard guard(lock());
  const auto g = find_graph(of);
  if (!g) return fail(hipErrorInvalidValue);
  std::vector<const node*> list;
  for (const auto& n : g->nodes)
    if (n->after.empty()) list.push_back(n.get());
  return hand_out(list, nodes, count);
}
AMDSIM_API hipError_t hipGraphNodeGetDependencies(hipGraphNode_t of, hipGraphNode_t* nodes,
                                                  size_t* count) {
  std::lock_guard guard(lock());
  const node* n = find_node(of);
  return n ? hand_out(n->after, nodes, count) : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t of, hipGraphNode_t* nodes,
                                                    size_t* count) {
  std::lock_guard guard(lock());
  const node* n = find_node(of);
  if (!n) return fail(hipErrorInvalidValue);
  std::vector<const node*> list;
  for (const auto& other : n->owner->nodes)
    if (std::find(other->after.begin(), other->after.end(), n) != other->after.end())
      list.push_back(other.get());
  return hand_out(list, nodes, count);
}
AMDSIM_API hipError_t hipGraphNodeGetType(hipGraphNode_t of, hipGraphNodeType* type) {
  std::lock_guard guard(lock());
  const node* n = find_node(of);
  if (!n || !type) return fail(hipErrorInvalidValue);
  // HIP 5 counts the kinds from one, later ones from zero.
  const int kind = static_cast<int>(n->what.kind) - (program_version() >= 6 ? 1 : 0);
  std::memcpy(type, &kind, sizeof kind);
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t of, const hipKernelNodeParams* p) {
  std::lock_guard guard(lock());
  node* n = find_node(of);
  if (!n || !n->what.launch) return fail(hipErrorInvalidValue);
  work w;
  if (const hipError_t e = kernel_work(p, w); e != hipSuccess) return fail(e);
  n->what = std::move(w);
  return hipSuccess;
}

// ---- execution

AMDSIM_API hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* out, hipGraph_t of,
                                                   unsigned long long) {
  std::lock_guard guard(lock());
  const auto g = find_graph(of);
  if (!out || !g) return fail(hipErrorInvalidValue);
  std::shared_ptr<graph_exec> x;
  if (const hipError_t e = instantiate(*g, x); e != hipSuccess) return fail(e);
  *out = reinterpret_cast<hipGraphExec_t>(x.get());
  execs[*out] = x;
  return hipSuccess;
}
AMDSIM_API hipError_t hipGraphInstantiate(hipGraphExec_t* out, hipGraph_t of, hipGraphNode_t* bad,
                                          char* log, size_t bytes) {
  const hipError_t e = hipGraphInstantiateWithFlags(out, of, 0);
  if (bad) *bad = nullptr;
  if (log && bytes)
    std::snprintf(log, bytes, "%s",
                  e == hipSuccess ? "" : "the dependencies of the graph's nodes form a circle");
  return e;
}
AMDSIM_API hipError_t hipGraphExecDestroy(hipGraphExec_t x) {
  std::lock_guard guard(lock());
  return execs.erase(x) ? hipSuccess : fail(hipErrorInvalidValue);
}
/// Into a stream that is being captured a graph goes as a child.
AMDSIM_API hipError_t hipGraphLaunch(hipGraphExec_t of, hipStream_t s) {
  std::lock_guard guard(lock());
  const auto x = find_exec(of);
  if (!x) return fail(hipErrorInvalidValue);
  return submit(s, child_work(capturing(s) ? std::make_shared<graph_exec>(*x) : x));
}
AMDSIM_API hipError_t hipGraphLaunch_spt(hipGraphExec_t x, hipStream_t s) {
  return hipGraphLaunch(x, s ? s : hipStreamPerThread);
}
AMDSIM_API hipError_t hipGraphUpload(hipGraphExec_t of, hipStream_t) {
  std::lock_guard guard(lock());
  return find_exec(of) ? hipSuccess : fail(hipErrorInvalidValue);
}
AMDSIM_API hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t of, hipGraphNode_t handle,
                                                      const hipKernelNodeParams* p) {
  std::lock_guard guard(lock());
  const auto x = find_exec(of);
  const node* n = find_node(handle);
  if (!x || !n) return fail(hipErrorInvalidValue);
  const auto it = std::find(x->origins.begin(), x->origins.end(), n);
  if (it == x->origins.end() || !n->what.launch) return fail(hipErrorInvalidValue);
  work w;
  if (const hipError_t e = kernel_work(p, w); e != hipSuccess) return fail(e);
  x->steps[static_cast<size_t>(it - x->origins.begin())] = std::move(w);
  return hipSuccess;
}
/// Takes over the parameters of a graph of the same shape.
AMDSIM_API hipError_t hipGraphExecUpdate(hipGraphExec_t of, hipGraph_t from, hipGraphNode_t* bad,
                                         hipGraphExecUpdateResult* result) {
  std::lock_guard guard(lock());
  const auto x = find_exec(of);
  const auto g = find_graph(from);
  if (!x || !g || !bad || !result) return fail(hipErrorInvalidValue);
  *bad = nullptr;
  const std::vector<const node*> order = in_order(*g);
  const auto differs = [&](hipGraphExecUpdateResult r, const node* at) {
    *result = r;
    *bad = handle_of(at);
    return fail(hipErrorGraphExecUpdateFailure);
  };
  if (order.size() != x->steps.size() || order.size() != g->nodes.size())
    return differs(hipGraphExecUpdateErrorTopologyChanged, nullptr);
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i]->what.kind != x->steps[i].kind)
      return differs(hipGraphExecUpdateErrorNodeTypeChanged, order[i]);
  for (size_t i = 0; i < order.size(); ++i) x->steps[i] = order[i]->what;
  x->origins = order;
  *result = hipGraphExecUpdateSuccess;
  return hipSuccess;
}
