// The editor of the settings: goes to lines, inserts keys into their tables, and asks before unsaved text is lost.
(() => {
  "use strict";

  const find = (id) => document.getElementById(id);
  const editor = () => find("settings-text");

  // The lines, each with the place of its first character.
  const lines = () => {
    let start = 0;
    return editor().value.split("\n").map((text) => {
      const line = { text, start };
      start += text.length + 1;
      return line;
    });
  };

  const select = (start, end) => {
    const number = editor().value.slice(0, start).split("\n").length;
    editor().focus({ preventScroll: true });
    editor().setSelectionRange(start, end);
    find(`L${number}`)?.scrollIntoView({ block: "center" });
  };

  // A problem's link goes to its line and column.
  const goTo = (number, column) => {
    const start = (lines()[number - 1]?.start ?? editor().value.length) + column - 1;
    select(start, start + 1);
  };

  // Returns the header of a table as the list of keys writes it; undefined for another line.
  const header = (text) => {
    const [, open, name, close] = /^\s*(\[\[?)([^[\]#]+)(\]\]?)\s*(?:#.*)?$/.exec(text) ?? [];
    return name && open + name.replace(/["'\s]/g, "") + close;
  };

  // Returns the parts of the file that a header names, each with its first line. NAME stands for any name, and no header for the top.
  const tables = (wanted) => {
    const escaped = wanted.replace(/[[\].]/g, "\\$&").replaceAll("NAME", "[^.\\]]+");
    const all = lines();
    const heads = all.flatMap(({ text }, at) => (header(text) ? [{ at, name: header(text) }] : []));
    const parts = [{ at: -1, name: "" }, ...heads].map(({ at, name }, place) => ({ name, at, own: all.slice(at + 1, heads[place]?.at) }));
    return parts.filter(({ name }) => new RegExp(`^${escaped}$`).test(name)).map((part) => ({ ...part, start: all[part.at]?.start ?? 0 }));
  };

  // Returns the part with the cursor, or the last one.
  const chosen = (parts) => {
    const cursor = editor().selectionStart;
    const around = parts.find(({ start, own }) => start <= cursor && cursor <= (own.at(-1) ? own.at(-1).start + own.at(-1).text.length : start));
    return (cursor > 0 && around) || parts.at(-1);
  };

  const put = (text, at) => {
    editor().setRangeText(text, at, at, "end");
    editor().dispatchEvent(new Event("input", { bubbles: true }));
    const start = at + text.length - text.trimStart().length;
    select(start, at + text.trimEnd().length);
  };

  const append = (text) => {
    const { value } = editor();
    put(`${value.endsWith("\n") || !value ? "" : "\n"}${value ? "\n" : ""}${text}\n`, value.length);
  };

  // A key goes below the header of its table, which is made if there is none. A key that is there is selected.
  const insert = (text, table) => {
    if (header(text)) {
      const known = text.startsWith("[[") || text.includes("NAME") ? undefined : tables(text).at(-1);
      return known ? select(known.start, known.start + lines()[known.at].text.length) : append(text);
    }
    const part = chosen(tables(table));
    if (!part) return append(`${table}\n${text}`);
    const key = text.split("=")[0].trim();
    const known = part.own.find((line) => new RegExp(`^\\s*"?${key}"?\\s*=`).test(line.text));
    if (known) return select(known.start, known.start + known.text.length);
    // At the top, remarks on the whole file stay first.
    const remarks = part.at < 0 ? part.own.findIndex((line) => !line.text.startsWith("#")) : 0;
    const below = part.own[Math.max(remarks, 0)];
    return below ? put(`${text}\n`, below.start) : put(`\n${text}\n`, editor().value.length);
  };

  const showInserts = () => {
    if (!editor() || editor().readOnly) return;
    for (const button of document.querySelectorAll("[data-insert][hidden]")) button.hidden = false;
  };

  const isUnsaved = () => editor() && !editor().readOnly && editor().value !== editor().defaultValue;

  document.addEventListener("DOMContentLoaded", () => {
    showInserts();
    const [, line] = /^#L(\d+)$/.exec(location.hash) ?? [];
    if (line && editor()) goTo(Number(line), 1);
  });
  document.addEventListener("htmx:afterSwap", showInserts);
  document.addEventListener("click", (event) => {
    const { line, column } = event.target.closest("[data-line]")?.dataset ?? {};
    if (line && editor()) {
      // Following the link would take the focus away again.
      event.preventDefault();
      goTo(Number(line), Number(column));
    }
    const { insert: text, table } = event.target.closest("[data-insert]")?.dataset ?? {};
    if (text && editor()) insert(text, table);
  });
  // The text that was saved is that of the file.
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const saved = detail.successful && detail.pathInfo.requestPath === "/do/save-settings" && detail.requestConfig.parameters.text;
    if (editor() && typeof saved === "string") editor().defaultValue = saved.replaceAll("\r\n", "\n");
  });
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
})();
