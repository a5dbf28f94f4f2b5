"use strict";
const element = (id) => document.getElementById(id);

// A key or token stays in this page's memory, and is sent to this server alone.
const headersOf = (key, token) => {
  if (key) return { "X-API-Key": key };
  return token ? { Authorization: `Bearer ${token}` } : {};
};

// Shows the tools. Without `validatorUrl: null`, the library would name an image on another host.
const show = (headers, key, token) => {
  const page = SwaggerUIBundle({
    url: "openapi.json",
    dom_id: "#tools",
    deepLinking: true,
    validatorUrl: null,
    requestInterceptor: (request) => {
      request.headers = { ...headers, ...request.headers };
      return request;
    },
    onComplete: () => {
      if (key) page.preauthorizeApiKey("key", key);
      else if (token) page.preauthorizeApiKey("bearer", token);
    },
  });
};

const ask = (reason) => {
  element("reason").textContent = reason;
  element("credentials").hidden = false;
};

// Asks for a key or token only if the document is not there without one.
const start = async (key, token) => {
  const headers = headersOf(key, token);
  const response = await fetch("openapi.json", { method: "HEAD", headers });
  if (response.status === 401) {
    ask(key || token ? "This key or token is wrong or has expired." : "The tools are for holders of a key or token.");
    return;
  }
  element("credentials").hidden = true;
  show(headers, key, token);
};

element("credentials").addEventListener("submit", (event) => {
  event.preventDefault();
  start(element("key").value.trim(), element("token").value.trim());
});
start("", "");
