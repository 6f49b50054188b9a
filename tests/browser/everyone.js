// What must hold on every page for everyone, measured in the page. Added to it before its own scripts: `watched` elements tell
// what they listen to.

(() => {
  const MAIN = "[data-testid=stMain]";
  const FIELDS = "button, input, select, textarea, summary, a[href]";
  const POINTED = ["click", "dblclick", "mousedown", "pointerdown", "pointermove", "pointerover", "mousemove"];
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (kind, ...rest) {
    if (this instanceof Element) (this.tlmvizHears ??= new Set()).add(kind);
    return add.call(this, kind, ...rest);
  };
  let begun = new Set(); // what a walk may stop at; what is drawn while it goes on is not missed
  const visited = new Map(); // element -> whether its focus is seen

  /** Every element, those in open shadow roots too. */
  const all = (root) => [...root.querySelectorAll("*")].flatMap((element) => [element, ...(element.shadowRoot ? all(element.shadowRoot) : [])]);
  const up = (element) => element.parentElement ?? (element.getRootNode() instanceof ShadowRoot ? element.getRootNode().host : null);
  const ancestors = function* (element) {
    for (let at = up(element); at; at = up(at)) yield at;
  };
  const shown = (element) => element.getClientRects().length > 0 && element.checkVisibility({ visibilityProperty: true }) && !element.closest("[inert]");
  const main = () => document.querySelector(MAIN);
  /** What our own views have made: all that is in their shadow roots. */
  const views = () => [...document.querySelectorAll(`${MAIN} [data-testid^=stBidiComponent]`)].filter(({ shadowRoot }) => shadowRoot).map(
    ({ shadowRoot }) => shadowRoot);
  /** Plotly's charts that answer a mouse, and their players and sliders. */
  const charts =
    () => [...document.querySelectorAll(`${MAIN} .stPlotlyChart:has(.nsewdrag), ${MAIN} .stPlotlyChart :is(.updatemenu-button, .slider-group)`)].filter(
    (element) => shown(element));
  const own = () => views().flatMap(all).filter((element) => shown(element));
  const name = (element) => {
    const { testid } = element.dataset ?? {};
    const said = element.getAttribute("aria-label") ?? element.textContent.trim();
    return `${element.localName}${testid ? `[${testid}]` : ""}${element.getAttribute("class") ? `.${element.getAttribute("class")}` : ""} “${said.slice(0,
      30)}”`;
  };
  const isField = (element) => element.matches(FIELDS) || Boolean(element.closest("label"));
  const tabs = (element) => element.tabIndex >= 0 && (element.matches(FIELDS) || element.hasAttribute("tabindex")) && !element.disabled;
  const hears = (element, kinds) => kinds.some((kind) => element.tlmvizHears?.has(kind)) || (kinds.includes("click") && Boolean(element.onclick));
  const answersKeys = (element) => hears(element, ["keydown"])
    && (tabs(element) || [...element.querySelectorAll("*")].some((inner) => tabs(inner) && shown(inner)));
  const scrollsSideways = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1;
  const within = (element, test) => {
    for (const at of ancestors(element)) {
      if (at.matches(MAIN)) return false;
      if (test(at)) return true;
    }
    return false;
  };

  window.tlmvizEveryone = {
    /** What answers a mouse and no key, and positive tab indices. */
    unreachable() {
      const mute = own().filter((element) => hears(element, POINTED) && !isField(element) && !answersKeys(element) && !within(element, answersKeys)
        && ![...element.querySelectorAll("*")].some((inner) => shown(inner) && (inner.matches(FIELDS) || answersKeys(inner))));
      mute.push(...charts().filter((element) => !tabs(element)));
      const first = all(document.body).filter(({ tabIndex }) => tabIndex > 0);
      return [...mute.map((element) => `answers no key: ${name(element)}`), ...first.map((element) => `comes before its turn: ${name(element)}`)];
    },
    /** Begin a walk by Tab at the top of the page's main part; gives how many stops there may be. */
    beginWalk() {
      visited.clear();
      const title = document.querySelector(`${MAIN} h1`) ?? main();
      title.setAttribute("tabindex", "-1");
      title.focus();
      title.removeAttribute("tabindex");
      begun = new Set(all(main()).filter((element) => tabs(element) && shown(element)));
      return begun.size;
    },
    /** Note what has the focus; whether the walk has left the page's main part. */
    walked() {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      if (!at || !main().contains(document.activeElement)) return true;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      visited.set(at, outlineStyle !== "none" && parseFloat(outlineWidth) > 0);
      return false;
    },
    /** What of our own views Tab has not come to, or shows no ring there; a walk that was not `whole` says nothing of what comes after it. */
    missed(whole) {
      const last = [...visited.keys()].at(-1);
      const before = (element) => whole || order.indexOf(element) <= order.indexOf(last);
      const order = all(main());
      const stops = [...own(), ...charts()].filter((element) => begun.has(element) && tabs(element) && before(element)
        && !(element.matches("input[type=radio]") && !element.checked));
      return [
        ...stops.filter((element) => !visited.has(element)).map((element) => `Tab does not come to ${name(element)}`),
        ...stops.filter((element) => visited.get(element) === false).map((element) => `no ring around ${name(element)}`),
      ];
    },
    /** What makes the page wider than the window, lies beyond its side, is cut off, or covers another control. */
    misfits() {
      const width = main().clientWidth;
      const wide = Math.max(document.documentElement.scrollWidth - innerWidth, main().scrollWidth - width);
      const scrolls = (element) => within(element, (at) => ["auto", "scroll"].includes(getComputedStyle(at).overflowX));
      const beyond = own().filter((element) => {
        const { left, right, width: size } = element.getBoundingClientRect();
        return size > 0 && (right > width + 1 || left < -1) && !scrolls(element) && !(element instanceof SVGElement && element.localName !== "svg");
      });
      const cut = own().filter((element) => {
        const { overflowX, textOverflow } = getComputedStyle(element);
        return ["hidden", "clip"].includes(overflowX) && textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 1
          && element.clientWidth > 1;
      });
      const fields = own().filter((element) => element.matches("button, input, select, textarea"));
      const boxes = fields.map((element) => element.getBoundingClientRect());
      const covered = fields.flatMap((element, i) => boxes.slice(i + 1).flatMap((b, k) => {
        const a = boxes[i];
        const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        return x > 2 && y > 2 && !fields[i + 1 + k].contains(element) && !element.contains(fields[i + 1 + k])
          ? [`${name(element)} covers ${name(fields[i + 1 + k])}`] : [];
      }));
      return [...(wide > 0 ? [`the page is ${wide} pixels too wide`] : []), ...beyond.map((element) => `beyond the side: ${name(element)}`),
        ...cut.map((element) => `cut off: ${name(element)}`), ...covered];
    },
    /** Pictures that a finger cannot scroll past, and targets that it can hardly hit. `painted`: pictures to draw on, by test id. */
    untouchable(painted, least) {
      const stuck = own().filter((element) => hears(element, [...POINTED, "touchstart"]) && ["canvas", "svg", "div"].includes(element.localName)
        && !painted.includes(element.dataset.testid)).filter((element) => {
        const { touchAction } = getComputedStyle(element);
        const free = ["auto", "manipulation"].includes(touchAction);
        return !free && (!touchAction.includes("pan-y") || (within(element, scrollsSideways) && !touchAction.includes("pan-x")));
      });
      const small = own().filter((element) => element.matches("button, input:not([type=hidden]), select, [role=button]") && !element.disabled).filter(
        (element) => {
        const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
        return Math.min(width, height) < least - 0.5;
      });
      return [...stuck.map((element) => `holds a finger: ${name(element)}`),
        ...small.map(
        (element) =>
        `too small for a finger: ${name(element)} ${Math.round(element.getBoundingClientRect().width)} x ` +
        `${Math.round(element.getBoundingClientRect().height)}`)];
    },
    /** What moves by itself although the reader asked for less motion. */
    moving() {
      const still = (time) => time.split(", ").every((each) => parseFloat(each) < 0.001); // seconds
      const moving = own().filter((element) => {
        const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
        return !still(transitionDuration) || (animationName !== "none" && !still(animationDuration));
      });
      return moving.map((element) => `moves: ${name(element)}`);
    },
  };
})();
