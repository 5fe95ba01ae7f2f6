package timeline

import "time"

// Scale says for which times the columns stand: that at i for Width seconds from Begin + i×Width on.
type Scale struct {
	Begin   int64 `json:"begin"` // seconds since 1970, a multiple of Width
	Width   int64 `json:"width"` // seconds
	Columns int   `json:"columns"`
}

// widths are the lengths that columns can have, in seconds. Each divides the next, so that short ones can be added up to longer
// ones; those that recorders use for their steps are among them.
var widths = []int64{1, 2, 10, 20, 60, 300, 600, 1800, 3600, 7200, 21600, 86400, 604800}

// newScale is for the time from begin to end, in seconds since 1970: the shortest columns that are at most so many.
func newScale(begin, end int64, columns int) Scale {
	for i, w := range widths {
		s := Scale{Begin: begin - begin%w, Width: w}
		s.Columns = int(max(1, (end-s.Begin+w-1)/w))
		if i == len(widths)-1 || s.Columns <= columns {
			s.Columns = min(s.Columns, columns)
			return s
		}
	}
	return Scale{}
}

// Time is when a column begins.
func (s Scale) Time(column int) time.Time { return time.Unix(s.Begin+int64(column)*s.Width, 0).UTC() }

// columnOf is the column that a time is in; it may be outside of the scale.
func (s Scale) columnOf(seconds int64) int {
	if seconds < s.Begin {
		return -1
	}
	return int((seconds - s.Begin) / s.Width)
}
