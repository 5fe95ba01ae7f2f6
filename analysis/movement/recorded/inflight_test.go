package recorded

import (
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestInFlight: of the messages whose receive is not in a stream, those are confirmed that the ranks have not counted as received either.
func TestInFlight(t *testing.T) {
	rank := func(rank int, evicted uint64, channels ...model.Channel) InFlight {
		world := &model.Comm{ID: 1 << 63, Kind: model.World, Members: []int{0, 1, 2}}
		return NewInFlight(&model.Rank{Rank: rank, Comms: []*model.Comm{world}, Channels: channels, Evicted: evicted})
	}
	all := MergeInFlight(rank(0, 0, model.Channel{Peer: 1, Tag: 5, Sent: 9}, model.Channel{Peer: 1, Tag: 6, Sent: 9},
		model.Channel{Peer: 2, Sent: 9}),
		MergeInFlight(rank(1, 0, model.Channel{Peer: 0, Tag: 5, Received: 7}, model.Channel{Peer: 0, Tag: 6, Received: 9}), rank(2, 1)))
	message := func(to, tag int, n uint64) chain.Unreceived {
		return chain.Unreceived{Comm: 1 << 63, To: to, Tag: tag, Count: n}
	}
	got := all.Confirm([]chain.Unreceived{message(1, 5, 9), message(1, 6, 9), message(2, 0, 9)})
	checktest.Equal(t, []chain.Unreceived{message(1, 5, 2)}, got)
}
