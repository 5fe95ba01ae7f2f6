package synth

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"laggard/model"
)

// Damage says what is wrong with the files of a job, besides the fault of the
// job itself.
type Damage struct {
	Missing, Torn float64 // shares of the slots: gone; written in half
	Foreign       int     // node files of another run
	Manifest      bool    // it tells of another run and another size
}

// Damaged is what was damaged, as far as a diagnosis can tell.
type Damaged struct {
	Missing, Torn, Foreign model.RankSet
}

// ParseDamage reads a list such as "missing=1%,torn=0.01,foreign=2,manifest";
// "" is none. Errors wrap ErrConfig.
func ParseDamage(text string) (Damage, error) {
	var d Damage
	if text == "" {
		return d, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "missing":
			d.Missing, err = parseShare(value)
		case "torn":
			d.Torn, err = parseShare(value)
		case "foreign":
			d.Foreign, err = strconv.Atoi(value)
		case "manifest":
			d.Manifest = true
		default:
			err = fmt.Errorf("must be missing, torn, foreign or manifest")
		}
		if err != nil {
			return Damage{}, fmt.Errorf("synth: %w: damage %.40q: %w", ErrConfig, word, err)
		}
	}
	return d, nil
}

func parseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	if percent {
		share /= 100
	}
	if err == nil && !(share >= 0 && share <= 1) {
		err = fmt.Errorf("it is no share")
	}
	return share, err
}

// damage decides slot by slot.
type damage struct {
	Damage
	job     *job
	foreign map[int]bool // by node
}

// planDamage draws the nodes of other runs, of which no rank is at fault.
func (j *job) planDamage(nodes int) (*damage, error) {
	d := &damage{j.Damage, j, map[int]bool{}}
	for i := 0; len(d.foreign) < j.Damage.Foreign; i++ {
		node := int(mix(j.Seed, i, 6) % uint64(nodes))
		if i > 64*(j.Damage.Foreign+1) {
			return nil, fmt.Errorf("synth: %w: %d of %d nodes of another run", ErrConfig, j.Damage.Foreign, nodes)
		}
		var ranks model.RankSet
		ranks.AddRange(node*j.PerNode, (node+1)*j.PerNode-1)
		if ranks.Intersect(j.truth).Len() == 0 {
			d.foreign[node] = true
		}
	}
	return d, nil
}

// slotDamage says what becomes of the slot of a rank.
func (d *damage) slotDamage(rank int) (missing, torn bool) {
	if d.foreign[rank/d.job.PerNode] || d.job.truth.Contains(rank) {
		return false, false
	}
	draw := float64(mix(d.job.Seed, rank, 7)>>11) / (1 << 53)
	return draw < d.Missing, draw >= d.Missing && draw < d.Missing+d.Torn
}

// damagedRanks lists what is damaged.
func (d *damage) damagedRanks(j *job) Damaged {
	var out Damaged
	for node := range d.foreign {
		out.Foreign.AddRange(node*j.PerNode, min((node+1)*j.PerNode, j.Ranks)-1)
	}
	if d.Missing == 0 && d.Torn == 0 {
		return out
	}
	for r := range j.Ranks {
		missing, torn := d.slotDamage(r)
		if missing {
			out.Missing.Add(r)
		}
		if torn {
			out.Torn.Add(r)
		}
	}
	return out
}

// damageFile damages the slots of a file that was written; docs/reference/format.md has the
// layout of its chunks.
func (d *damage) damageFile(path string, ranks []*model.Rank) error {
	if d.Missing == 0 && d.Torn == 0 {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	const page, magic = 4096, 0x4b43474c
	for off := page; off < len(data); {
		size, slot := int(binary.LittleEndian.Uint32(data[off+4:])), binary.LittleEndian.Uint32(data[off+8:])
		if binary.LittleEndian.Uint32(data[off:]) != magic || size < page || off+size > len(data) ||
			int(slot) >= len(ranks) {
			return fmt.Errorf("synth: %s: no chunk at %d", path, off)
		}
		switch missing, torn := d.slotDamage(ranks[slot].Rank); {
		case missing:
			clear(data[off : off+size])
		case torn:
			clear(data[off+size/4 : off+size])
		}
		off += size
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	return nil
}
