package chain

// csr lists items, which are numbered, by a key that each has.
type csr struct{ start, items []int32 }

// newCSR sorts items 0..n-1 by keys; an item with a negative key is left out.
// The items of a key stay in order.
func newCSR(keys, n int, key func(int) int32) csr {
	c := csr{start: make([]int32, keys+2)}
	for i := range n {
		if k := key(i); k >= 0 {
			c.start[k+2]++
		}
	}
	for i := 2; i < len(c.start); i++ {
		c.start[i] += c.start[i-1]
	}
	c.items = make([]int32, c.start[keys+1])
	for i := range n {
		if k := key(i); k >= 0 {
			c.items[c.start[k+1]] = int32(i)
			c.start[k+1]++
		}
	}
	return c
}

func (c csr) itemsOf(key int32) []int32 { return c.items[c.start[key]:c.start[key+1]] }
