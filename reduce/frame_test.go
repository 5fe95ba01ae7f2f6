package reduce

import (
	"bytes"
	"errors"
	"testing"
)

func TestFrameRoundTrip(t *testing.T) {
	payload, failed, err := unpackFrame(Down, packFrame(Down, []byte("abc"), nil))
	if string(payload) != "abc" || failed != nil || err != nil {
		t.Errorf("got %q, %v, %v", payload, failed, err)
	}
	cause := &RankError{Rank: 300, Err: errors.New("no file")}
	gone := &RankError{Rank: 4, Err: ErrPeerGone}
	for _, want := range []*RankError{cause, gone} {
		payload, failed, err = unpackFrame(Up, packFrame(Up, []byte("abc"), want))
		if payload != nil || err != nil || failed == nil || failed.Error() != want.Error() {
			t.Errorf("got %q, %v, %v", payload, failed, err)
		}
	}
	if !errors.Is(failed, ErrPeerGone) {
		t.Errorf("%v is no longer ErrPeerGone", failed)
	}
}

func TestFrameOutOfStep(t *testing.T) {
	if _, _, err := unpackFrame(Up, packFrame(Verdict, nil, nil)); !errors.Is(err, ErrOutOfStep) {
		t.Errorf("got %v, want ErrOutOfStep", err)
	}
}

func FuzzUnpackFrame(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{byte(Up)})
	f.Add([]byte{byte(Up), 3})
	f.Add([]byte{byte(Up), statusGone, 5})
	f.Add([]byte{byte(Verdict), statusOK})
	f.Add([]byte{byte(Up), statusFailed})
	f.Add([]byte{byte(Up), statusFailed, 0x80})
	f.Add([]byte{byte(Up), statusFailed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add(packFrame(Up, []byte("payload"), nil))
	f.Add(packFrame(Up, nil, &RankError{Rank: 3, Err: errors.New("x")}))
	f.Fuzz(func(t *testing.T, frame []byte) {
		payload, failed, err := unpackFrame(Up, frame)
		switch {
		case err != nil:
			if payload != nil || failed != nil {
				t.Errorf("error %v beside a result", err)
			}
		case failed != nil:
			if payload != nil || failed.Rank < 0 {
				t.Errorf("payload %q, failure %v", payload, failed)
			}
		case !bytes.Equal(packFrame(Up, payload, nil), frame):
			t.Errorf("%q does not come back", frame)
		}
	})
}
