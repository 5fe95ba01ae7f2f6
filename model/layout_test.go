package model

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// layoutInGo is every number of the format that the C header defines too.
var layoutInGo = map[string]uint64{
	"fileMagic":        uint64(fileMagic),
	"chunkMagic":       uint64(chunkMagic),
	"version":          uint64(version),
	"pageSize":         uint64(pageSize),
	"firstChunkSize":   uint64(firstChunkSize),
	"chunkSize":        uint64(chunkSize),
	"maxFrames":        uint64(maxFrames),
	"maxPending":       uint64(maxPending),
	"channelsPerRec":   uint64(channelsPerRec),
	"noModule":         uint64(noModule),
	"None":             uint64(-None),
	"Any":              uint64(-Any),
	"ProcNull":         uint64(-ProcNull),
	"recRank":          uint64(recRank),
	"recThreadRec":     uint64(recThreadRec),
	"recModule":        uint64(recModule),
	"recState":         uint64(recState),
	"recEdge":          uint64(recEdge),
	"recComm":          uint64(recComm),
	"recChannels":      uint64(recChannels),
	"recNote":          uint64(recNote),
	"Starting":         uint64(Starting),
	"Finalized":        uint64(Finalized),
	"NoEnd":            uint64(NoEnd),
	"Exited":           uint64(Exited),
	"Signalled":        uint64(Signalled),
	"Aborted":          uint64(Aborted),
	"Local":            uint64(Local),
	"Send":             uint64(Send),
	"Recv":             uint64(Recv),
	"Probe":            uint64(Probe),
	"Collective":       uint64(Collective),
	"Wait":             uint64(Wait),
	"WaitAny":          uint64(WaitAny),
	"Poll":             uint64(Poll),
	"Init":             uint64(Init),
	"Finalize":         uint64(Finalize),
	"RMA":              uint64(RMA),
	"Other":            uint64(Other),
	"Abort":            uint64(Abort),
	"fileVersion":      uint64(fileVersion),
	"filePage":         uint64(filePage),
	"fileRunID":        uint64(fileRunID),
	"fileCreated":      uint64(fileCreated),
	"fileHost":         uint64(fileHost),
	"fileHostLen":      uint64(fileHostLen),
	"fileCRC":          uint64(fileCRC),
	"fileEnd":          uint64(fileEnd),
	"fileNSlots":       uint64(fileNSlots),
	"fileSize":         uint64(fileSize),
	"chunkSizeAt":      uint64(chunkSizeAt),
	"chunkSlot":        uint64(chunkSlot),
	"chunkSeq":         uint64(chunkSeq),
	"chunkCRC":         uint64(chunkCRC),
	"chunkUsed":        uint64(chunkUsed),
	"chunkHeader":      uint64(chunkHeader),
	"recThread":        uint64(recThread),
	"recSize":          uint64(recSize),
	"recFixed":         uint64(recFixed),
	"recCRC":           uint64(recCRC),
	"recHeader":        uint64(recHeader),
	"rankPID":          uint64(rankPID),
	"rankSlot":         uint64(rankSlot),
	"rankStart":        uint64(rankStart),
	"rankFamily":       uint64(rankFamily),
	"rankExeLen":       uint64(rankExeLen),
	"rankExe":          uint64(rankExe),
	"rankExeMax":       uint64(rankExeMax),
	"rankFixed":        uint64(rankFixed),
	"rankRank":         uint64(rankRank),
	"rankSize":         uint64(rankSize),
	"rankStatus":       uint64(rankStatus),
	"rankEnd":          uint64(rankEnd),
	"rankDetail":       uint64(rankDetail),
	"rankThreadLevel":  uint64(rankThreadLevel),
	"rankHeartbeat":    uint64(rankHeartbeat),
	"rankEndTime":      uint64(rankEndTime),
	"rankQuietSince":   uint64(rankQuietSince),
	"rankLongest":      uint64(rankLongest),
	"rankEvicted":      uint64(rankEvicted),
	"rankLost":         uint64(rankLost),
	"rankOff":          uint64(rankOff),
	"rankSpawned":      uint64(rankSpawned),
	"rankLive":         uint64(rankLive),
	"threadIndex":      uint64(threadIndex),
	"threadFirst":      uint64(threadFirst),
	"threadFixed":      uint64(threadFixed),
	"opCalls":          uint64(opCalls),
	"opProgress":       uint64(opProgress),
	"opPolls":          uint64(opPolls),
	"opInMPI":          uint64(opInMPI),
	"opState":          uint64(opState),
	"opKind":           uint64(opKind),
	"opNPending":       uint64(opNPending),
	"opNListed":        uint64(opNListed),
	"opTID":            uint64(opTID),
	"opLight":          uint64(opLight),
	"opPending":        uint64(opPending),
	"opSize":           uint64(opSize),
	"stackTime":        uint64(stackTime),
	"stackCalls":       uint64(stackCalls),
	"stackWhy":         uint64(stackWhy),
	"stackSame":        uint64(stackSame),
	"stackInMPI":       uint64(stackInMPI),
	"stackFlags":       uint64(stackFlags),
	"flagPartial":      uint64(flagPartial),
	"captureIdle":      uint64(captureIdle),
	"stackSignal":      uint64(stackSignal),
	"stackNFrames":     uint64(stackNFrames),
	"stackFrames":      uint64(stackFrames),
	"stackSize":        uint64(stackSize),
	"threadLive":       uint64(threadLive),
	"pendingKind":      uint64(pendingKind),
	"pendingComm":      uint64(pendingComm),
	"pendingPeer":      uint64(pendingPeer),
	"pendingTag":       uint64(pendingTag),
	"pendingSeq":       uint64(pendingSeq),
	"pendingState":     uint64(pendingState),
	"pendingSize":      uint64(pendingSize),
	"moduleIndex":      uint64(moduleIndex),
	"moduleBuildIDLen": uint64(moduleBuildIDLen),
	"modulePathLen":    uint64(modulePathLen),
	"moduleBase":       uint64(moduleBase),
	"moduleSize":       uint64(moduleSize),
	"moduleFixed":      uint64(moduleFixed),
	"stateIndex":       uint64(stateIndex),
	"stateNFrames":     uint64(stateNFrames),
	"stateNameLen":     uint64(stateNameLen),
	"stateFlags":       uint64(stateFlags),
	"stateBinding":     uint64(stateBinding),
	"stateFixed":       uint64(stateFixed),
	"edgeFrom":         uint64(edgeFrom),
	"edgeTo":           uint64(edgeTo),
	"edgeFixed":        uint64(edgeFixed),
	"commIndex":        uint64(commIndex),
	"commFlags":        uint64(commFlags),
	"commRank":         uint64(commRank),
	"commSize":         uint64(commSize),
	"commRemoteSize":   uint64(commRemoteSize),
	"commNRanges":      uint64(commNRanges),
	"commNRemote":      uint64(commNRemote),
	"commFixed":        uint64(commFixed),
	"commFreed":        uint64(commFreed),
	"commColl":         uint64(commColl),
	"commID":           uint64(commID),
	"commParent":       uint64(commParent),
	"commThread":       uint64(commThread),
	"commState":        uint64(commState),
	"commLive":         uint64(commLive),
	"rangeStart":       uint64(rangeStart),
	"rangeStride":      uint64(rangeStride),
	"rangeCount":       uint64(rangeCount),
	"rangeSize":        uint64(rangeSize),
	"flagInter":        uint64(flagInter),
	"flagWorld":        uint64(flagWorld),
	"flagSelf":         uint64(flagSelf),
	"flagUnknown":      uint64(flagUnknown),
	"flagWindow":       uint64(flagWindow),
	"flagIO":           uint64(flagIO),
	"flagForming":      uint64(flagForming),
	"channelComm":      uint64(channelComm),
	"channelPeer":      uint64(channelPeer),
	"channelTag":       uint64(channelTag),
	"channelSent":      uint64(channelSent),
	"channelReceived":  uint64(channelReceived),
	"channelSize":      uint64(channelSize),
}

func TestLayoutMatchesRecorder(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program := filepath.Join(t.TempDir(), "layout")
	if out, err := exec.Command(cc, "-I", "../recorder", "-o", program, "testdata/layout.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	inC := map[string]uint64{}
	for line := range strings.Lines(string(out)) {
		var name string
		var value uint64
		if _, err := fmt.Sscan(line, &name, &value); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		inC[name] = value
	}
	if diff := cmp.Diff(inC, layoutInGo); diff != "" {
		t.Errorf("recorder/format.h (-) and format.go (+) differ:\n%s", diff)
	}
}
