// Times of the calendar in forms and filters, forms that are empty after their action, and answers that take the focus.
(() => {
  "use strict";

  const find = (id) => document.getElementById(id);
  const SECONDS = { m: 60, h: 3600, d: 86400 };

  // Returns the start of a day in the zone of the browser: today is 0.
  const midnight = (days) => {
    const day = new Date();
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() + days);
    return day;
  };

  // Returns a time as a field of the calendar has it.
  const local = (time) => new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

  // A form sends its time of the calendar, or the next midnight, in UTC.
  document.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
    if (parameters.end) parameters.end = new Date(parameters.end).toISOString();
    else if (parameters.term === "midnight" && !parameters.for) parameters.end = midnight(1).toISOString();
  });

  // A field of the calendar shows the time or the span of its filter, and fills the filter in UTC.
  const showFilters = () => {
    for (const field of document.querySelectorAll("[data-fills]")) {
      const given = find(field.dataset.fills).value;
      const [, count, unit] = given.match(/^(\d+)([mhd])$/) ?? [];
      const time = unit ? new Date(Date.now() - count * SECONDS[unit] * 1000) : new Date(given);
      if (given && !Number.isNaN(time.valueOf())) field.value = local(time);
    }
    for (const link of document.querySelectorAll("a[data-day]")) {
      const [address, day] = [new URL(link.href), Number(link.dataset.day)];
      address.searchParams.set("since", midnight(day).toISOString());
      if (day < 0) address.searchParams.set("until", midnight(day + 1).toISOString());
      link.href = address;
    }
  };

  document.addEventListener("change", ({ target }) => {
    const { fills } = target.dataset;
    if (fills) find(fills).value = target.value && new Date(target.value).toISOString();
  });

  // A link to a span of time keeps what is typed into the filters.
  document.addEventListener("click", ({ target }) => {
    const link = target.closest(".spans a");
    const form = link?.closest("form");
    if (!form) return;
    const address = new URL(link.href);
    for (const [name, value] of new FormData(form)) {
      if (name === "since" || name === "until") continue;
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    }
    link.href = address;
  });

  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.xhr.status === 200 && detail.elt.matches("[data-resets] form")) detail.elt.reset();
  });

  document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
    if (!target) return;
    if (target.dataset.focus !== undefined) {
      target.firstElementChild?.focus();
      target.firstElementChild?.scrollIntoView({ block: "nearest" });
    }
    // A new message takes the place of those about what is done.
    if (target.id !== "messages") return;
    for (const old of target.querySelectorAll(".message.done")) if (old !== target.firstElementChild) old.remove();
  });

  document.addEventListener("DOMContentLoaded", showFilters);
  document.addEventListener("htmx:load", ({ detail }) => {
    if (detail.elt.id === "page") showFilters();
  });
})();
