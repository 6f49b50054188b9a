// The end of every view's module. The view brings `create(host)`, which builds its DOM as `root`, `receive(v, data)` and
// `leave(v)`, which stops whatever would outlive the DOM.

const views = new WeakMap(); // parentElement -> view; Streamlit calls the default export again for new data

export default function (component) {
  const host = component.parentElement;
  let v = views.get(host);
  if (!v) views.set(host, (v = create(host)));
  v.component = component;
  receive(v, component.data);
  return () => {
    views.delete(host);
    leave(v);
    v.root.remove();
  };
}
