// Stream capture and graphs of the stand-in: what is recorded runs at each launch of the
// graph and not before.
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

constexpr int n = 64;
constexpr size_t bytes = n * sizeof(int);

__device__ inline int place() {
#if defined(__HIP_DEVICE_COMPILE__)
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
#else
  return 0;
#endif
}
__global__ void add(int* out, const int* in, int by) { out[place()] = in[place()] + by; }
__global__ void multiply(int* out, const int* a, const int* b) {
  out[place()] = a[place()] * b[place()];
}

struct buffers {
  int *a, *b, *c;
  int host[n];
  buffers() {
    for (int** p : {&a, &b, &c}) IS(hipMalloc(reinterpret_cast<void**>(p), bytes), hipSuccess);
    put(1);
  }
  ~buffers() {
    for (int* p : {a, b, c}) (void)hipFree(p);
    (void)hipGetLastError();
  }
  /// a[i] = i * factor, and nothing in the others
  void put(int factor) {
    for (int i = 0; i < n; ++i) host[i] = i * factor;
    IS(hipMemcpy(a, host, bytes, hipMemcpyHostToDevice), hipSuccess);
    IS(hipMemset(b, 0, bytes), hipSuccess);
    IS(hipMemset(c, 0, bytes), hipSuccess);
  }
  int get(const int* from, int i) {
    IS(hipMemcpy(host, from, bytes, hipMemcpyDeviceToHost), hipSuccess);
    return host[i];
  }
};

hipStream_t make_stream(unsigned flags = hipStreamNonBlocking) {
  hipStream_t s;
  IS(hipStreamCreateWithFlags(&s, flags), hipSuccess);
  return s;
}
size_t count_nodes(hipGraph_t g) {
  size_t count = 0;
  IS(hipGraphGetNodes(g, nullptr, &count), hipSuccess);
  return count;
}

/// Two streams that part and meet again; launched twice with other data.
void fork_and_join() {
  buffers x;
  hipStream_t s = make_stream(), t = make_stream();
  hipEvent_t fork, join;
  IS(hipEventCreate(&fork), hipSuccess);
  IS(hipEventCreate(&join), hipSuccess);
  hipStreamCaptureStatus status;
  IS(hipStreamIsCapturing(s, &status), hipSuccess);
  CHECK(status == hipStreamCaptureStatusNone);

  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipErrorIllegalState);
  IS(hipGetLastError(), hipErrorIllegalState);
  IS(hipStreamIsCapturing(s, &status), hipSuccess);
  CHECK(status == hipStreamCaptureStatusActive);
  IS(hipMemsetAsync(x.c, 0xff, bytes, s), hipSuccess);
  IS(hipEventRecord(fork, s), hipSuccess);
  IS(hipStreamWaitEvent(t, fork, 0), hipSuccess);
  IS(hipStreamIsCapturing(t, &status), hipSuccess);
  CHECK(status == hipStreamCaptureStatusActive);
  add<<<1, n, 0, t>>>(x.b, x.a, 100);
  add<<<1, n, 0, s>>>(x.a, x.a, 1);
  IS(hipGetLastError(), hipSuccess);
  IS(hipEventRecord(join, t), hipSuccess);
  IS(hipStreamWaitEvent(s, join, 0), hipSuccess);
  multiply<<<1, n, 0, s>>>(x.c, x.a, x.b);
  int out[n] = {};
  IS(hipMemcpyAsync(out, x.c, bytes, hipMemcpyDeviceToHost, s), hipSuccess);
  hipGraph_t g, none;
  IS(hipStreamEndCapture(t, &none), hipErrorStreamCaptureUnmatched);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipStreamEndCapture(s, &none), hipErrorIllegalState);
  CHECK(none == nullptr && count_nodes(g) == 5);
  (void)hipGetLastError();
  CHECK(out[5] == 0 && x.get(x.c, 5) == 0 && x.get(x.a, 5) == 5);  // nothing has run yet
  hipGraphExec_t run;
  IS(hipGraphInstantiate(&run, g, nullptr, nullptr, 0), hipSuccess);
  IS(hipGraphLaunch(run, t), hipSuccess);
  CHECK(out[5] == 6 * 105 && x.get(x.c, 5) == 6 * 105 && x.get(x.a, 5) == 6);
  x.put(2);
  IS(hipGraphLaunch(run, t), hipSuccess);
  CHECK(out[5] == 11 * 110);
  IS(hipGraphExecDestroy(run), hipSuccess);
  IS(hipGraphDestroy(g), hipSuccess);
  IS(hipStreamDestroy(t), hipSuccess);
  IS(hipStreamDestroy(s), hipSuccess);
  IS(hipEventDestroy(fork), hipSuccess);
  IS(hipEventDestroy(join), hipSuccess);
}

void capture_and_run() {
  buffers x;
  hipStream_t s = make_stream();
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal), hipSuccess);
  int by = 7;
  void* args[] = {&x.b, &x.a, &by};
  IS(hipLaunchKernel(reinterpret_cast<const void*>(add), dim3(1), dim3(n), args, 0, s), hipSuccess);
  by = 1000;  // arguments are taken when the launch is recorded
  multiply<<<1, n, 0, s>>>(x.c, x.b, x.b);
  int out[n] = {};
  IS(hipMemcpyAsync(out, x.c, bytes, hipMemcpyDeviceToHost, s), hipSuccess);
  hipGraph_t g;
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  CHECK(count_nodes(g) == 3);
  std::vector<hipGraphNode_t> nodes(3);
  size_t count = 3;
  IS(hipGraphGetNodes(g, nodes.data(), &count), hipSuccess);
  hipGraphNodeType type;
  IS(hipGraphNodeGetType(nodes[2], &type), hipSuccess);
  CHECK(count == 3 && type == hipGraphNodeTypeMemcpy);
  IS(hipGraphNodeGetType(nodes[0], &type), hipSuccess);
  CHECK(type == hipGraphNodeTypeKernel);
  IS(hipGraphNodeGetDependencies(nodes[1], nullptr, &count), hipSuccess);
  CHECK(count == 1);
  count = 0;
  IS(hipGraphGetRootNodes(g, nullptr, &count), hipSuccess);
  CHECK(count == 1);

  hipGraphExec_t run;
  IS(hipGraphInstantiate(&run, g, nullptr, nullptr, 0), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  IS(hipStreamSynchronize(s), hipSuccess);
  CHECK(out[0] == 49 && out[3] == 100);
  x.put(2);
  IS(hipGraphLaunch(run, s), hipSuccess);
  IS(hipGraphLaunch(run, nullptr), hipSuccess);
  CHECK(out[3] == 169);

  // Another argument for the executable graph alone, and for both.
  by = 1;
  hipKernelNodeParams p{};
  p.func = reinterpret_cast<void*>(add);
  p.gridDim = dim3(1);
  p.blockDim = dim3(n);
  p.kernelParams = args;
  IS(hipGraphExecKernelNodeSetParams(run, nodes[0], &p), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  CHECK(out[3] == 49);
  by = 2;
  IS(hipGraphKernelNodeSetParams(nodes[0], &p), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  CHECK(out[3] == 49);
  hipGraphNode_t bad;
  hipGraphExecUpdateResult result;
  IS(hipGraphExecUpdate(run, g, &bad, &result), hipSuccess);
  CHECK(result == hipGraphExecUpdateSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  CHECK(out[3] == 64);
  p.blockDim = dim3(2048);
  IS(hipGraphKernelNodeSetParams(nodes[0], &p), hipErrorInvalidConfiguration);

  // A copy of the graph is one of its own; without its last node it no longer fits.
  hipGraph_t twin;
  IS(hipGraphClone(&twin, g), hipSuccess);
  IS(hipGraphDestroyNode(nodes[2]), hipSuccess);
  CHECK(count_nodes(g) == 2 && count_nodes(twin) == 3);
  IS(hipGraphExecUpdate(run, g, &bad, &result), hipErrorGraphExecUpdateFailure);
  CHECK(result == hipGraphExecUpdateErrorTopologyChanged);
  // The executable graph outlives the graph.
  IS(hipGraphDestroy(g), hipSuccess);
  IS(hipGraphDestroy(g), hipErrorInvalidValue);
  out[3] = 0;
  IS(hipGraphLaunch(run, s), hipSuccess);
  CHECK(out[3] == 64);
  IS(hipGraphDestroy(twin), hipSuccess);

  // Into a stream that is being captured it goes as a child.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  CHECK(count_nodes(g) == 2);
  hipGraphExec_t outer;
  IS(hipGraphInstantiateWithFlags(&outer, g, 0), hipSuccess);
  IS(hipGraphExecDestroy(run), hipSuccess);
  IS(hipGraphLaunch(run, s), hipErrorInvalidValue);
  out[3] = 0;
  IS(hipGraphLaunch(outer, s), hipSuccess);
  CHECK(out[3] == 64);

  // A block that is gone when the graph runs is noticed then.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  int* gone;
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipMalloc(reinterpret_cast<void**>(&gone), bytes), hipSuccess);
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipMemsetAsync(gone, 0, bytes, s), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipGraphInstantiate(&run, g, nullptr, nullptr, 0), hipSuccess);
  IS(hipGraphLaunch(run, s), hipSuccess);
  IS(hipFree(gone), hipSuccess);
  IS(hipGraphLaunch(run, s), hipErrorInvalidValue);
  IS(hipStreamDestroy(s), hipSuccess);
  (void)hipGetLastError();
}

/// What may not be done meanwhile, and what becomes of the capture.
void errors() {
  buffers x;
  hipStream_t s = make_stream(), t = make_stream(), blocking = make_stream(hipStreamDefault);
  hipEvent_t e, before;
  IS(hipEventCreate(&e), hipSuccess);
  IS(hipEventCreate(&before), hipSuccess);
  hipGraph_t g;
  IS(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
  IS(hipStreamEndCapture(s, &g), hipErrorIllegalState);
#define SPOILS(CALL, ERROR)                                               \
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);   \
  IS(hipMemsetAsync(x.a, 0, bytes, s), hipSuccess);                       \
  IS(CALL, ERROR);                                                        \
  IS(hipMemsetAsync(x.a, 0, bytes, s), hipErrorStreamCaptureInvalidated); \
  IS(hipStreamEndCapture(s, &g), hipErrorStreamCaptureInvalidated);
  void* p;
  SPOILS(hipStreamSynchronize(s), hipErrorStreamCaptureUnsupported)
  SPOILS(hipStreamQuery(s), hipErrorStreamCaptureUnsupported)
  SPOILS(hipDeviceSynchronize(), hipErrorStreamCaptureUnsupported)
  SPOILS(hipMalloc(&p, 16), hipErrorStreamCaptureUnsupported)
  SPOILS(hipMemcpy(x.a, x.host, bytes, hipMemcpyHostToDevice), hipErrorStreamCaptureUnsupported)
  IS(hipEventRecord(before, t), hipSuccess);
  SPOILS(hipStreamWaitEvent(s, before, 0), hipErrorStreamCaptureIsolation)
  SPOILS((IS(hipEventRecord(e, s), hipSuccess), hipEventQuery(e)), hipErrorCapturedEvent)
  CHECK(x.get(x.a, 5) == 5);

  // Captures that do not forbid these.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed), hipSuccess);
  IS(hipMalloc(&p, 16), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipFree(p), hipSuccess);
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  IS(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);
  CHECK(mode == hipStreamCaptureModeGlobal);
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipMalloc(&p, 16), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipFree(p), hipSuccess);
  IS(hipThreadExchangeStreamCaptureMode(&mode), hipSuccess);

  // The default stream waits for streams that are not made non-blocking.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipMemsetAsync(x.b, 0, bytes, nullptr), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipStreamBeginCapture(blocking, hipStreamCaptureModeGlobal), hipSuccess);
  add<<<1, n>>>(x.a, x.a, 1);
  IS(hipGetLastError(), hipErrorStreamCaptureImplicit);
  IS(hipStreamEndCapture(blocking, &g), hipErrorStreamCaptureInvalidated);

  // A stream that was drawn in and has work that nobody waits for.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipEventRecord(e, s), hipSuccess);
  IS(hipStreamWaitEvent(t, e, 0), hipSuccess);
  IS(hipMemsetAsync(x.b, 0, bytes, t), hipSuccess);
  IS(hipStreamEndCapture(s, &g), hipErrorStreamCaptureUnjoined);
  // Two captures cannot become one.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipStreamBeginCapture(t, hipStreamCaptureModeGlobal), hipSuccess);
  IS(hipEventRecord(e, s), hipSuccess);
  IS(hipStreamWaitEvent(t, e, 0), hipErrorStreamCaptureMerge);
  IS(hipStreamEndCapture(s, &g), hipErrorStreamCaptureInvalidated);
  IS(hipStreamEndCapture(t, &g), hipErrorStreamCaptureInvalidated);
  // Nor can another thread end one, unless it is relaxed.
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal), hipSuccess);
  std::thread([&] { IS(hipStreamEndCapture(s, &g), hipErrorStreamCaptureWrongThread); }).join();
  IS(hipStreamEndCapture(s, &g), hipSuccess);
  IS(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed), hipSuccess);
  std::thread([&] { IS(hipStreamEndCapture(s, &g), hipSuccess); }).join();
  for (hipStream_t each : {s, t, blocking}) IS(hipStreamDestroy(each), hipSuccess);
  (void)hipGetLastError();
}

/// A graph made by hand, its nodes in another order than they must run in.
void node_by_node() {
  buffers x;
  hipGraph_t g;
  IS(hipGraphCreate(&g, 0), hipSuccess);
  int three = 3, out[n] = {}, calls = 0;
  void* args[] = {&x.c, &x.b, &three};
  hipKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(n);
  kernel.kernelParams = args;
  hipMemsetParams fill{};
  fill.dst = x.b;
  fill.elementSize = 4;
  fill.value = 40;
  fill.width = n;
  fill.height = 1;
  hipHostNodeParams call{[](void* data) { ++*static_cast<int*>(data); }, &calls};
  hipGraphNode_t copy_node, kernel_node, fill_node, host_node, empty_node;
  IS(hipGraphAddMemcpyNode1D(&copy_node, g, nullptr, 0, out, x.c, bytes, hipMemcpyDeviceToHost),
     hipSuccess);
  IS(hipGraphAddKernelNode(&kernel_node, g, nullptr, 0, &kernel), hipSuccess);
  IS(hipGraphAddMemsetNode(&fill_node, g, nullptr, 0, &fill), hipSuccess);
  IS(hipGraphAddHostNode(&host_node, g, &copy_node, 1, &call), hipSuccess);
  IS(hipGraphAddEmptyNode(&empty_node, g, &host_node, 1), hipSuccess);
  const hipGraphNode_t first[] = {kernel_node, fill_node}, then[] = {copy_node, kernel_node};
  IS(hipGraphAddDependencies(g, first, then, 2), hipSuccess);
  IS(hipGraphAddDependencies(g, first, then, 1), hipErrorInvalidValue);
  hipGraphExec_t run;
  IS(hipGraphInstantiate(&run, g, nullptr, nullptr, 0), hipSuccess);
  IS(hipGraphLaunch(run, nullptr), hipSuccess);
  IS(hipGraphLaunch(run, nullptr), hipSuccess);
  CHECK(out[7] == 43 && calls == 2);
  // In a circle nothing can be first.
  IS(hipGraphAddDependencies(g, &copy_node, &fill_node, 1), hipSuccess);
  hipGraphExec_t none = nullptr;
  IS(hipGraphInstantiate(&none, g, nullptr, nullptr, 0), hipErrorInvalidValue);
  IS(hipGraphRemoveDependencies(g, &copy_node, &fill_node, 1), hipSuccess);
  IS(hipGraphRemoveDependencies(g, &copy_node, &fill_node, 1), hipErrorInvalidValue);
  hipGraph_t outer;
  hipGraphNode_t child;
  IS(hipGraphCreate(&outer, 0), hipSuccess);
  IS(hipGraphAddChildGraphNode(&child, outer, nullptr, 0, g), hipSuccess);
  IS(hipGraphExecDestroy(run), hipSuccess);
  IS(hipGraphInstantiate(&run, outer, nullptr, nullptr, 0), hipSuccess);
  IS(hipGraphLaunch(run, nullptr), hipSuccess);
  CHECK(calls == 3);
  IS(hipGraphAddEmptyNode(&child, outer, &host_node, 1),
     hipErrorInvalidValue);  // a node of another graph
  for (hipGraph_t each : {g, outer}) IS(hipGraphDestroy(each), hipSuccess);
  IS(hipGraphExecDestroy(run), hipSuccess);
  (void)hipGetLastError();
}

}  // namespace

int main() {
  fork_and_join();
  capture_and_run();
  errors();
  node_by_node();
  std::printf("%s\n", failures ? "FAILED" : "all ok");
  return failures != 0;
}
