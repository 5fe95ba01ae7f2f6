package mpi

import (
	"fmt"
	"math/bits"
	"strings"
)

// Trait is a set of the facts in the second column of functions.tbl, whose head
// explains each.
type Trait uint32

// The traits. What a rank sends is at most one of the first six.
const (
	SendsOne Trait = 1 << iota
	SendsBlocks
	SendsSum
	SendsEach
	SendsSingle
	SendsTwo
	FromRoot
	ToRoot
	Neighbours
	Local
	Same
	OwnBlock
	OwnOfBlocks
	Exclusive
	AlikeSent
	AlikeReceived
	Synchronises
	Buffered
	Synchronous
	Ready
	Begins
	Ends
	Large
	Reads
	Writes
	SharedPointer
	Frees
	Refers
	Anytime
	External
	Committed
	SameMembers
)

// Sends is every trait that says that a rank sends data, and how much.
const Sends = SendsOne | SendsBlocks | SendsSum | SendsEach | SendsSingle | SendsTwo

// traitNames are the words of the table, in the order of the bits.
var traitNames = [...]string{"sends_one", "sends_blocks", "sends_sum", "sends_each", "sends_single", "sends_two",
	"from_root", "to_root", "neighbours", "local", "same", "own_block", "own_of_blocks", "exclusive", "alike_sent",
	"alike_received", "synchronises", "buffered", "synchronous", "ready", "begins", "ends", "large", "reads", "writes",
	"shared_pointer", "frees", "refers", "anytime", "external", "committed", "same_members"}

// String lists the traits by their words in the table, separated by commas.
func (t Trait) String() string {
	var words []string
	for ; t != 0; t &= t - 1 {
		words = append(words, traitNames[bits.TrailingZeros32(uint32(t))])
	}
	return strings.Join(words, ",")
}

// AllTraits returns each trait by itself, in the order of the bits.
func AllTraits() []Trait {
	out := make([]Trait, len(traitNames))
	for i := range out {
		out[i] = 1 << i
	}
	return out
}

// column is what the second column of a line says.
type column struct {
	formOf string // the function that this one is another form of, "" none
	traits Trait  // its own
	alike  []string
	null   []string // parameters that may be null handles
	gives  Gives
	lower  bool // each rank needs data of all lower ones
}

// Gives says whether what a function gives its caller can differ between the members of a communicator.
type Gives uint8

// What a function gives. Of the functions that the table says nothing of, nobody knows.
const (
	GivesUnknown Gives = iota
	GivesAlike         // every member gets the same
	GivesOwn           // each member gets something of its own
)

// givesNames are the words of the table.
var givesNames = [...]string{GivesAlike: "alike", GivesOwn: "own"}

func parseGives(word string) (Gives, error) {
	for i, name := range givesNames {
		if name == word && name != "" {
			return Gives(i), nil
		}
	}
	return GivesUnknown, fmt.Errorf("nothing gives %q", word)
}

// parseTraits reads the second column of a line.
func parseTraits(text string) (c column, err error) {
	if text == "-" {
		return c, nil
	}
	for _, word := range strings.Split(text, ",") {
		if name, ok := strings.CutPrefix(word, "="); ok {
			c.formOf = name
			continue
		}
		if names, ok := strings.CutPrefix(word, "alike:"); ok {
			c.alike = strings.Split(names, ":")
			continue
		}
		if names, ok := strings.CutPrefix(word, "null:"); ok {
			c.null = strings.Split(names, ":")
			continue
		}
		if name, ok := strings.CutPrefix(word, "gives:"); ok {
			if c.gives, err = parseGives(name); err != nil {
				return c, err
			}
			continue
		}
		if word == "needs:lower" {
			c.lower = true
			continue
		}
		t, ok := traitOf(word)
		if !ok {
			return c, fmt.Errorf("no trait is called %q", word)
		}
		c.traits |= t
	}
	return c, nil
}

func traitOf(word string) (Trait, bool) {
	for i, name := range traitNames {
		if name == word {
			return 1 << i, true
		}
	}
	return 0, false
}
