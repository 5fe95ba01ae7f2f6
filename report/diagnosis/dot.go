package diagnosis

import (
	"fmt"
	"io"
	"strings"

	"laggard/report/words"
)

// DOT writes the progress dependence graph for Graphviz: a node per group, the
// least progressed one filled, an arrow x → y where x waits for y, solid for
// evidence, dashed for inference, dotted and without a head where the order is
// undefined.
func DOT(w io.Writer, r *Result) error {
	b := &strings.Builder{}
	b.WriteString("digraph progress {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge " +
		"[fontname=\"sans-serif\", fontsize=10];\n")
	for _, g := range r.Groups {
		fill := ""
		if g.Least {
			fill = ", style=filled, fillcolor=\"#f4b6a6\""
		}
		fmt.Fprintf(b, "  g%d [label=%s%s];\n", g.ID, quoteDOT(groupLabel(g)), fill)
	}
	for _, e := range r.Edges {
		fmt.Fprintf(b, "  g%d -> g%d [%s, tooltip=%s];\n", e.From, e.To, edgeStyle(e), quoteDOT(e.Reason))
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func groupLabel(g Group) string {
	return words.Ranks(g.Ranks) + "\n" + stateText(g.State)
}

func edgeStyle(e Edge) string {
	switch {
	case e.Kind == "undefined":
		return `style=dotted, dir=none, label="undefined"`
	case e.Kind == "inferred" || e.Weak:
		return "style=dashed"
	}
	return "style=solid, label=" + quoteDOT(e.Kind)
}

// quoteDOT writes a string as DOT wants it.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
