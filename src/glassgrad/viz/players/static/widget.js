// The player in a notebook. Python sends the page once a view says hello, so that a view that
// opens late, or again, shows the pass as it is; without an answer nothing is shown.

function render({ model, el }) {
  const view = Math.random().toString(36).slice(2);
  const listeners = new Set();
  let player = null;
  const live = {
    send: (message) => model.send(message),
    listen: (callback) => { listeners.add(callback); },
  };

  function hear(message) {
    if (message.type === "begin" && message.view === view) begin(message);
    if (message.type === "begin" || !player) return;
    if (message.type === "update") Object.assign(player.data.explain, message.explain);
    listeners.forEach((each) => each(message));
    if (message.type === "update") show(message);
  }

  function show({ granularity, grads }) {
    const root = el.querySelector(".gg-player");
    root.querySelector(".gg-grain").value = granularity;
    // The rows with gradients: Python has left room for them in the picture.
    for (const [id, text] of Object.entries(grads)) {
      const row = root.querySelector(`[id="${CSS.escape(root.dataset.prefix + id)}"] > .value.late`);
      if (row) row.textContent = text;
    }
  }

  function begin({ no_way_back: noWayBack, ...page }) {
    el.innerHTML = page.html; // written by Player.fragment(), which escapes all names
    el.classList.add("gg-widget");
    const root = el.querySelector(".gg-player");
    player = mount(root, { keys: root, live: { ...live, granularity: page.granularity, noWayBack } });
    show(page);
    if (noWayBack) root.querySelector(".gg-head p").append(` · ${noWayBack}`);
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
