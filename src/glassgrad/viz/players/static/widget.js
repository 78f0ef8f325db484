// The player in a notebook. Python sends the page once a view says hello, so that a view that
// opens late, or again, shows the pass as it is; without an answer nothing is shown.

function render({ model, el }) {
  const view = Math.random().toString(36).slice(2);
  let player = null; // a promise of it

  async function hear(message) {
    for (const [key, html] of Object.entries(message.inside ?? {})) addInside(key, html);
    if (message.type !== "begin") (await player)?.hear(message);
    else if (message.view === view) player = begin(message);
  }

  function begin({ html, granularity, closed, no_way_back: noWayBack }) {
    el.innerHTML = html; // written by Player.fragment(), which escapes all names
    el.classList.add("gg-widget");
    const root = el.querySelector(".gg-player");
    if (noWayBack) root.querySelector(".gg-head p").append(` · ${noWayBack}`);
    return mount(root, { live: { send: (message) => model.send(message), granularity, closed, noWayBack } });
  }

  // The player of a pass that has run inside of this one waits where those of a page do.
  function addInside(key, html) {
    const root = el.querySelector(".gg-player");
    const template = Object.assign(document.createElement("template"), { innerHTML: html });
    template.dataset.pass = key;
    root?.querySelector(`:scope > template[data-pass="${key}"]`)?.remove();
    root?.append(template);
  }

  // Keys with Ctrl stay the notebook's, but not those that run the cell: that would end this pass.
  // So does the one that leads out of here. Escape does not: a notebook deletes cells by plain keys.
  function isOurs({ key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (key === "Escape" && shiftKey) return false;
    return key === "Enter" || (!ctrlKey && !metaKey && !altKey);
  }

  // The notebook takes the keys for its own unless told not to: JupyterLab by the player, Notebook 7 by
  // what has the focus. This runs before its listener, which is the document's.
  function guard(event) {
    if (!el.contains(event.target)) return;
    for (const part of [...el.children, event.target]) part.toggleAttribute("data-lm-suppress-shortcuts", isOurs(event));
    if (event.key === "Escape" && event.shiftKey) el.closest(".jp-Cell")?.focus();
  }

  function keep(event) {
    if (isOurs(event)) event.stopPropagation();
  }

  model.on("msg:custom", hear);
  window.addEventListener("keydown", guard, { capture: true });
  el.addEventListener("keydown", keep);
  model.send({ do: "hello", view });
  return () => {
    model.off("msg:custom", hear);
    window.removeEventListener("keydown", guard, { capture: true });
    el.removeEventListener("keydown", keep);
    el.classList.remove("gg-widget");
    try { model.send({ do: "bye", view }); } catch { /* the kernel is gone */ }
  };
}

export default { render };
