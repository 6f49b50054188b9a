(svg) => {
  // What cannot be read in an SVG that lies in a page: texts over one another, cut off, or too small.
  // A text is where its ink is: its box from the first to the last glyph, as high as these letters are.
  const OVER = 1.5; // pixels that two texts may share, and that one may reach beyond an edge
  const SMALLEST = 7; // pixels of a letter's height (em)
  const context = document.createElement("canvas").getContext("2d");

  /** @returns corners of a box in an element's own coordinates, in pixels of the window */
  const placed = (element, { left, top, right, bottom }) => {
    const matrix = element.getScreenCTM();
    return [[left, top], [right, top], [right, bottom], [left, bottom]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  };

  /** The lines of a text: itself, or its parts that stand on lines of their own. */
  const linesOf = (text) => {
    const lines = [...text.querySelectorAll("tspan.line")];
    return lines.length ? lines : [text];
  };

  const inkOf = (line) => {
    const style = getComputedStyle(line);
    const { x, y, width, height } = line.getBBox();
    context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const said = line.textContent.trim();
    const { actualBoundingBoxAscent: above, actualBoundingBoxDescent: below } = context.measureText(said);
    const raised = line.querySelector("tspan[dy], tspan[style*='baseline-shift']"); // a power: as high as its box
    if (raised || !line.getNumberOfChars()) return { left: x, top: y, right: x + width, bottom: y + height };
    const base = line.getStartPositionOfChar(0).y;
    return { left: x, top: base - above, right: x + width, bottom: base + below };
  };

  const isSeen = (element) => {
    for (let at = element; at !== svg.parentElement; at = at.parentElement) {
      const { display, visibility, opacity } = getComputedStyle(at);
      if (display === "none" || visibility === "hidden" || Number(opacity) < 0.05) return false;
    }
    const { fill, fillOpacity, stroke } = getComputedStyle(element);
    return (fill !== "none" && !/^rgba\(.*, 0\)$/.test(fill) && Number(fillOpacity) > 0.05) || stroke !== "none";
  };

  const around = (points) => {
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  };

  /** What is shown of an element at most, by the pictures that it lies in and what they are clipped to. */
  const windowsOf = (element) => {
    const windows = [];
    for (let at = element; at !== svg.parentElement; at = at.parentElement) {
      const id = getComputedStyle(at).clipPath.match(/url\("?#([^")]+)"?\)/)?.[1];
      const clip = id && svg.querySelector(`[id="${CSS.escape(id)}"] > rect`);
      if (clip) {
        const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => clip[side].baseVal.value);
        windows.push(around(placed(at, { left: x, top: y, right: x + width, bottom: y + height })));
      }
      if (at instanceof SVGSVGElement) windows.push(at === svg || getComputedStyle(at).overflow !== "hidden" ? svg.getBoundingClientRect() : viewOf(at));
    }
    return windows;
  };

  const viewOf = (inner) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => inner[side].baseVal.value);
    const outer = inner.parentElement;
    return outer instanceof SVGGraphicsElement && width && height
      ? around(placed(outer, { left: x, top: y, right: x + width, bottom: y + height })) : svg.getBoundingClientRect();
  };

  /** By how many pixels two boxes, which may be turned, reach into one another: the least of their shared spans. */
  const shared = (one, other) => {
    const axes = [one, other].flatMap((box) => [[0, 1], [1, 2]].map(([a, b]) => {
      const [x, y] = [box[b].x - box[a].x, box[b].y - box[a].y];
      const size = Math.hypot(x, y) || 1;
      return [x / size, y / size];
    }));
    return Math.min(...axes.map(([x, y]) => {
      const spans = [one, other].map((box) => box.map((point) => point.x * x + point.y * y));
      const [[a, b], [c, d]] = spans.map((at) => [Math.min(...at), Math.max(...at)]);
      return Math.min(b, d) - Math.max(a, c);
    }));
  };

  const faults = [];
  const texts = [];
  for (const text of svg.querySelectorAll("text")) {
    if (!isSeen(text)) continue;
    for (const line of linesOf(text)) {
      const said = line.textContent.replace(/[\u2068\u2069\u200b]/g, "").trim();
      const box = said && inkOf(line);
      if (!box || box.right - box.left < 0.5) continue;
      const corners = placed(line, box);
      const whole = around(corners);
      const windows = windowsOf(line);
      if (windows.some(({ left, top, right, bottom }) => whole.right <= left || whole.left >= right || whole.bottom <= top || whole.top >= bottom)) {
        if (windows.at(-1) && !line.closest("[clip-path]")) faults.push(`beyond the edge: “${said}”`);
        continue;
      }
      const cut = Math.max(...windows.map(({ left, top, right, bottom }) =>
        Math.max(left - whole.left, top - whole.top, whole.right - right, whole.bottom - bottom)));
      if (cut > OVER) faults.push(`cut off by ${cut.toFixed(1)}: “${said}”`);
      const { a, b } = line.getScreenCTM();
      const size = parseFloat(getComputedStyle(line).fontSize) * Math.hypot(a, b);
      if (size < SMALLEST) faults.push(`of ${size.toFixed(1)} pixels: “${said}”`);
      texts.push({ said, corners, whole });
    }
  }
  texts.forEach((one, i) => texts.slice(i + 1).forEach((other) => {
    if (one.whole.right < other.whole.left || other.whole.right < one.whole.left || one.whole.bottom < other.whole.top || other.whole.bottom < one.whole.top)
      return;
    const over = shared(one.corners, other.corners);
    if (over <= OVER) return;
    const same = one.said === other.said && Math.hypot(one.corners[0].x - other.corners[0].x, one.corners[0].y - other.corners[0].y) < 1; // its outline
    if (!same) faults.push(`“${one.said}” on “${other.said}” by ${over.toFixed(1)}`);
  }));
  return faults;
}
