// The player in a notebook. Python sends the page once a view says hello, so that a view that
// opens late, or again, shows the pass as it is; without an answer nothing is shown.

function render({ model, el }) {
  const view = Math.random().toString(36).slice(2);
  let player = null; // a promise of it

  async function hear(message) {
    if (message.type !== "begin") (await player)?.hear(message);
    else if (message.view === view) player = begin(message);
  }

  function begin({ html, granularity, no_way_back: noWayBack }) {
    el.innerHTML = html; // written by Player.fragment(), which escapes all names
    el.classList.add("gg-widget");
    const root = el.querySelector(".gg-player");
    if (noWayBack) root.querySelector(".gg-head p").append(` · ${noWayBack}`);
    return mount(root, { live: { send: (message) => model.send(message), granularity, noWayBack } });
  }

  // The notebook takes the arrow keys for its own unless told not to. Keys with Ctrl, and the one
  // that leads out of here, stay its own. This runs before its listener, which is the document's.
  function guard({ key, target, ctrlKey, metaKey, altKey }) {
    if (!el.contains(target)) return;
    const isOurs = !ctrlKey && !metaKey && !altKey && key !== "Escape";
    for (const root of el.children) root.toggleAttribute("data-lm-suppress-shortcuts", isOurs);
    if (key === "Escape") el.closest(".jp-Cell")?.focus();
  }

  model.on("msg:custom", hear);
  window.addEventListener("keydown", guard, { capture: true });
  model.send({ do: "hello", view });
  return () => {
    model.off("msg:custom", hear);
    window.removeEventListener("keydown", guard, { capture: true });
    el.classList.remove("gg-widget");
    try { model.send({ do: "bye", view }); } catch { /* the kernel is gone */ }
  };
}

export default { render };
