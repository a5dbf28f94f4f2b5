// Signs in, shows times in the zone of the browser and reads them, copies command lines, keeps the list of calls short, and switches between light and dark.
(() => {
  "use strict";

  const root = document.documentElement;
  const stored = localStorage.getItem("theme");
  if (stored) root.dataset.theme = stored;

  // The token is in the fragment, which is neither sent nor logged. It is taken out of the address at once.
  const signIn = async () => {
    const token = location.hash.slice(1);
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    const state = document.getElementById("sign-in-state");
    const how = state.textContent;
    state.textContent = state.dataset.opening;
    const answer = await fetch("/sign-in", { method: "POST", body: new URLSearchParams({ token }) });
    if (answer.ok) location.replace("/now");
    else state.textContent = (await answer.text()) || how;
  };

  const localTimes = (within) => {
    for (const time of within.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.valueOf())) continue;
      time.textContent = at.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
      time.dataset.local = "";
    }
  };

  // A list stands still while somebody reads it: what comes meanwhile is shown afterwards.
  const isRead = (list) => list.matches(":hover") || list.contains(document.activeElement);

  const shorten = (list) => {
    const most = Number(list.dataset.most);
    while (list.children.length > most) list.lastElementChild.remove();
  };

  const editor = () => document.getElementById("settings-text");

  // A problem's link goes to its line and column.
  const goTo = (line, column) => {
    const start = editor().value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    editor().focus({ preventScroll: true });
    editor().setSelectionRange(start + column - 1, start + column);
    document.getElementById(`L${line}`)?.scrollIntoView({ block: "center" });
  };

  // A key is inserted as a line of its own, above the line of the cursor.
  const insert = (text) => {
    const start = editor().value.lastIndexOf("\n", editor().selectionStart - 1) + 1;
    editor().setRangeText(`${text}\n`, start, start, "end");
    editor().focus();
    editor().dispatchEvent(new Event("input", { bubbles: true }));
  };

  const showInserts = (within) => {
    if (!editor() || editor().readOnly) return;
    for (const button of within.querySelectorAll("[data-insert][hidden]")) button.hidden = false;
  };

  document.addEventListener("DOMContentLoaded", () => {
    localTimes(document);
    showInserts(document);
    if (document.body.dataset.signIn !== undefined) signIn();
    document.getElementById("theme")?.addEventListener("click", () => {
      const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      localStorage.setItem("theme", root.dataset.theme);
    });
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) event.target.closest(".message")?.remove();
    const { line, column } = event.target.closest("[data-line]")?.dataset ?? {};
    if (line && editor()) {
      // Following the link would take the focus away again.
      event.preventDefault();
      goTo(Number(line), Number(column));
    }
    const { insert: text } = event.target.closest("[data-insert]")?.dataset ?? {};
    if (text && editor()) insert(text);
    const copy = event.target.closest("[data-copy]");
    if (copy) navigator.clipboard?.writeText(copy.previousElementSibling.textContent).then(() => { copy.textContent = copy.dataset.copied; });
  });

  // A time of the calendar goes into its field in UTC, which commands take.
  document.addEventListener("change", (event) => {
    const { fills } = event.target.dataset;
    if (fills && event.target.value) document.getElementById(fills).value = new Date(event.target.value).toISOString();
  });

  // An answer is about the fields as they were: a change of one removes it.
  document.addEventListener("input", (event) => {
    const answer = event.target.closest("[data-clears]")?.dataset.clears;
    if (answer) document.getElementById(answer)?.replaceChildren();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    localTimes(event.target.parentElement ?? document);
    showInserts(document);
    // A pressed button that is no longer there leaves the keyboard at its page, not at the top of the document.
    const isChange = event.detail.requestConfig?.triggeringEvent?.type === "changed";
    if (isChange && document.activeElement === document.body) document.getElementById("page")?.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    const list = event.target;
    if (isRead(list.closest("[sse-connect]"))) event.preventDefault();
  });
  document.addEventListener("htmx:sseMessage", (event) => {
    localTimes(event.target);
    if (event.target.dataset.most) shorten(event.target);
  });
  // The answer of a failed action is a message, too.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 422 || event.detail.xhr.status === 403) event.detail.shouldSwap = true;
  });
})();
