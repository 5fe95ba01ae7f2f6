package reduce

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// A frame is what one rank of the tree sends to another: a byte for the kind
// of the pass, a status byte, and then the payload or the rank where a failure
// began (uvarint) and, after statusFailed, its text.
const (
	statusOK     = 0
	statusFailed = 1
	statusGone   = 2 // the failure is ErrPeerGone: Run tells it from others
	frameHeader  = 2
)

func packFrame(kind Kind, payload []byte, failed *RankError) []byte {
	if failed == nil {
		frame := make([]byte, frameHeader, frameHeader+len(payload))
		frame[0], frame[1] = byte(kind), statusOK
		return append(frame, payload...)
	}
	status := byte(statusFailed)
	if failed.Err == ErrPeerGone {
		status = statusGone
	}
	frame := binary.AppendUvarint([]byte{byte(kind), status}, uint64(failed.Rank))
	if status == statusGone {
		return frame
	}
	return append(frame, failed.Err.Error()...)
}

// unpackFrame returns the payload, which aliases frame, or the failure that
// the frame reports. The last result tells that the frame itself is wrong.
func unpackFrame(kind Kind, frame []byte) ([]byte, *RankError, error) {
	if len(frame) < frameHeader || frame[1] > statusGone {
		return nil, nil, ErrFrame
	}
	if Kind(frame[0]) != kind {
		return nil, nil, fmt.Errorf("%w: %v here, %v there", ErrOutOfStep, kind, Kind(frame[0]))
	}
	rest := frame[frameHeader:]
	if frame[1] == statusOK {
		return rest, nil, nil
	}
	rank, n := binary.Uvarint(rest)
	if n <= 0 || rank > math.MaxInt32 {
		return nil, nil, ErrFrame
	}
	if frame[1] == statusGone {
		return nil, &RankError{Rank: int(rank), Err: ErrPeerGone}, nil
	}
	return nil, &RankError{Rank: int(rank), Err: errors.New(string(rest[n:]))}, nil
}
