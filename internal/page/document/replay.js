// Runs on problems of one or two dimensions, step by step: any run of any method, up to any step. The page has the drawing
// of the first; package replay makes it, and this one like it.

for (const source of find('script.runs')) {
	const data = JSON.parse(source.textContent), [left, top, width, height] = data.frame, key = 'at.' + data.name
	const figure = source.closest('figure'), told = figure.querySelector('.answer'), method = html('select'), run = html('select'), step = html('input', { type: 'range', min: 1 })
	const options = (select, names) => select.replaceChildren(...names.map(name => html('option', {}, name)))
	options(method, data.methods.map(m => m.label))
	figure.prepend(html('div', { class: 'steps' }, ...Object.entries({ Method: method, Run: run, Step: step }).map(([name, element]) => html('label', {}, name, element))))
	told.setAttribute('aria-live', 'polite')

	const spot = (x, y) => [left + x * width / 1e4, top + height - y * height / 1e4].map(v => v.toFixed(1))
	const draw = (of, { best, ground, about, range }, last) => {
		const at = i => spot(...of.p.slice(2 * i, 2 * i + 2)), steps = of.s.slice(0, last), now = steps.at(-1), size = {}
		for (const [, winner, ...points] of steps) points.forEach((i, k) => { size[i] = k === winner ? 4.6 : 2.6 })
		const mark = (name, place, d) => svg('path', { class: name, transform: `translate(${place.join(' ')})`, d })
		const line = (name, points) => svg('path', { class: name, d: 'M' + points.map(i => at(i).join(' ')).join('L') })
		const shape = figure.querySelector('svg .ground'), name = data.lo[1] === undefined ? 'd' : 'href'
		ground ? shape.setAttribute(name, ground) : shape.removeAttribute(name)
		figure.querySelector('span.ground').textContent = about
		if (data.lo[1] === undefined) [0, 0.5, 1].forEach((u, i) => { find('.end', figure)[i].textContent = number(+(range[0] + u * (range[1] - range[0])).toPrecision(3)) })
		figure.querySelector('.moves').replaceChildren(line('trail', steps.map(s => s[0])), line('duel', now.slice(2)),
			...of.t.flatMap((t, i) => {
				const u = (t - 1) / Math.max(1, of.s.length - 1), [cx, cy] = at(i)
				return size[i] ? [svg('circle', { cx, cy, r: size[i], fill: `hsl(${Math.round(54 - 50 * u)} 95% ${Math.round(76 - 48 * u)}%)` }, svg('title', {}, 'step ' + t))] : []
			}),
			...best.flatMap((x, k) => k % 2 ? [] : [mark('best', spot(x, best[k + 1]), 'M0-8L2-2.5H8L3.2 1L5 7L0 3.4L-5 7L-3.2 1L-8-2.5H-2Z')]),
			mark('told', at(now[0]), 'M0-6L6 0L0 6L-6 0Z'))
	}
	const words = (name, of, { known }, last) => {
		const coordinate = (lo, k, i) => {
			const size = data.hi[k] - lo, grain = 10 ** Math.floor(Math.log10(size) - 3)
			return number(+(Math.floor((lo + of.p[2 * i + k] / 1e4 * size) / grain + 0.5) * grain).toPrecision(6))
		}
		const point = i => `(${data.lo.map((lo, k) => coordinate(lo, k, i)).join(', ')}) with ${known ? 'regret' : 'f ='} ${number(of.v[i])}`
		const [recommended, winner, ...points] = of.s[last - 1], others = points.filter((_, k) => k !== winner).map(point).join(' and ')
		return `${name}, run ${of.n}, step ${last} of ${of.s.length}: ${winner < 0 ? `no preference between ${others}` : `${point(points[winner])} was preferred to ${others}`}. Recommended: ${point(recommended)}.`
	}
	const pick = (select, text) => Math.max(0, [...select.options].findIndex(option => option.value === text))
	const watch = () => {
		const [chosen, number, last] = view.getAll(key)
		method.selectedIndex = pick(method, chosen)
		const { runs, label: name } = data.methods[method.selectedIndex]
		options(run, runs.map(r => r.n))
		run.selectedIndex = pick(run, number)
		const of = runs[run.selectedIndex], instance = data.instances[of.i]
		step.max = of.s.length
		step.value = last ?? of.s.length
		draw(of, instance, +step.value)
		told.textContent = words(name, of, instance, +step.value)
	}
	const go = replace => change({ [key]: [method.value, run.value, ...step.value === step.max ? [] : [step.value]] }, replace)
	on(method, 'change', () => go())
	on(run, 'change', () => go())
	on(step, 'input', () => go(true))
	watchers.push(watch)
	watch()
}
