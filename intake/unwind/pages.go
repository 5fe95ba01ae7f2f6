package unwind

import "io"

// pages keeps pages of memory that does not change: the unwinding information.
type pages struct {
	memory io.ReaderAt
	kept   map[uint64][]byte
}

const (
	pageSize = 4096
	maxPages = 4096
)

// ReadAt reads through the pages that are kept.
func (p *pages) ReadAt(b []byte, address int64) (int, error) {
	done := 0
	for done < len(b) {
		at := uint64(address) + uint64(done)
		page, err := p.page(at &^ (pageSize - 1))
		if err != nil {
			return done, err
		}
		done += copy(b[done:], page[at&(pageSize-1):])
	}
	return done, nil
}

func (p *pages) page(at uint64) ([]byte, error) {
	if b := p.kept[at]; b != nil {
		return b, nil
	}
	b := make([]byte, pageSize)
	if _, err := p.memory.ReadAt(b, int64(at)); err != nil {
		return nil, err
	}
	if p.kept == nil || len(p.kept) >= maxPages {
		p.kept = map[uint64][]byte{}
	}
	p.kept[at] = b
	return b, nil
}
