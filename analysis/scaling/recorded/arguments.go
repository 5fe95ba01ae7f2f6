package recorded

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"laggard/internal/lateregexp"
)

var (
	assignment = lateregexp.New(`^(-{0,2}[A-Za-z_][\w.-]*)=(.+)$`)
	attached   = lateregexp.New(`^(-[A-Za-z])(\d.*)$`)
	option     = lateregexp.New(`^--?[A-Za-z]`)
)

// ArgumentControls are the numbers among a program's arguments, as control
// features. A number is named by what it is given to (size=64, --size=64,
// -n 64, -n64) or else by its place: arg3 is the third argument. K, M, G and T
// behind it stand for powers of 1024. A name that comes again gets a number.
func ArgumentControls(args []string) map[string]float64 {
	controls := map[string]float64{}
	for i, arg := range args {
		name, text := fmt.Sprintf("arg%d", i+1), arg
		if m := assignment.FindStringSubmatch(arg); m != nil {
			name, text = m[1], m[2]
		} else if m := attached.FindStringSubmatch(arg); m != nil {
			name, text = m[1], m[2]
		} else if i > 0 && option.MatchString(args[i-1]) && !strings.Contains(args[i-1], "=") {
			name = args[i-1]
		}
		v, ok := parseNumber(text)
		if !ok {
			continue
		}
		again := name
		for n := 2; ; n++ {
			if _, taken := controls[again]; !taken {
				break
			}
			again = fmt.Sprintf("%s#%d", name, n)
		}
		controls[again] = v
	}
	return controls
}

// parseNumber reads a decimal or hexadecimal number, with a suffix of size or without.
func parseNumber(text string) (float64, bool) {
	factor := 1.0
	if n := len(text); n > 1 && !strings.HasPrefix(text, "0x") {
		if power := strings.IndexByte("KMGT", text[n-1]&^0x20); power >= 0 {
			factor, text = math.Pow(1024, float64(power+1)), text[:n-1]
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		whole, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			return 0, false
		}
		v = float64(whole)
	}
	v *= factor
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}
