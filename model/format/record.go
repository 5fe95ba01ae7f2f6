package format

// Record is a type of record.
type Record uint16

// record is what is known of a type.
type record struct {
	name                  string
	leastFixed, leastLive uint32
}

// Records bounds the types of records: one more than the last.
const Records = Record(len(records))

// IsKnown reports whether this version knows the type.
func (r Record) IsKnown() bool { return r < Records && records[r].name != "" }

// Name is the name of a type, such as "RANK"; "" if it is not known.
func (r Record) Name() string {
	if r < Records {
		return records[r].name
	}
	return ""
}

// texts are the names with what they name. They are made once: a reader asks for one
// with every index that it follows, in case it leads nowhere.
var texts = func() (texts [Records]string) {
	for r := range Records {
		if r.IsKnown() {
			texts[r] = records[r].name + " record"
		}
	}
	return texts
}()

// String returns the name that errors use, such as "RANK record".
func (r Record) String() string {
	if r.IsKnown() {
		return texts[r]
	}
	return "record"
}

// MinSizes returns how many bytes the fixed and the live part have at least. A later
// recorder may add fields behind those of either part. The type must be known.
func (r Record) MinSizes() (fixed, live uint32) { return records[r].leastFixed, records[r].leastLive }
