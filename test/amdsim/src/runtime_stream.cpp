// The HIP stand-in: streams, events and the capture of streams into graphs. Work is done by the
// time that a call returns.
#include <algorithm>
#include <chrono>
#include <map>

#include "runtime_graph.hpp"

namespace amdsim::runtime {
namespace {

struct event {
  bool recorded = false, timed = true;
  std::chrono::steady_clock::time_point at;
  std::shared_ptr<capture> captured;  ///< last recorded in a stream that was being captured
  std::vector<node*> after;           ///< and what it stands for there
};

std::map<const void*, std::unique_ptr<stream>> streams;
std::map<std::thread::id, std::unique_ptr<stream>> thread_streams;
std::map<const void*, std::unique_ptr<event>> events;
thread_local hipStreamCaptureMode thread_mode = hipStreamCaptureModeGlobal;

event* find_event(hipEvent_t e) {
  const auto it = events.find(e);
  return it == events.end() ? nullptr : it->second.get();
}

template <class F>
void for_all_streams(F f) {
  for (auto& [handle, s] : streams) f(*s);
  for (auto& [id, s] : thread_streams) f(*s);
}

/// Captures in progress.
std::vector<std::shared_ptr<capture>> active() {
  std::vector<std::shared_ptr<capture>> out;
  for_all_streams([&](stream& s) {
    if (s.origin && s.recording) out.push_back(s.recording);
  });
  return out;
}

/// The default stream waits for all streams but those made non-blocking, so it cannot be used while
/// one of them is captured.
hipError_t default_stream_usable() {
  bool bad = false;
  for_all_streams([&](stream& s) {
    if (s.recording && !(s.flags & hipStreamNonBlocking) &&
        s.recording->mode != hipStreamCaptureModeRelaxed) {
      s.recording->spoiled = true;
      bad = true;
    }
  });
  return bad ? hipErrorStreamCaptureImplicit : hipSuccess;
}

void add_to(std::vector<node*>& tail, const std::vector<node*>& more) {
  for (node* n : more)
    if (std::find(tail.begin(), tail.end(), n) == tail.end()) tail.push_back(n);
}

/// Whether all of a capture's nodes lead to what its first stream would do next.
bool joined(const capture& c, const std::vector<node*>& end) {
  std::set<const node*> seen(end.begin(), end.end());
  std::vector<const node*> open(end.begin(), end.end());
  while (!open.empty()) {
    const node* n = open.back();
    open.pop_back();
    for (const node* before : n->after)
      if (seen.insert(before).second) open.push_back(before);
  }
  return seen.size() == c.to->nodes.size();
}

hipError_t make_stream(hipStream_t* s, unsigned flags, int priority) {
  std::lock_guard g(lock());
  if (!s || flags > hipStreamNonBlocking) return fail(hipErrorInvalidValue);
  auto x = std::make_unique<stream>();
  x->flags = flags;
  x->priority = priority;
  *s = reinterpret_cast<hipStream_t>(x.get());
  streams[*s] = std::move(x);
  return hipSuccess;
}

/// A call that waits for a stream, or asks whether one could.
hipError_t wait_for_stream(hipStream_t s) {
  std::lock_guard g(lock());
  bool valid;
  const stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!x) return fail(default_stream_usable());
  if (!x->recording) return hipSuccess;
  x->recording->spoiled = true;
  return fail(hipErrorStreamCaptureUnsupported);
}

hipStream_t or_thread(hipStream_t s) { return s ? s : hipStreamPerThread; }

}  // namespace

stream* find_stream(hipStream_t s, bool& valid) {
  valid = true;
  if (!s) return nullptr;
  if (s == hipStreamPerThread) {
    auto& x = thread_streams[std::this_thread::get_id()];
    if (!x) x = std::make_unique<stream>();
    return x.get();
  }
  const auto it = streams.find(s);
  valid = it != streams.end();
  return valid ? it->second.get() : nullptr;
}

void end_capture(const std::shared_ptr<capture>& c) {
  for_all_streams([&](stream& s) {
    if (s.recording != c) return;
    s.recording = nullptr;
    s.origin = false;
    s.tail.clear();
  });
  for (auto& [handle, e] : events)
    if (e->captured == c) {
      e->captured = nullptr;
      e->after.clear();
      e->recorded = false;
    }
}

bool capturing(hipStream_t s) {
  std::lock_guard g(lock());
  bool valid;
  const stream* x = find_stream(s, valid);
  return x && x->recording;
}

hipError_t not_while_capturing() {
  if (thread_mode == hipStreamCaptureModeRelaxed) return hipSuccess;
  bool bad = false;
  for (const auto& c : active()) {
    const bool here = c->thread == std::this_thread::get_id();
    const bool forbids = c->mode == hipStreamCaptureModeGlobal
                             ? here || thread_mode == hipStreamCaptureModeGlobal
                             : c->mode == hipStreamCaptureModeThreadLocal && here;
    if (!forbids) continue;
    c->spoiled = true;
    bad = true;
  }
  return bad ? hipErrorStreamCaptureUnsupported : hipSuccess;
}

hipError_t submit(hipStream_t s, work w) {
  std::lock_guard g(lock());
  bool valid;
  stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!x)
    if (const hipError_t e = default_stream_usable(); e != hipSuccess) return fail(e);
  if (!x || !x->recording) return w.run ? fail(w.run()) : hipSuccess;
  if (x->recording->spoiled) return fail(hipErrorStreamCaptureInvalidated);
  x->tail = {x->recording->to->add(std::move(w), x->tail)};
  return hipSuccess;
}

}  // namespace amdsim::runtime

using namespace amdsim;
using namespace amdsim::runtime;

// ---- streams

AMDSIM_API hipError_t hipStreamCreate(hipStream_t* s) { return make_stream(s, 0, 0); }
AMDSIM_API hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned f) {
  return make_stream(s, f, 0);
}
AMDSIM_API hipError_t hipStreamCreateWithPriority(hipStream_t* s, unsigned f, int p) {
  return make_stream(s, f, std::clamp(p, -1, 1));
}
AMDSIM_API hipError_t hipStreamDestroy(hipStream_t s) {
  std::lock_guard g(lock());
  const auto it = streams.find(s);
  if (it == streams.end()) return fail(hipErrorInvalidHandle);
  if (const auto c = it->second->recording) {
    c->spoiled = true;
    if (it->second->origin) {
      end_capture(c);
      drop(c->to.get());
    }
  }
  streams.erase(it);
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamSynchronize(hipStream_t s) { return wait_for_stream(s); }
AMDSIM_API hipError_t hipStreamSynchronize_spt(hipStream_t s) {
  return wait_for_stream(or_thread(s));
}
AMDSIM_API hipError_t hipStreamQuery(hipStream_t s) { return wait_for_stream(s); }
AMDSIM_API hipError_t hipStreamQuery_spt(hipStream_t s) { return wait_for_stream(or_thread(s)); }
AMDSIM_API hipError_t hipStreamGetFlags(hipStream_t s, unsigned* f) {
  std::lock_guard g(lock());
  bool valid;
  const stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!f) return fail(hipErrorInvalidValue);
  *f = x ? x->flags : 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamGetFlags_spt(hipStream_t s, unsigned* f) {
  return hipStreamGetFlags(or_thread(s), f);
}
AMDSIM_API hipError_t hipStreamGetPriority(hipStream_t s, int* p) {
  std::lock_guard g(lock());
  bool valid;
  const stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!p) return fail(hipErrorInvalidValue);
  *p = x ? x->priority : 0;
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamGetPriority_spt(hipStream_t s, int* p) {
  return hipStreamGetPriority(or_thread(s), p);
}
AMDSIM_API hipError_t hipStreamAddCallback(hipStream_t s, hipStreamCallback_t f, void* data,
                                           unsigned) {
  if (!f) return fail(hipErrorInvalidValue);
  if (const hipError_t e = wait_for_stream(s); e != hipSuccess) return e;
  f(s, hipSuccess, data);
  return hipSuccess;
}
AMDSIM_API hipError_t hipLaunchHostFunc(hipStream_t s, hipHostFn_t f, void* data) {
  if (!f) return fail(hipErrorInvalidValue);
  return submit(s, {hipGraphNodeTypeHost, [=] { return f(data), hipSuccess; }, nullptr});
}
AMDSIM_API hipError_t hipLaunchHostFunc_spt(hipStream_t s, hipHostFn_t f, void* data) {
  return hipLaunchHostFunc(or_thread(s), f, data);
}
AMDSIM_API hipError_t hipDeviceSynchronize() {
  std::lock_guard g(lock());
  return fail(not_while_capturing());
}

// ---- events

AMDSIM_API hipError_t hipEventCreateWithFlags(hipEvent_t* e, unsigned flags) {
  std::lock_guard g(lock());
  if (!e) return fail(hipErrorInvalidValue);
  auto x = std::make_unique<event>();
  x->timed = !(flags & hipEventDisableTiming);
  *e = reinterpret_cast<hipEvent_t>(x.get());
  events[*e] = std::move(x);
  return hipSuccess;
}
AMDSIM_API hipError_t hipEventCreate(hipEvent_t* e) { return hipEventCreateWithFlags(e, 0); }
AMDSIM_API hipError_t hipEventDestroy(hipEvent_t e) {
  std::lock_guard g(lock());
  return events.erase(e) ? hipSuccess : fail(hipErrorInvalidHandle);
}
AMDSIM_API hipError_t hipEventRecord(hipEvent_t e, hipStream_t s) {
  std::lock_guard g(lock());
  bool valid;
  event* x = find_event(e);
  stream* on = find_stream(s, valid);
  if (!x || !valid) return fail(hipErrorInvalidHandle);
  if (!on)
    if (const hipError_t bad = default_stream_usable(); bad != hipSuccess) return fail(bad);
  if (on && on->recording) {
    if (on->recording->spoiled) return fail(hipErrorStreamCaptureInvalidated);
    x->captured = on->recording;
    x->after = on->tail;
    return hipSuccess;
  }
  x->captured = nullptr;
  x->after.clear();
  x->recorded = true;
  x->at = std::chrono::steady_clock::now();
  return hipSuccess;
}
AMDSIM_API hipError_t hipEventRecord_spt(hipEvent_t e, hipStream_t s) {
  return hipEventRecord(e, or_thread(s));
}
AMDSIM_API hipError_t hipEventRecordWithFlags(hipEvent_t e, hipStream_t s, unsigned flags) {
  if (flags > 1) return fail(hipErrorInvalidValue);
  if (flags == 1 && capturing(s))
    missing("hipEventRecordWithFlags, external, on a stream that is being captured");
  return hipEventRecord(e, s);
}
AMDSIM_API hipError_t hipEventSynchronize(hipEvent_t e) {
  std::lock_guard g(lock());
  const event* x = find_event(e);
  if (!x) return fail(hipErrorInvalidHandle);
  if (!x->captured) return hipSuccess;
  x->captured->spoiled = true;
  return fail(hipErrorCapturedEvent);
}
AMDSIM_API hipError_t hipEventQuery(hipEvent_t e) { return hipEventSynchronize(e); }
AMDSIM_API hipError_t hipEventElapsedTime(float* ms, hipEvent_t a, hipEvent_t b) {
  std::lock_guard g(lock());
  if (!ms) return fail(hipErrorInvalidValue);
  const event *x = find_event(a), *y = find_event(b);
  if (!x || !y || !x->recorded || !y->recorded || !x->timed || !y->timed)
    return fail(hipErrorInvalidHandle);
  *ms = std::chrono::duration<float, std::milli>(y->at - x->at).count();
  return hipSuccess;
}
/// Outside of captures nothing is outstanding; inside it draws another stream in, or makes this one
/// wait for the other.
AMDSIM_API hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned) {
  std::lock_guard g(lock());
  bool valid;
  stream* x = find_stream(s, valid);
  const event* v = find_event(e);
  if (!valid || !v) return fail(hipErrorInvalidHandle);
  if (!x) return v->captured ? fail(hipErrorStreamCaptureImplicit) : fail(default_stream_usable());
  if (x->recording && x->recording->spoiled) return fail(hipErrorStreamCaptureInvalidated);
  if (!v->captured) {
    if (!x->recording) return hipSuccess;
    x->recording->spoiled = true;  // would wait for something outside of the graph
    return fail(hipErrorStreamCaptureIsolation);
  }
  if (v->captured->spoiled) return fail(hipErrorStreamCaptureInvalidated);
  if (x->recording && x->recording != v->captured) {
    x->recording->spoiled = v->captured->spoiled = true;
    return fail(hipErrorStreamCaptureMerge);
  }
  x->recording = v->captured;
  add_to(x->tail, v->after);
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamWaitEvent_spt(hipStream_t s, hipEvent_t e, unsigned f) {
  return hipStreamWaitEvent(or_thread(s), e, f);
}

// ---- capture

AMDSIM_API hipError_t hipStreamBeginCapture(hipStream_t s, hipStreamCaptureMode mode) {
  std::lock_guard g(lock());
  bool valid;
  stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!x) return fail(hipErrorStreamCaptureUnsupported);
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return fail(hipErrorInvalidValue);
  if (x->recording) return fail(hipErrorIllegalState);
  static u64 count = 0;
  x->recording = std::make_shared<capture>();
  x->recording->to = new_graph();
  x->recording->mode = mode;
  x->recording->thread = std::this_thread::get_id();
  x->recording->id = ++count;
  x->origin = true;
  x->tail.clear();
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t* out) {
  std::lock_guard g(lock());
  if (!out) return fail(hipErrorInvalidValue);
  *out = nullptr;
  bool valid;
  const stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!x || !x->recording) return fail(hipErrorIllegalState);
  if (!x->origin) return fail(hipErrorStreamCaptureUnmatched);
  const std::shared_ptr<capture> c = x->recording;
  if (c->mode != hipStreamCaptureModeRelaxed && c->thread != std::this_thread::get_id())
    return fail(hipErrorStreamCaptureWrongThread);
  const bool complete = joined(*c, x->tail);
  end_capture(c);
  if (c->spoiled || !complete) {
    drop(c->to.get());
    return fail(c->spoiled ? hipErrorStreamCaptureInvalidated : hipErrorStreamCaptureUnjoined);
  }
  *out = reinterpret_cast<hipGraph_t>(c->to.get());
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamGetCaptureInfo_v2(hipStream_t s, hipStreamCaptureStatus* status,
                                                 unsigned long long* id, hipGraph_t* to,
                                                 const hipGraphNode_t** after, size_t* count) {
  std::lock_guard g(lock());
  bool valid;
  const stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!status) return fail(hipErrorInvalidValue);
  if (!x)
    if (const hipError_t e = default_stream_usable(); e != hipSuccess) return fail(e);
  *status = !x || !x->recording     ? hipStreamCaptureStatusNone
            : x->recording->spoiled ? hipStreamCaptureStatusInvalidated
                                    : hipStreamCaptureStatusActive;
  if (*status != hipStreamCaptureStatusActive) return hipSuccess;
  if (id) *id = x->recording->id;
  if (to) *to = reinterpret_cast<hipGraph_t>(x->recording->to.get());
  if (after) *after = reinterpret_cast<const hipGraphNode_t*>(x->tail.data());
  if (count) *count = x->tail.size();
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamGetCaptureInfo(hipStream_t s, hipStreamCaptureStatus* status,
                                              unsigned long long* id) {
  return hipStreamGetCaptureInfo_v2(s, status, id, nullptr, nullptr, nullptr);
}
AMDSIM_API hipError_t hipStreamIsCapturing(hipStream_t s, hipStreamCaptureStatus* status) {
  return hipStreamGetCaptureInfo(s, status, nullptr);
}
/// What the stream's next node waits for, replaced (1) or added to (0).
AMDSIM_API hipError_t hipStreamUpdateCaptureDependencies(hipStream_t s, hipGraphNode_t* after,
                                                         size_t count, unsigned flags) {
  std::lock_guard g(lock());
  bool valid;
  stream* x = find_stream(s, valid);
  if (!valid) return fail(hipErrorInvalidHandle);
  if (!x || !x->recording) return fail(hipErrorIllegalState);
  if (flags > hipStreamSetCaptureDependencies || (count && !after))
    return fail(hipErrorInvalidValue);
  std::vector<node*> more;
  for (size_t i = 0; i < count; ++i) {
    auto* n = reinterpret_cast<node*>(after[i]);
    const auto& all = x->recording->to->nodes;
    if (std::none_of(all.begin(), all.end(), [&](const auto& p) { return p.get() == n; }))
      return fail(hipErrorInvalidValue);
    more.push_back(n);
  }
  if (flags == hipStreamSetCaptureDependencies) x->tail.clear();
  add_to(x->tail, more);
  return hipSuccess;
}
AMDSIM_API hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  if (!mode || *mode < hipStreamCaptureModeGlobal || *mode > hipStreamCaptureModeRelaxed)
    return fail(hipErrorInvalidValue);
  std::swap(*mode, thread_mode);
  return hipSuccess;
}
AMDSIM_API hipError_t hipStreamBeginCapture_spt(hipStream_t s, hipStreamCaptureMode mode) {
  return hipStreamBeginCapture(or_thread(s), mode);
}
AMDSIM_API hipError_t hipStreamEndCapture_spt(hipStream_t s, hipGraph_t* g) {
  return hipStreamEndCapture(or_thread(s), g);
}
AMDSIM_API hipError_t hipStreamIsCapturing_spt(hipStream_t s, hipStreamCaptureStatus* status) {
  return hipStreamIsCapturing(or_thread(s), status);
}
