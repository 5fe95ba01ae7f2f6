/* Prints the constants and offsets of the run-file format, one "name value" a
 * line, for TestLayoutMatchesRecorder. */
#include "format.h"

#include <stddef.h>
#include <stdio.h>

#define VALUE(name, v) printf("%s %llu\n", name, (unsigned long long)(v))
#define AT(name, type, field) VALUE(name, offsetof(struct type, field))
#define FIXED(name, type, field) VALUE(name, offsetof(struct type, field) - sizeof(struct lg_rec))
#define BEHIND(name, type, field, start) VALUE(name, offsetof(struct type, field) - offsetof(struct type, start))

static void constants(void) {
  VALUE("fileMagic", LG_MAGIC);
  VALUE("chunkMagic", LG_CHUNK_MAGIC);
  VALUE("streamMagic", LG_STREAM_MAGIC);
  VALUE("blockSize", LG_BLOCK);
  VALUE("noThread", LG_NO_THREAD);
  VALUE("UsageStream", LG_STREAM_USAGE);
  VALUE("MovementStream", LG_STREAM_MOVEMENT);
  VALUE("version", LG_VERSION);
  VALUE("pageSize", LG_PAGE);
  VALUE("firstChunkSize", LG_FIRST_CHUNK);
  VALUE("chunkSize", LG_CHUNK);
  VALUE("maxFrames", LG_MAX_FRAMES);
  VALUE("maxPending", LG_MAX_PENDING);
  VALUE("channelsPerRec", LG_CHANNELS);
  VALUE("locksPerRec", LG_LOCKS);
  VALUE("maxNeighbours", LG_MAX_NEIGHBOURS);
  VALUE("noModule", LG_NO_MODULE);
  VALUE("None", -(LG_NONE));
  VALUE("Any", -(LG_ANY));
  VALUE("ProcNull", -(LG_PROC_NULL));
  VALUE("TagPost", -(LG_TAG_POST));
  VALUE("TagComplete", -(LG_TAG_COMPLETE));
  VALUE("Exclusive", LG_LOCK_EXCLUSIVE);
  VALUE("Shared", LG_LOCK_SHARED);
  VALUE("Either", LG_LOCK_EITHER);
  VALUE("recRank", LG_REC_RANK);
  VALUE("recThreadRec", LG_REC_THREAD);
  VALUE("recModule", LG_REC_MODULE);
  VALUE("recState", LG_REC_STATE);
  VALUE("recEdge", LG_REC_EDGE);
  VALUE("recComm", LG_REC_COMM);
  VALUE("recChannels", LG_REC_CHANNELS);
  VALUE("recNote", LG_REC_NOTE);
  VALUE("recLocks", LG_REC_LOCKS);
  VALUE("recSite", LG_REC_SITE);
  VALUE("recSent", LG_REC_SENT);
  VALUE("recHistory", LG_REC_HISTORY);
  VALUE("recLibrary", LG_REC_LIBRARY);
  VALUE("recRaised", LG_REC_RAISED);
  FIXED("raisedCalls", lg_raised, calls);
  FIXED("raisedHow", lg_raised, how);
  FIXED("raisedNFrames", lg_raised, nframes);
  FIXED("raisedTypeLen", lg_raised, type_len);
  FIXED("raisedFlags", lg_raised, flags);
  FIXED("raisedOrder", lg_raised, order);
  VALUE("raisedFixed", sizeof(struct lg_raised) - sizeof(struct lg_rec));
  VALUE("RaisedLast", LG_RAISED_LAST);
  VALUE("RaisedThrown", LG_RAISED_THROWN);
  VALUE("begunPerRec", LG_BEGUN);
  VALUE("markLevels", LG_MARK_LEVELS);
  VALUE("markStep", LG_MARK_STEP);
  VALUE("recArguments", LG_REC_ARGUMENTS);
  VALUE("maxArguments", LG_MAX_ARGUMENTS);
  VALUE("Starting", LG_STARTING);
  VALUE("Finalized", LG_FINALIZED);
  VALUE("NoEnd", LG_ALIVE);
  VALUE("Exited", LG_EXITED);
  VALUE("Signalled", LG_SIGNALLED);
  VALUE("Aborted", LG_ABORTED);
  VALUE("Local", LG_OP_LOCAL);
  VALUE("Send", LG_OP_SEND);
  VALUE("Recv", LG_OP_RECV);
  VALUE("Probe", LG_OP_PROBE);
  VALUE("Collective", LG_OP_COLL);
  VALUE("Wait", LG_OP_WAIT);
  VALUE("WaitAny", LG_OP_WAITANY);
  VALUE("Poll", LG_OP_POLL);
  VALUE("Init", LG_OP_INIT);
  VALUE("Finalize", LG_OP_FINALIZE);
  VALUE("RMA", LG_OP_RMA);
  VALUE("Other", LG_OP_OTHER);
  VALUE("Abort", LG_OP_ABORT);
}

static void headers(void) {
  AT("fileVersion", lg_file, version);
  AT("filePage", lg_file, page);
  AT("fileRunID", lg_file, run_id);
  AT("fileCreated", lg_file, created_ns);
  AT("fileHost", lg_file, host);
  VALUE("fileHostLen", sizeof(((struct lg_file *)0)->host));
  AT("fileCRC", lg_file, crc);
  AT("fileEnd", lg_file, end);
  AT("fileNSlots", lg_file, nslots);
  AT("fileEndings", lg_file, endings);
  VALUE("maxEndings", LG_ENDINGS);
  AT("chunkSizeAt", lg_chunk, size);
  AT("chunkSlot", lg_chunk, slot);
  AT("chunkSeq", lg_chunk, seq);
  AT("streamKindAt", lg_stream_chunk, kind);
  AT("streamThread", lg_stream_chunk, thread);
  AT("streamNumber", lg_stream_chunk, number);
  AT("streamPacked", lg_stream_chunk, packed);
  AT("streamCRC", lg_stream_chunk, crc);
  AT("streamCut", lg_stream_chunk, cut);
  AT("streamBlock", lg_stream_chunk, block);
  AT("streamUsed", lg_stream_chunk, used);
  VALUE("streamHeader", sizeof(struct lg_stream_chunk));
  AT("chunkCRC", lg_chunk, crc);
  AT("chunkUsed", lg_chunk, used);
  VALUE("chunkHeader", sizeof(struct lg_chunk));
  AT("recThread", lg_rec, thread);
  AT("recSize", lg_rec, size);
  AT("recFixed", lg_rec, fixed);
  AT("recCRC", lg_rec, crc);
  VALUE("recHeader", sizeof(struct lg_rec));
}

static void rank(void) {
  FIXED("rankPID", lg_rank, pid);
  FIXED("rankSlot", lg_rank, slot);
  FIXED("rankStart", lg_rank, start_ns);
  FIXED("rankFamily", lg_rank, family);
  FIXED("rankExeLen", lg_rank, exe_len);
  FIXED("rankExe", lg_rank, exe);
  VALUE("rankExeMax", sizeof(((struct lg_rank *)0)->exe));
  FIXED("rankFixed", lg_rank, rank);
  BEHIND("rankRank", lg_rank, rank, rank);
  BEHIND("rankSize", lg_rank, size, rank);
  BEHIND("rankStatus", lg_rank, status, rank);
  BEHIND("rankEnd", lg_rank, end, rank);
  BEHIND("rankDetail", lg_rank, detail, rank);
  BEHIND("rankThreadLevel", lg_rank, thread_level, rank);
  BEHIND("rankHeartbeat", lg_rank, heartbeat_ns, rank);
  BEHIND("rankEndTime", lg_rank, end_ns, rank);
  BEHIND("rankQuietSince", lg_rank, quiet_since_ns, rank);
  BEHIND("rankLongest", lg_rank, longest_quiet_ns, rank);
  BEHIND("rankEvicted", lg_rank, evicted, rank);
  BEHIND("rankLost", lg_rank, lost_requests, rank);
  BEHIND("rankOff", lg_rank, off, rank);
  BEHIND("rankSpawned", lg_rank, parent_world, rank);
  BEHIND("rankPIDSpace", lg_rank, pid_space, rank);
  VALUE("rankLive", sizeof(struct lg_rank) - offsetof(struct lg_rank, rank));
}

static void thread(void) {
  FIXED("threadIndex", lg_thread, index);
  FIXED("threadFirst", lg_thread, first_tid);
  FIXED("threadFixed", lg_thread, seq);
  BEHIND("opCalls", lg_thread, calls, seq);
  BEHIND("opProgress", lg_thread, progress, seq);
  BEHIND("opPolls", lg_thread, polls, seq);
  BEHIND("opInMPI", lg_thread, in_mpi, seq);
  BEHIND("opState", lg_thread, state, seq);
  BEHIND("opKind", lg_thread, kind, seq);
  BEHIND("opNPending", lg_thread, npending, seq);
  BEHIND("opNListed", lg_thread, nlisted, seq);
  BEHIND("opTID", lg_thread, tid, seq);
  BEHIND("opLight", lg_thread, light, seq);
  BEHIND("opPending", lg_thread, pending, seq);
  BEHIND("opSize", lg_thread, stack_seq, seq);
  BEHIND("stackTime", lg_thread, stack_ns, stack_seq);
  BEHIND("stackCalls", lg_thread, stack_calls, stack_seq);
  BEHIND("stackWhy", lg_thread, stack_why, stack_seq);
  BEHIND("stackSame", lg_thread, stack_same, stack_seq);
  BEHIND("stackInMPI", lg_thread, stack_in_mpi, stack_seq);
  BEHIND("stackFlags", lg_thread, stack_flags, stack_seq);
  BEHIND("stackSignal", lg_thread, stack_signal, stack_seq);
  BEHIND("stackNFrames", lg_thread, nframes, stack_seq);
  BEHIND("stackFrames", lg_thread, frames, stack_seq);
  VALUE("stackSize", sizeof(struct lg_thread) - offsetof(struct lg_thread, stack_seq));
  VALUE("threadLive", sizeof(struct lg_thread) - offsetof(struct lg_thread, seq));
  AT("pendingKind", lg_pending, kind);
  AT("pendingComm", lg_pending, comm);
  AT("pendingPeer", lg_pending, peer);
  AT("pendingTag", lg_pending, tag);
  AT("pendingSeq", lg_pending, seq);
  AT("pendingState", lg_pending, state);
  VALUE("pendingSize", sizeof(struct lg_pending));
}

static void content(void) {
  FIXED("moduleIndex", lg_module, index);
  FIXED("moduleBuildIDLen", lg_module, buildid_len);
  FIXED("modulePathLen", lg_module, path_len);
  FIXED("moduleBase", lg_module, base);
  FIXED("moduleSize", lg_module, size);
  VALUE("moduleFixed", sizeof(struct lg_module) - sizeof(struct lg_rec));
  FIXED("stateIndex", lg_state, index);
  FIXED("stateNFrames", lg_state, nframes);
  FIXED("stateNameLen", lg_state, name_len);
  FIXED("stateFlags", lg_state, flags);
  FIXED("stateBinding", lg_state, binding);
  VALUE("stateFixed", sizeof(struct lg_state) - sizeof(struct lg_rec));
  FIXED("edgeFrom", lg_edge, from);
  FIXED("edgeTo", lg_edge, to);
  FIXED("edgeFixed", lg_edge, count);
  FIXED("commIndex", lg_comm, index);
  FIXED("commFlags", lg_comm, flags);
  FIXED("commRank", lg_comm, rank);
  FIXED("commSize", lg_comm, size);
  FIXED("commRemoteSize", lg_comm, remote_size);
  FIXED("commNRanges", lg_comm, nranges);
  FIXED("commNRemote", lg_comm, nremote);
  FIXED("commNSources", lg_comm, nsources);
  FIXED("commNDests", lg_comm, ndests);
  VALUE("commFixed", sizeof(struct lg_comm) - sizeof(struct lg_rec));
  AT("commFreed", lg_comm_live, freed);
  AT("commColl", lg_comm_live, coll);
  AT("commID", lg_comm_live, id);
  AT("commParent", lg_comm_live, parent);
  AT("commThread", lg_comm_live, thread);
  AT("commState", lg_comm_live, state);
  VALUE("commLive", sizeof(struct lg_comm_live));
  AT("rangeStart", lg_range, start);
  AT("rangeStride", lg_range, stride);
  AT("rangeCount", lg_range, count);
  VALUE("rangeSize", sizeof(struct lg_range));
  VALUE("flagInter", LG_COMM_INTER);
  VALUE("flagWorld", LG_COMM_WORLD);
  VALUE("flagSelf", LG_COMM_SELF);
  VALUE("flagUnknown", LG_COMM_UNKNOWN);
  VALUE("flagWindow", LG_COMM_WINDOW);
  VALUE("flagPartial", LG_STACK_PARTIAL);
  VALUE("captureIdle", LG_STACK_IDLE);
  VALUE("flagFile", LG_COMM_FILE);
  VALUE("flagForming", LG_COMM_FORMING);
  VALUE("flagTopology", LG_COMM_TOPOLOGY);
  AT("channelComm", lg_channel, comm);
  AT("channelPeer", lg_channel, peer);
  AT("channelTag", lg_channel, tag);
  AT("channelSent", lg_channel, sent);
  AT("channelReceived", lg_channel, received);
  VALUE("channelSize", sizeof(struct lg_channel));
  VALUE("recTaken", LG_REC_TAKEN);
  VALUE("takenPerRec", LG_TAKEN);
  VALUE("anySource", LG_ANY_SOURCE);
  VALUE("anyTag", LG_ANY_TAG);
  AT("takeComm", lg_take, comm);
  AT("takePeer", lg_take, peer);
  AT("takeTag", lg_take, tag);
  AT("takeNumber", lg_take, number);
  AT("takeState", lg_take, state);
  AT("takeThread", lg_take, thread);
  AT("takeWild", lg_take, wild);
  VALUE("takeSize", sizeof(struct lg_take));
  AT("lockComm", lg_lock, comm);
  AT("lockTarget", lg_lock, target);
  AT("lockType", lg_lock, type);
  VALUE("lockSize", sizeof(struct lg_lock));
  FIXED("siteIndex", lg_site_rec, index);
  FIXED("siteNFrames", lg_site_rec, nframes);
  FIXED("siteNameLen", lg_site_rec, name_len);
  FIXED("siteFlags", lg_site_rec, flags);
  VALUE("siteFixed", sizeof(struct lg_site_rec) - sizeof(struct lg_rec));
  FIXED("sentState", lg_sent, state);
  FIXED("sentFixed", lg_sent, traffic);
  AT("trafficCalls", lg_traffic, calls);
  AT("trafficBytes", lg_traffic, bytes);
  BEHIND("sentDistance", lg_sent, distance, traffic);
  VALUE("sentLive", sizeof(struct lg_sent) - offsetof(struct lg_sent, traffic));
  VALUE("trafficSize", sizeof(struct lg_traffic));
  FIXED("historyComm", lg_history, comm);
  FIXED("historyFixed", lg_history, seq);
  BEHIND("historyMarked", lg_history, marked, seq);
  BEHIND("historyMarks", lg_history, marks, seq);
  BEHIND("historyBegun", lg_history, begun, seq);
  VALUE("historyLive", sizeof(struct lg_history) - offsetof(struct lg_history, seq));
  AT("markCalls", lg_mark, calls);
  AT("markSites", lg_mark, sites);
  VALUE("markSize", sizeof(struct lg_mark));
  AT("begunNumber", lg_begun, number);
  AT("begunOrder", lg_begun, order);
  AT("begunState", lg_begun, told.state);
  AT("begunThread", lg_begun, told.thread);
  AT("begunOp", lg_begun, told.op);
  AT("begunBytes", lg_begun, told.bytes);
  AT("begunRoot", lg_begun, told.root);
  AT("begunCalls", lg_begun, calls);
  AT("begunSites", lg_begun, sites);
  VALUE("begunSize", sizeof(struct lg_begun));
  VALUE("opOwn", LG_OP_OWN);
  FIXED("argumentsBytes", lg_arguments, bytes);
  VALUE("argumentsFixed", sizeof(struct lg_arguments) - sizeof(struct lg_rec));
}

int main(void) {
  constants();
  headers();
  rank();
  thread();
  content();
  return 0;
}
