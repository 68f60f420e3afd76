// What a page does with a script: tables sort and filter, figures show more than is drawn (chart.js). All can be read
// without it. Texts of records reach the page as text and attributes, never as markup.

const find = (selector, from = document) => [...from.querySelectorAll(selector)]
// fill sets attributes and appends children, which may be in arrays; those that are undefined or false are left out.
const fill = (element, attributes, children) => {
	for (const name in attributes) element.setAttribute(name, attributes[name])
	element.append(...children.flat(9).filter(child => child !== undefined && child !== false))
	return element
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children)
const namespace = document.querySelector('svg')?.namespaceURI
const svg = (tag, attributes, ...children) => fill(document.createElementNS(namespace, tag), attributes, children)
const on = (element, names, action) => names.split(' ').forEach(name => element.addEventListener(name, action))

// The view stands in the URL's hash after a question mark: it can be shared, and the browser's back works. Before it is
// the anchor, as in any page; a link to an anchor, which has no question mark, keeps the view.
let anchor, view = new URLSearchParams()
const watchers = []
const show = () => watchers.forEach(watcher => watcher())
const note = (how = 'replaceState') => history[how](null, '', `#${anchor}?${view}`)
const read = () => {
	const [, name, query] = /^#?([^?]*)(?:\?(.*))?/.exec(location.hash)
	anchor = name
	if (query !== undefined) view = new URLSearchParams(query)
	else if (view.size) note()
}
// change sets keys of the view, each to a list of values; an empty list removes it.
const change = (keys, replace) => {
	if (!replace) note()
	for (const key in keys) {
		view.delete(key)
		keys[key].forEach(value => view.append(key, value))
	}
	note(replace ? 'replaceState' : 'pushState')
	show()
}
on(window, 'hashchange', () => {
	read()
	show()
})
read()

// Tables: a click on the head of a column sorts by it, a second one backwards, a third restores the order.
const taken = {}
let typing
for (const table of find('table')) {
	const body = table.tBodies[0], heads = [...table.tHead?.rows[0].cells ?? []], rows = [...body?.rows ?? []]
	if (rows.length < 2 || rows.some(row => row.cells.length !== heads.length)) continue
	const place = table.closest('[id]')?.id ?? 'page'
	taken[place] = (taken[place] ?? 0) + 1
	const sort = `sort.${place}.${taken[place]}`, words = `find.${place}.${taken[place]}`
	heads.forEach((head, i) => {
		const button = html('button', { type: 'button', class: 'sort' }, ...head.childNodes)
		head.append(button)
		on(button, 'click', () => change({ [sort]: { [i]: ['-' + i], ['-' + i]: [] }[view.get(sort)] ?? [i] }))
	})
	const input = html('input', { type: 'search', class: 'filter', placeholder: 'Filter rows', 'aria-label': 'Filter rows' }), count = html('span', { role: 'status', class: 'about' })
	on(input, 'input', () => {
		change({ [words]: input.value ? [input.value] : [] }, typing === input) // back undoes all that is typed
		typing = input
	})
	on(input, 'blur', () => { typing = undefined })
	if (rows.length > 7) (table.closest('.scroll') ?? table).before(input, count)
	let was
	watchers.push(() => {
		const text = (view.get(words) ?? ''), is = view.get(sort)
		if (input.value !== text) input.value = text
		for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text.toLowerCase())
		count.textContent = text && `${rows.filter(row => !row.hidden).length} of ${rows.length} rows`
		if (is === was) return
		was = is
		const column = is === null ? -1 : Math.abs(is), sign = is?.[0] === '-' ? -1 : 1
		heads.forEach((head, i) => i === column ? head.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'))
		table.classList.toggle('sorted', column in heads)
		const value = row => row.cells[column].dataset.sort ?? row.cells[column].textContent
		const missing = v => /^\s*—?\s*$/.test(v)
		body.append(...column in heads ? rows.toSorted((a, b) => {
			const [u, v] = [value(a), value(b)]
			return missing(u) - missing(v) || sign * (u - v || u.localeCompare(v, 'en', { numeric: true }))
		}) : rows)
	})
}
