package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"popbench/internal/check"
)

// chrome is the browser of all tests, which have a tab each. Two pipes carry the messages of its developer tools.
type chrome struct {
	cmd  *exec.Cmd
	send *os.File
	own  sync.Mutex // is held by who talks to the browser, not to a tab

	mu     sync.Mutex
	number int
	inbox  map[string]chan devtoolsMessage // of each tab's session; "" is the browser's
}

// theBrowser starts the browser on first use, with its profile in sharedDir. TestMain ends it.
var theBrowser = sync.OnceValues(func() (*chrome, error) {
	in, send, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &chrome{send: send, inbox: map[string]chan devtoolsMessage{"": make(chan devtoolsMessage, 16)}}
	c.cmd = exec.Command(chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-renderer-backgrounding", "--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows", "--disable-extensions", "--renderer-process-limit=1",
		"--disable-features=Translate,OptimizationHints,MediaRouter,SpareRendererForSitePerProcess", "--user-data-dir="+filepath.Join(sharedDir, "profile"), "--remote-debugging-pipe")
	c.cmd.ExtraFiles = []*os.File{in, out} // 3 and 4 there
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	in.Close()
	out.Close()
	browserStarted = c
	go c.receive(bufio.NewReader(answers))
	return c, nil
})

var browserStarted *chrome // nil if no test needed one

func (c *chrome) end() {
	c.post("", "Browser.close", nil)
	_ = c.cmd.Wait()
}

// receive puts each message into the inbox of its tab.
func (c *chrome) receive(r *bufio.Reader) {
	for {
		text, err := r.ReadBytes(0)
		var m devtoolsMessage
		if err != nil || json.Unmarshal(text[:len(text)-1], &m) != nil {
			return
		}
		c.mu.Lock()
		inbox := c.inbox[m.SessionID]
		c.mu.Unlock()
		if inbox != nil && (m.ID > 0 || m.SessionID != "") {
			inbox <- m
		}
	}
}

// post sends a message and returns its number.
func (c *chrome) post(session, method string, params args) (number int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	message := args{"id": c.number, "method": method, "params": params}
	if params == nil {
		message["params"] = args{}
	}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = c.send.Write(append(text, 0))
	}
	return c.number, err
}

// tab is a page in the browser: keys and clicks arrive as those of a user do.
type tab struct {
	t       *testing.T
	browser *chrome
	inbox   chan devtoolsMessage
	session string
	loads   int // pages that finished loading
	opened  int
}

// openTab opens a tab in a window of that many pixels.
func openTab(t *testing.T, width, height int) *tab {
	t.Helper()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("starts a browser, which is driven through inherited pipes")
	}
	if chromium() == "" {
		t.Skip("NOTICE: the pages are not looked at, as no Chromium is installed; name one in $CHROMIUM, or install the package chromium")
	}
	c := check.Must(theBrowser())(t)
	var target struct{ TargetID, SessionID string }
	own := func(calls func(b *tab)) {
		c.own.Lock()
		defer c.own.Unlock()
		calls(&tab{t: t, browser: c, inbox: c.inbox[""]})
	}
	own(func(b *tab) {
		// Nobody looks at the tab: it is laid out, but not painted, which would take half of the time.
		b.call("Target.createTarget", args{"url": "about:blank", "hidden": true}, &target)
		b.call("Target.attachToTarget", args{"targetId": target.TargetID, "flatten": true}, &target)
	})
	b := &tab{t: t, browser: c, inbox: make(chan devtoolsMessage, 1<<12), session: target.SessionID}
	c.mu.Lock()
	c.inbox[b.session] = b.inbox
	c.mu.Unlock()
	t.Cleanup(func() {
		own(func(b *tab) { b.call("Target.closeTarget", args{"targetId": target.TargetID}, nil) })
		c.mu.Lock()
		delete(c.inbox, b.session)
		c.mu.Unlock()
	})
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setFocusEmulationEnabled", args{"enabled": true}, nil)
	b.size(width, height)
	return b
}

// chromium returns the browser for the pages: $CHROMIUM, or an installed one; "" if there is none.
func chromium() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

type args map[string]any

// call sends a message, and takes all that comes until its answer. What the page should not do fails the test: exceptions,
// and requests for anything but files.
func (b *tab) call(method string, params args, result any) {
	b.t.Helper()
	number := check.Must(b.browser.post(b.session, method, params))(b.t)
	for {
		m := b.next()
		if m.ID != number {
			continue
		}
		check.Ensure(b.t, m.Error == nil, "%s: %s", method, m.Error)
		if result != nil {
			check.OK(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

type devtoolsMessage struct {
	ID            int
	SessionID     string
	Method        string
	Params        json.RawMessage
	Result, Error json.RawMessage
}

// next is the next message. It fails the test if none comes for a minute.
func (b *tab) next() (m devtoolsMessage) {
	b.t.Helper()
	select {
	case m = <-b.inbox:
	case <-time.After(time.Minute):
		b.t.Fatal("the browser says nothing for a minute")
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loads++
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.t.Errorf("the page reports %s", m.Params)
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		_ = json.Unmarshal(m.Params, &p)
		if u := p.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			b.t.Errorf("the page asks for %s", u)
		}
	}
	return m
}

// loaded waits until a page has loaded after what act does.
func (b *tab) loaded(act func()) {
	b.t.Helper()
	before := b.loads
	act()
	for b.loads == before {
		b.next()
	}
}

// open loads a file, with a fragment if the path has one. The query makes it another page than the last, which would else be
// kept if only the fragment differs.
func (b *tab) open(path string) {
	b.t.Helper()
	b.opened++
	file, fragment, _ := strings.Cut(path, "#")
	b.loaded(func() {
		b.call("Page.navigate", args{"url": fmt.Sprintf("file://%s?%d#%s", file, b.opened, fragment)}, nil)
	})
}

func (b *tab) reload() {
	b.t.Helper()
	b.loaded(func() { b.call("Page.reload", nil, nil) })
}

func (b *tab) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", args{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// ask evaluates an expression in the page.
func ask[T any](b *tab, expression string) T {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value T }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", args{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	check.Ensure(b.t, answer.ExceptionDetails == nil, "%s: %s", expression, answer.ExceptionDetails)
	return answer.Result.Value
}

// keyCodes are of the keys that the tests press.
var keyCodes = map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39, "ArrowDown": 40}

func (b *tab) press(key string) {
	b.t.Helper()
	down := args{"type": "keyDown", "key": key, "windowsVirtualKeyCode": keyCodes[key]}
	switch key {
	case "Enter":
		down["text"] = "\r"
	case " ":
		down["text"] = " "
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", args{"type": "keyUp", "key": key, "windowsVirtualKeyCode": keyCodes[key]}, nil)
}

func (b *tab) write(text string) {
	b.t.Helper()
	for _, r := range text {
		b.call("Input.insertText", args{"text": string(r)}, nil)
	}
}

// focus presses Tab before the element with that text, or that label, inside what the selector selects. It is to have the
// focus then.
func (b *tab) focus(within, name string) {
	b.t.Helper()
	const named = `(e => (e.getAttribute('aria-label') ?? e.textContent).trim() === `
	ask[any](b, `(() => {
		const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')].filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility())
		all[all.findIndex(e => e.closest(`+quoted(within)+`) && `+named+quoted(name)+`)(e)) - 1]?.focus()
	})()`)
	b.press("Tab")
	check.Ensure(b.t, ask[bool](b, named+quoted(name)+`)(document.activeElement)`), "the tabulator key does not reach %q in %s", name, within)
}

// point moves the pointer to a place in an element, given as shares of its width and height.
func (b *tab) point(selector string, x, y float64) {
	b.t.Helper()
	at := ask[[2]float64](b, `(() => { const e = document.querySelector(`+quoted(selector)+`); e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); return [`+
		`r.left + r.width * `+quoted(x)+`, r.top + r.height * `+quoted(y)+`] })()`)
	// A move waits for the next frame, which a page that is not painted hardly has, or for another event.
	check.Must(b.browser.post(b.session, "Input.dispatchMouseEvent", args{"type": "mouseMoved", "x": at[0], "y": at[1]}))(b.t)
	b.call("Input.dispatchMouseEvent", args{"type": "mouseReleased", "x": at[0], "y": at[1]}, nil)
}

// click scrolls to the first link or button with that text that can be seen, and clicks on it. If it leads to another page,
// click waits for that.
func (b *tab) click(text string) {
	b.t.Helper()
	found := ask[[]any](b, `(() => {
		const e = [...document.querySelectorAll('a, button, summary')].find(e => e.textContent.trim() === `+quoted(text)+` && e.checkVisibility())
		if (!e) return []
		e.scrollIntoView({ block: 'center' })
		const r = e.getClientRects()[0]
		return [r.left + r.width / 2, r.top + r.height / 2, !!e.href && e.href.split('#')[0] !== location.href.split('#')[0]]
	})()`)
	check.Ensure(b.t, len(found) != 0, "nothing says %q at %s", text, ask[string](b, `location.href`))
	act := func() {
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			b.call("Input.dispatchMouseEvent", args{"type": kind, "x": found[0], "y": found[1], "button": "left", "clickCount": 1}, nil)
		}
	}
	if found[2] == true {
		b.loaded(act)
		return
	}
	act()
}

// choose scrolls to a list and chooses one of its options, as a click in the open list does.
func (b *tab) choose(selector, option string) {
	b.t.Helper()
	check.Ensure(b.t, ask[bool](b, `(() => {
		const e = document.querySelector(`+quoted(selector)+`), options = [...e.options].map(o => o.value)
		if (!options.includes(`+quoted(option)+`)) return false
		e.scrollIntoView()
		e.value = `+quoted(option)+`
		return e.dispatchEvent(new Event('change', { bubbles: true }))
	})()`), "%s has no option %q", selector, option)
}

// sight is the text in the window.
func (b *tab) sight() string {
	b.t.Helper()
	return strings.Join(strings.Fields(ask[string](b, `(() => {
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange(), words = []
		while (walk.nextNode()) {
			range.selectNode(walk.currentNode)
			const r = range.getBoundingClientRect()
			if (walk.currentNode.parentElement.checkVisibility() && r.height > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth) words.push(walk.currentNode.data)
		}
		return words.join(' ')
	})()`)), " ")
}

// quoted is a value as JavaScript writes it.
func quoted(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
