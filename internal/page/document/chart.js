// Figures of lines: one set of controls shows, hides and rescales all of them, pointer and arrow keys read their values.
// The drawing of the page stays where nothing is changed; else one like it is made of its data.

const number = v => String(v ?? '—').replace('e+', 'e').replaceAll('-', '−')
const path = (name, points, more) => svg('path', { class: name, d: points.map ? 'M' + points.map(p => p.map(v => v.toFixed(1))).join('L') : points, ...more })
const words = (x, y, name, ...text) => svg('text', { x, y, class: name }, ...text)
// The markers of package figure, by style.
const ring = 'M-2.7 0a2.7 2.7 0 1 0 5.4 0a2.7 2.7 0 1 0-5.4 0Z', box = 'M-2.5-2.5H2.5V2.5H-2.5Z', triangle = 'M0-3L2.6 1.5H-2.6Z'
const markers = [['full', ring], ['open', box], ['full', triangle], ['', 'M-2-2L2 2M-2 2L2-2'], ['', ring], ['', 'M-2.7 0H2.7M0-2.7V2.7'], ['full', box], ['', triangle]]
const marker = ({ style, color }, x, y) => path(...markers[style], { transform: `translate(${x} ${y})`, color })
const stroke = (line, points, name) => path(name, points, { color: line.color, 'stroke-dasharray': line.dash ?? 'none' })
const swatch = line => svg('svg', { viewBox: '0 0 30 10', class: 'live', 'aria-hidden': true }, stroke(line, [[0, 5], [30, 5]], 'line'), marker(line, 15, 5))

const axis = (lo, hi, from, to, log) => Object.assign(v => from + (to - from) * (log ? Math.log(Math.max(v, lo) / lo) / Math.log(hi / lo) : (v - lo) / (hi - lo)), { lo, hi, log })
// range is that of an axis for values: from 0 if it is linear, over six decades at most if it is logarithmic.
const range = (values, log) => {
	let lo = log ? Infinity : 0, hi = 0
	for (const v of values) {
		if (v > hi) hi = v
		if (v < lo && (v > 0 || !log)) lo = v
	}
	if (!log) return [lo, hi > lo ? hi + 0.04 * (hi - lo) : lo + 1]
	return hi > 0 ? [Math.min(Math.max(lo / 1.5, hi * 1.3e-6), hi / 4), hi * 1.3] : [0.1, 1]
}
const ticks = ({ lo, hi, log }, least = 0, fine = 2.5) => {
	const size = log ? Math.log10(hi / lo) : (hi - lo) / 6, power = 10 ** Math.floor(Math.log10(size)), all = []
	const step = Math.max(least, power * [1, 2, 5, 10].find(m => m * power >= size * 0.9999))
	if (!log) for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi; i++) all.push(i * step)
	else for (let e = Math.floor(Math.log10(lo)); e <= Math.log10(hi); e++) all.push(...(size < fine ? [1, 2, 5] : [1]).map(m => m * 10 ** e))
	return all.filter(v => v >= lo && v <= hi || !log).map(v => [v, number(+v.toPrecision(6))])
}
// spread moves names apart that would overlap.
const spread = (names, lo, hi, gap) => {
	names.sort((a, b) => a.want - b.want).forEach((name, i) => { name.y = Math.max(name.want, i ? names[i - 1].y + gap : lo) })
	names.reduceRight((limit, name) => (name.y = Math.min(name.y, limit)) - gap, hi)
}

const legend = new Map(), charts = find('script.lines').map(source => {
	const data = JSON.parse(source.textContent), [left, top, right, bottom] = data.frame
	const art = source.closest('figure').querySelector('.art'), still = art.querySelector('svg'), viewBox = still.getAttribute('viewBox')
	const over = svg('svg', { viewBox, class: 'live over', 'aria-hidden': true }), readout = html('div', { class: 'readout' })
	const keys = html('input', { type: 'range', min: 1, 'aria-label': `Values of ${data.title}, ${data.what}`, style: `left:${left / 3.6}%;width:${(right - left) / 3.6}%` })
	art.append(over, readout, keys)
	for (const line of data.lines) legend.set(line.label, legend.get(line.label) ?? line)
	const has = key => data.lines.every(line => line[key])
	// What is shown: lines, axes, and what can be read: points where it is; its name, marks and a row for each line.
	let lines, x, y, stops, live

	const clear = () => {
		readout.hidden = true
		over.replaceChildren()
	}
	const tell = k => {
		const { name, marks, rows } = stops[k].read()
		over.replaceChildren(...marks)
		readout.replaceChildren(html('b', {}, name), html('table', {}, rows.map((cells, i) => html('tr', {}, [[swatch(lines[i]), lines[i].label], ...cells].map(cell => html('td', {}, cell))))))
		readout.hidden = false
		keys.value = k + 1
		keys.setAttribute('aria-valuetext', [name, ...rows.map((cells, i) => [lines[i].label, ...cells].join(' '))].join(', '))
	}
	on(art, 'pointermove pointerdown', event => {
		const bounds = art.getBoundingClientRect(), at = [event.clientX - bounds.left, event.clientY - bounds.top].map(v => v / bounds.width * 360)
		const far = stops.map(stop => Math.min(...stop.points.map(p => Math.hypot(...p.map((v, i) => v - at[i])))))
		tell(far.indexOf(Math.min(...far)))
	})
	on(keys, 'focus input', () => tell(keys.value - 1))
	on(keys, 'blur', clear)
	on(art, 'pointerleave', clear)
	on(keys, 'keydown', event => event.key === 'Escape' && clear())

	const frame = (name, about) => [
		words(4, 14.8, 'big', data.title + ' ', svg('tspan', { class: 'soft', ...top < 30 ? { dx: 4 } : { x: 4, dy: 15 } }, about)),
		y && ticks(y).map(([v, text]) => [path('rule', [[left, y(v)], [right, y(v)]]), words(left - 6, y(v) + 3.6, 'end', text)]),
		ticks(x, y ? 1 : 0, 1.5).map(([v, text]) => [path('axis', [[x(v), bottom], [x(v), bottom + 4]]), words(x(v), bottom + 14, 'middle tick', text)]),
		path('axis', [[left, top], [left, bottom], [right, bottom]]), words((left + right) / 2, data.height - 3, 'middle', name),
		y?.log === data.log && data.beside?.map((text, i) => svg('text', { class: 'middle', transform: `translate(${13 + 14 * i} ${(top + bottom) / 2}) rotate(-90)` }, text)),
	]

	const curves = (mode, log, seconds) => {
		const [middle, low, high] = mode === 'median' ? ['median', 'q1', 'q3'] : ['mean', 'lo', 'hi']
		const at = (line, i) => seconds ? line.seconds[i] : i + 1
		const plain = mode === 'mean' && log === data.log && lines.length === data.lines.length
		x = seconds ? axis(...range(lines.flatMap(line => line.seconds), true), left, right, true) : axis(...data.x, left, right, data.logSteps)
		y = axis(...plain ? data.y : range([...lines.flatMap(line => [...line[middle], ...line[low] ?? [], ...line[high] ?? [], ...mode === 'runs' ? line.runs.flat() : []]), ...data.marks.map(mark => +mark.value)], log), bottom, top, log)
		const points = (line, key) => (line[key] ?? key).map((v, i) => [x(at(line, i)), y(v ?? line[middle][i])])
		const middles = lines.map(line => points(line, middle))
		stops = data.lines[0].mean.map((_, i) => ({
			points: seconds ? middles.map(all => all[i]) : [[x(i + 1)]],
			read: () => ({
				name: 'step ' + (i + 1),
				marks: [...seconds ? [] : [path('axis', [[x(i + 1), top], [x(i + 1), bottom]])], ...middles.map((all, k) => svg('circle', { cx: all[i][0], cy: all[i][1], r: 3.6, class: 'open', color: lines[k].color }))],
				rows: lines.map(line => [number(line[middle][i]), line[low]?.[i] == null ? '' : `[${number(line[low][i])}, ${number(line[high][i])}]`, 'n = ' + line.n, ...seconds ? [number(line.seconds[i]) + ' s'] : []]),
			}),
		}))
		if (plain && !seconds) return
		const bases = seconds ? [] : data.bases.filter(base => y.lo <= base.points.at(-1)[1] && base.points.at(-1)[1] <= y.hi)
		const names = [...lines.map(line => ({ ...line, want: y(line[middle].at(-1)) })), ...bases.map(base => ({ name: base.name, want: y(base.points.at(-1)[1]) }))]
		spread(names, top + 6, bottom - 6, 12.6)
		return [frame(seconds ? 'seconds, mean over the runs' : 'step', data.what + { mean: '', median: ', median', runs: ', single runs' }[mode] + (log ? ', log scale' : '')),
			bases.map(base => path('base', base.points.map(([u, v]) => [x(u), y(v)]), { 'stroke-dasharray': base.dash ?? 'none' })),
			lines.map(line => mode === 'runs' ? line.runs.map(run => path('run', points(line, run), { color: line.color })) :
				line[low] && !data.bars && path('band', [...points(line, low), ...points(line, high).reverse()], { color: line.color })),
			lines.map((line, k) => {
				const all = middles[k], every = Math.ceil(all.length / 6), marked = (_, i) => i % every === Math.floor(k * every / lines.length)
				const bars = line[low] && data.bars && mode !== 'runs' ? points(line, low).map((p, i) => [p, points(line, high)[i]]) : []
				return [bars.filter(marked).map(bar => path('thin', bar, { color: line.color })), stroke(line, all, 'line'), all.filter(marked).map(p => marker(line, ...p))]
			}),
			data.marks.map(mark => [path('open', 'M0 4.6L4.6 0L0-4.6L-4.6 0Z', { transform: `translate(${right + 7} ${y(+mark.value)})`, ...mark.color && { color: mark.color } }), mark.color && marker(mark, right + 7, y(+mark.value))]),
			names.map(name => [path('thin', [[right + 2, name.want], [right + 12, name.want], [right + 21, name.y], [right + 28, name.y]], name.color && { color: name.color }),
				name.color && marker(name, right + 25, name.y), words(right + 31, name.y + 3.6, name.color ? 'label' : 'label soft', name.name)])]
	}

	// histograms of the last values, a row for each line
	const histograms = log => {
		const bins = 24, width = (right - left) / bins, height = (bottom - top) / Math.max(1, lines.length), [lo, hi] = range(lines.flatMap(line => line.last), log)
		x = axis(lo, hi, left, right, log)
		y = undefined
		const counts = lines.map(line => {
			const count = Array(bins).fill(0)
			for (const v of line.last) count[Math.min(bins - 1, Math.floor((x(v) - left) / width))]++
			return count
		})
		const edge = i => number(+(log ? lo * (hi / lo) ** (i / bins) : lo + (hi - lo) * i / bins).toPrecision(3)), most = Math.max(1, ...counts.flat())
		stops = Array.from({ length: bins }, (_, i) => ({
			points: [[left + (i + 0.5) * width]],
			read: () => ({
				name: `${edge(i)} to ${edge(i + 1)}`,
				marks: [svg('rect', { class: 'bin', x: left + i * width, y: top, width, height: bottom - top })],
				rows: lines.map((line, k) => [`${counts[k][i]} of ${line.last.length} runs`]),
			}),
		}))
		return [frame(data.what, 'of each run after the last step' + (log ? ', log scale' : '')), lines.map((line, k) => {
			const floor = top + (k + 1) * height, bar = n => n / most * (height - 4)
			return [path('rule', [[left, floor], [right, floor]]), words(right + 8, floor - height / 2 + 3.6, 'label', line.name),
				counts[k].map((n, i) => svg('rect', { x: left + i * width + 0.4, width: width - 0.8, y: floor - bar(n), height: bar(n), color: line.color }))]
		})]
	}

	watchers.push(() => {
		lines = data.lines.filter(line => !view.getAll('hide').includes(line.label))
		const mode = { median: has('median') && 'median', runs: has('runs') && 'runs', final: has('last') && 'final' }[view.get('show')] || 'mean'
		const log = view.has('y') ? view.get('y') === 'log' : data.log
		const drawn = mode === 'final' ? histograms(log) : curves(mode, log, view.get('x') === 'seconds' && has('seconds'))
		live?.remove()
		live = drawn && svg('svg', { viewBox, class: 'live', role: 'img', 'aria-label': drawn[0][0].textContent }, drawn)
		if (live) art.prepend(live)
		// The margins are those of the drawing of the page, in its font: longer texts are set closer, or left out beside another.
		let end = 0
		for (const text of live ? find('text:not([transform])', live) : []) {
			const { x, width } = text.getBBox(), first = text.matches('.end') && y.log === data.log && data.beside ? 14 * data.beside.length + 5 : 2
			const room = Math.min(x + width, 358) - Math.max(x, first)
			if (room < width) fill(text, { textLength: room, lengthAdjust: 'spacingAndGlyphs' }, [])
			if (!text.matches('.tick')) continue
			if (x < end + 3) text.remove()
			else end = x + width
		}
		still.style.display = live ? 'none' : ''
		keys.value = keys.max = stops.length
		clear()
	})
	return { log: data.log, has }
})

if (charts.length) {
	const bar = html('div', { class: 'controls', role: 'group', 'aria-label': 'What the figures show' })
	const group = (name, ...buttons) => bar.append(html('div', { role: 'group', 'aria-label': name }, html('span', {}, name), buttons.map(([text, pressed, keys, line]) => {
		const button = html('button', { type: 'button' }, line && swatch(line), text)
		on(button, 'click', () => change(keys()))
		watchers.push(() => button.setAttribute('aria-pressed', pressed()))
		return button
	})))
	const choose = (key, standard, options) => Object.entries(options).map(([value, text]) => [text, () => (view.get(key) ?? standard) === value, () => ({ [key]: value === standard ? [] : [value] })])
	const any = (key, options) => charts.some(chart => chart.has(key)) ? options : {}
	const hidden = () => view.getAll('hide')
	group('Lines', ...[...legend].map(([label, line]) => [label, () => !hidden().includes(label),
		() => ({ hide: hidden().includes(label) ? hidden().filter(other => other !== label) : [...hidden(), label] }), line]))
	group('Show', ...choose('show', 'mean', { mean: 'mean, interval', ...any('median', { median: 'median, quartiles' }), ...any('runs', { runs: 'single runs' }), ...any('last', { final: 'final values' }) }))
	group('Scale', ...choose('y', charts.every(chart => chart.log) ? 'log' : charts.some(chart => chart.log) ? '' : 'linear', { linear: 'linear', log: 'log' }))
	group('Over', ...choose('x', 'steps', { steps: 'comparisons', ...any('seconds', { seconds: 'seconds' }) }))
	group('Reset', ['as printed', () => !['hide', 'show', 'y', 'x'].some(key => view.has(key)), () => ({ hide: [], show: [], y: [], x: [] })])
	const first = find('figure:has(script.lines)')[0]
	;(first.closest('.problem') ?? first).before(bar)
}
show()
if (view.size && anchor) document.getElementById(anchor)?.scrollIntoView()
