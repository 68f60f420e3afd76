package words

import "strings"

// MaxLine is the largest number of characters of a message: an input file can have any size,
// a terminal cannot.
const MaxLine = 300

// Cut shortens a text to most characters. It keeps the beginning, which says
// where, and the end, which says what is wrong and how to mend it.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	r := []rune(strings.ToValidUTF8(text, "�"))
	if len(r) <= most {
		return string(r)
	}
	head := most / 3
	return string(r[:head]) + "…" + string(r[len(r)-(most-1-head):])
}

// Wrap breaks text into lines of at most width characters, at spaces.
func Wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Command returns a command as it would be typed in a shell, on one line.
func Command(words []string) string {
	return Quote(strings.Join(Each(words, ShellQuote), " "))
}

// ShellQuote quotes a path for a POSIX shell if necessary. Characters that cannot
// be printed are escaped.
func ShellQuote(s string) string {
	if Quote(s) != s {
		return "$'" + Quote(strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)) + "'"
	}
	if strings.Trim(s, alphanumeric+"._-+/:=,@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
