package model

import "testing"

func TestBadArgumentDescribe(t *testing.T) {
	for _, test := range []struct {
		call string
		bad  BadArgument
		want string
	}{
		{"MPI_Send", BadArgument{BadLarge, 4, -1, 16777216, 8388607}, "tag is 16777216, and tags are 0 to 8388607 (MPI_TAG_UB)"},
		{"MPI_Send", BadArgument{BadNegative, 4, -1, -7, -1}, "tag is -7"},
		{"MPI_Send", BadArgument{BadLarge, 3, -1, 4, 4}, "dest is 4, and ranks of the communicator are 0 to 3"},
		{"MPI_Bcast", BadArgument{BadNegative, 1, -1, -2147483648, -1}, "count is -2147483648: an int overflow is likely"},
		{"MPI_Bcast", BadArgument{BadNegative, 1, -1, -2, -1}, "count is -2"},
		{"MPI_Gatherv", BadArgument{BadOverflow, 5, 2, -1294967296, 3000000000},
			"displs[2] is -1294967296, an int overflow: displs[1] + recvcounts[1] is 3000000000"},
		{"MPI_Gatherv", BadArgument{BadNegative, 5, 2, -1294967296, -1}, "displs[2] is -1294967296: an int overflow is likely"},
		{"MPI_Recv", BadArgument{BadShort, 1, -1, 800, 400}, "the message has 800 bytes, the receive buffer has room for 400"},
		{"MPI_Recv", BadArgument{BadShort, 1, -1, -1, 400}, "the receive buffer has room for 400 bytes"},
		{"MPI_Waitall", BadArgument{BadShort, 1, 2, 800, 400}, "array_of_requests[2] received a message of 800 bytes into a buffer with " +
			"room for 400"},
		{"MPI_Waitall", BadArgument{BadShort, 1, 2, -1, 400}, "array_of_requests[2] received a message longer than its buffer, which has " +
			"room for 400 bytes"},
		{"MPI_Gatherv", BadArgument{BadOverwritten, 5, 2, -1294967296, -1},
			"displs[2] is -1294967296, unless the call itself overwrote it"},
		{"MPI_Recv", BadArgument{BadNull, 5, -1, 0, -1}, "comm is MPI_COMM_NULL"},
		{"MPI_Recv", BadArgument{BadFreed, 2, -1, 99, 3}, "datatype was freed before"},
		{"MPI_Recv", BadArgument{BadNoHandle, 5, -1, 99, -1}, "comm is no communicator: it was never set, or was overwritten"},
		{"MPI_Waitall", BadArgument{BadNoHandle, 1, 3, 99, -1},
			"array_of_requests[3] is no request that is pending: it was never set, or is complete already"},
		{"MPI_Recv", BadArgument{}, ""},
		{"MPI_Recv", BadArgument{BadNegative, 99, -1, -1, -1}, ""},
		{"main", BadArgument{BadNegative, 0, -1, -1, -1}, ""},
	} {
		if got := test.bad.Describe(test.call); got != test.want {
			t.Errorf("%s, %+v: %q, want %q", test.call, test.bad, got, test.want)
		}
	}
}

func TestBadArgumentIsSaidIn(t *testing.T) {
	rank := BadArgument{BadLarge, 3, -1, 3, 2}
	tag := BadArgument{BadLarge, 4, -1, 16777216, 8388607}
	count := BadArgument{BadNegative, 1, -1, -1794967296, -1}
	if count.IsSaidIn("Negative count, value is -1794967296") {
		t.Error("the text does not say that an int overflowed")
	}
	if !rank.IsSaidIn("Invalid rank has value 3 but must be nonnegative and less than 2") {
		t.Error("the text has both numbers")
	}
	if tag.IsSaidIn("Invalid tag, value is 16777216") {
		t.Error("the text lacks the bound")
	}
}
