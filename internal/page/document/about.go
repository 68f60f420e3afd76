package document

// About is what a page says of itself, for readers who come to it without knowing the program.
type About struct {
	Description string // in a sentence, for search engines and previews of links
	Image       string // path of a PNG from the page; "" if there is none
	ImageAlt    string
	Source      Source
	Field       string // what preferential optimisation is
	Methods     []Entry
	Metrics     []Entry
	Symbols     Text   // of the metrics
	Cite        []Link // what to cite
	BibTeX      string // the same
	Docs        []Link // what explains more
	Where       Text   // where to find the documentation if no link leads there; "" if links do
}

// Source is the paper that a page belongs to, in a sentence: Lead, the paper, Part.
type Source struct {
	Lead  Text // the whole sentence if there is no paper
	Paper Link // to the paper, by its title
	By    string
	Part  Text // of the paper
}

// Entry explains a method or a metric.
type Entry struct {
	Name  Text   // in bold
	Text  Text   // the rest of the sentence
	Links []Link // to more; a link without Href is a path in the program's source
}

// Link is to another file, or to another part of a page.
type Link struct{ Text, Href string }
