package model

// Taken is a message that a receive with a wildcard, or a matched probe, took.
type Taken struct {
	Comm      int    // index into Rank.Comms
	Peer, Tag int    // of the message: rank in the communicator, tag
	Number    uint64 // on its channel, from 1
	Thread    int    // index into Rank.Threads
	State     int    // index into Threads[Thread].Model.States: the receive or probe; -1 none
	// AnySource, AnyTag are what the receive left open.
	AnySource, AnyTag bool
}

// Wildcard is receives with a wildcard that one call began and that are not complete: what each has taken, if anything, is not known.
type Wildcard struct {
	Comm      int // index into Rank.Comms
	Peer, Tag int // as the call named them: at least one is Any
	Count     uint64
	Thread    int // index into Rank.Threads
	State     int // index into Threads[Thread].Model.States: the call that began them, or made them; -1 none
}

// Channel counts messages between the rank and a peer.
type Channel struct {
	Comm     int    // index into Rank.Comms
	Peer     int    // rank in the communicator, as in Pending
	Tag      int    // or TagPost, TagComplete on a window
	Sent     uint64 // sends begun
	Received uint64 // receives begun; those with a wildcard, once matched
}

// Origin is the call that messages of a channel come from.
type Origin struct {
	Comm      int // index into Rank.Comms
	Peer, Tag int // of the channel
	// Number is that of the first message, from 1, that the call sent after another one had sent some. A later one may be
	// from a call that had sent on the channel before.
	Number uint64
	Thread int // index into Rank.Threads
	State  int // index into Threads[Thread].Model.States; -1 none
}

// Persistent is persistent or partitioned requests for the messages of a channel, in one direction, that one call made.
type Persistent struct {
	Comm        int // index into Rank.Comms
	Peer, Tag   int // as the call named them: those of a receive may be Any
	Sends       bool
	Partitioned bool
	Thread      int    // index into Rank.Threads
	State       int    // index into Threads[Thread].Model.States: the call that made them; -1 none
	Made, Freed uint32 // how many there were, and how many of them are gone
	Started     uint64 // how often one of them was started
	Idle        uint32 // how often the program has waited for one that was not started, since one was started last
}
