// Signs in, shows times in the zone of the browser, copies and splits command lines, opens the menu, keeps the list of calls short,
// counts the questions that wait, and switches between light and dark.
(() => {
  "use strict";

  const root = document.documentElement;
  const find = (id) => document.getElementById(id);
  const stored = localStorage.getItem("theme");
  if (stored) root.dataset.theme = stored;

  const openSession = async (secret) => {
    const state = find("sign-in-state");
    const how = state.textContent;
    state.textContent = state.dataset.opening;
    const answer = await fetch("/sign-in", { method: "POST", body: new URLSearchParams(secret) });
    if (answer.ok) location.replace("/now");
    else state.textContent = (await answer.text()) || how;
  };

  // The token is in the fragment, which is neither sent nor logged. It is taken out of the address at once.
  const signIn = () => {
    find("sign-in-key")?.addEventListener("submit", (event) => {
      event.preventDefault();
      openSession({ key: find("key").value });
    });
    const token = location.hash.slice(1);
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    openSession({ token });
  };

  const localTimes = (within) => {
    for (const time of within.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.valueOf())) continue;
      time.textContent = at.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
      time.dataset.local = "";
    }
  };

  const isIn = (element) =>
    element.matches(":hover") || (element !== document.activeElement && element.contains(document.activeElement));

  const counted = (texts, n) => (n === 1 ? texts.one : texts.many).replace("{n}", n);

  // The list of calls stands still while somebody reads it, or has paused it: what comes meanwhile is shown afterwards.
  const live = { held: [], paused: false, sum: 0 };
  const standsStill = (box) => live.paused || box.matches(":hover") || box.contains(document.activeElement);

  const shorten = (list) => {
    while (list.children.length > Number(list.dataset.most)) list.lastElementChild.remove();
  };

  const showHeld = () => {
    const held = find("held");
    if (held) held.textContent = live.held.length ? held.dataset.text.replace("{n}", live.held.length) : "";
  };

  const release = (box) => {
    if (standsStill(box)) return;
    const list = box.querySelector("ol");
    for (const line of live.held.splice(0)) htmx.swap(list, line, { swapStyle: "afterbegin" });
    localTimes(list);
    shorten(list);
    showHeld();
  };

  const prepareLive = () => {
    const box = find("calls");
    if (!box || box.dataset.prepared !== undefined) return;
    box.dataset.prepared = "";
    box.addEventListener("mouseleave", () => release(box));
    box.addEventListener("focusout", () => setTimeout(() => release(box)));
  };

  const showPause = () => find("pause")?.setAttribute("aria-pressed", live.paused);

  const pause = () => {
    live.paused = !live.paused;
    showPause();
    release(find("calls"));
  };

  // A screen reader gets one sentence in a while.
  setInterval(() => {
    const digest = find("digest");
    if (digest && live.sum) digest.textContent = counted(digest.dataset, live.sum);
    live.sum = 0;
  }, 30000);

  // Parts of a page that are read again, but neither unseen nor under somebody's hand.
  setInterval(() => {
    const part = document.querySelector("[data-every]");
    const isDue = part && Date.now() - (part.readAt ??= Date.now()) >= part.dataset.every * 1000;
    if (isDue && !document.hidden && !isIn(part)) htmx.trigger(part, "renew");
  }, 1000);

  // Questions: one tab of the browser listens, and tells the others.
  const questions = { count: undefined, mark: undefined };

  const showCount = () => {
    const badge = find("waiting");
    if (!badge || questions.count === undefined) return;
    badge.hidden = questions.count === 0;
    badge.textContent = questions.count;
    const title = document.title.replace(/^\(\d+\) /, "");
    document.title = questions.count ? `(${questions.count}) ${title}` : title;
  };

  // A page under somebody's hand is not changed, so that no click meets another question.
  const renewQuestions = () => {
    const stale = find("stale");
    if (!stale || questions.mark === undefined) return;
    const isStale = stale.dataset.shown !== questions.mark;
    const page = find("page");
    if (isStale && !(isIn(page) && page.querySelector(".question"))) htmx.trigger(document.body, "questions");
    else stale.hidden = !isStale;
  };

  const notify = (count) => {
    if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
    const badge = find("waiting");
    const note = new Notification("mgp", { body: counted(badge.dataset, count), tag: "mgp-questions" });
    note.onclick = () => {
      window.focus();
      location.assign(badge.dataset.page);
    };
  };

  const listen = () => {
    const badge = find("waiting");
    if (!badge || !navigator.locks) return;
    const learn = ([count, mark]) => {
      Object.assign(questions, { count, mark });
      showCount();
      renewQuestions();
    };
    const tabs = new BroadcastChannel("mgp-questions");
    let tell = () => {};
    tabs.onmessage = ({ data }) => (data ? learn(data) : tell());
    tabs.postMessage(null);
    navigator.locks.request("mgp-questions", () => new Promise(() => {
      tell = () => questions.mark !== undefined && tabs.postMessage([questions.count, questions.mark]);
      new EventSource(badge.dataset.stream).addEventListener("waiting", ({ data }) => {
        const [count, mark] = data.split(" ");
        const isMore = questions.count !== undefined && Number(count) > questions.count;
        learn([Number(count), mark]);
        tell();
        if (isMore) notify(questions.count);
      });
    }));
  };

  // The browser asks for notifications only after a click.
  const prepareNotify = () => {
    const [button, state] = [find("notify"), find("notify-state")];
    if (!button || !("Notification" in window)) return;
    const show = () => {
      button.hidden = Notification.permission !== "default";
      state.textContent = { granted: state.dataset.on, denied: state.dataset.off }[Notification.permission] ?? "";
    };
    button.addEventListener("click", () => Notification.requestPermission().then(show));
    show();
  };

  const prepare = () => {
    localTimes(document);
    prepareLive();
    showPause();
    showHeld();
    prepareNotify();
    showCount();
  };

  // The pages of a narrow screen.
  const showMenu = (isOpen) => find("menu")?.setAttribute("aria-expanded", isOpen);
  const isMenuOpen = () => find("menu")?.getAttribute("aria-expanded") === "true";

  // A program with its arguments in one field becomes a program and lines of arguments, and is previewed again.
  const split = ([program, ...args]) => {
    const [field, lines] = [find("program"), find("register-args")];
    lines.value = [...args, lines.value].filter(Boolean).join("\n");
    field.value = program;
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.form.querySelector("[type=submit]").click();
  };

  document.addEventListener("DOMContentLoaded", () => {
    prepare();
    listen();
    if (document.body.dataset.signIn !== undefined) signIn();
    find("theme")?.addEventListener("click", () => {
      const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
      localStorage.setItem("theme", root.dataset.theme);
    });
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]")) event.target.closest(".message")?.remove();
    if (event.target.closest("#pause")) pause();
    if (event.target.closest("[data-renew]")) htmx.trigger(document.body, "questions");
    if (event.target.closest("#menu")) showMenu(!isMenuOpen());
    const parts = event.target.closest("[data-split]")?.dataset.split;
    if (parts) split(JSON.parse(parts));
    const copy = event.target.closest("[data-copy]");
    if (copy) navigator.clipboard?.writeText(copy.previousElementSibling.textContent).then(() => { copy.textContent = copy.dataset.copied; });
  });

  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isMenuOpen()) return;
    showMenu(false);
    find("menu").focus();
  });

  // An answer is about the fields as they were: a change of one removes it.
  document.addEventListener("input", (event) => {
    const answer = event.target.closest("[data-clears]")?.dataset.clears;
    if (answer) find(answer)?.replaceChildren();
  });

  // The second click of a double click would meet what the first one brought in its place.
  document.addEventListener("click", (event) => {
    if (event.detail < 2 || !event.target.closest("#page button")) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  document.addEventListener("htmx:afterSwap", (event) => {
    localTimes(event.target.parentElement ?? document);
  });
  document.addEventListener("htmx:load", ({ detail }) => {
    if (detail.elt.id !== "page") return;
    // The page is newer than what the stream has said. Otherwise the stream says so within half a minute.
    const stale = find("stale");
    if (stale && questions.mark !== undefined) questions.mark = stale.dataset.shown;
    prepare();
    if (document.activeElement === document.body) detail.elt.focus({ preventScroll: true });
  });
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    const box = event.target.closest("#calls");
    if (!box) return;
    live.sum += 1;
    if (!standsStill(box)) return;
    event.preventDefault();
    live.held.push(event.detail.data);
    if (live.held.length > Number(event.target.dataset.most)) live.held.shift();
    showHeld();
  });
  document.addEventListener("htmx:sseMessage", (event) => {
    localTimes(event.target);
    if (event.target.dataset.most) shorten(event.target);
  });
  // The answer of a failed action is a message, too.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (xhr.status === 422 || xhr.status === 403) event.detail.shouldSwap = true;
    // The button may be gone, because the answer to an earlier one came meanwhile: its event would reach nobody.
    const isGone = requestConfig && !requestConfig.elt.isConnected;
    if (isGone && xhr.getResponseHeader("hx-trigger") === "changed") htmx.trigger(document.body, "changed");
  });
})();
