// @ts-check
// Between Streamlit and a view: one view per element, made at the first call and kept for later data.

/** @typedef {{ parentElement: HTMLElement, data: any, setStateValue: Function, setTriggerValue: Function }} Component as Streamlit passes it */
/** @typedef {HTMLElement & { tlmvizLeave?: () => void }} Host */

/**
 * The default export of a view's module. Streamlit calls it for new data too, and what it returns when the element goes.
 * @template {{ root: HTMLElement, pictureMenu?: HTMLElement, component: Component }} View
 * @param {object} parts
 * @param {(host: HTMLElement) => View} parts.create builds the DOM of a view as its `root`
 * @param {(view: View, data: any) => void} parts.receive
 * @param {(view: View) => void} parts.leave stops what would outlive the DOM
 */
export function mounted({ create, receive, leave }) {
  /** @type {WeakMap<HTMLElement, View>} */
  const views = new WeakMap();
  return (/** @type {Component} */ component) => {
    const host = /** @type {Host} */ (component.parentElement);
    let view = views.get(host);
    if (!view) {
      host.tlmvizLeave?.(); // another component of the same key, which Streamlit does not tell to go
      views.set(host, (view = create(host)));
    }
    view.component = component;
    receive(view, component.data);
    const shown = view;
    host.tlmvizLeave = () => {
      if (!views.delete(host)) return;
      leave(shown);
      shown.root.remove();
      shown.pictureMenu?.remove();
    };
    return host.tlmvizLeave;
  };
}

/**
 * Paint a view again whenever its width has changed and it has something to show; whoever leaves the view disconnects the observer.
 * @param {{ root: HTMLElement, width?: number }} v
 * @param {() => void} paint
 * @param {() => boolean} [ready]
 */
export function watchWidth(v, paint, ready = () => true) {
  const observer = new ResizeObserver(() => {
    if (!ready() || v.root.clientWidth === v.width) return;
    v.width = v.root.clientWidth;
    paint();
  });
  observer.observe(v.root);
  return observer;
}
